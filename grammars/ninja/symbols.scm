; Variables of the file; those of a rule or a build are part of it.
(manifest (let name: (identifier) @name) @definition.variable)
(rule name: (identifier) @name (body) @body) @definition.function
(pool name: (identifier) @name (body) @body) @definition.object
; What is built, and by which rule.
(build (outputs (path) @name)) @definition.function
(build (outputs (path) @name) (body) @body) @definition.function

(comment) @doc
