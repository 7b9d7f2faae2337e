(module . (identifier) @name) @definition.module
((circuit . (identifier) @name ":" @body) @definition.module (#set! body empty))
(module . (identifier) @name ":" @body (_) @body .) @definition.module

[(wire . (identifier) @name) (node . (identifier) @name) (register . (identifier) @name)] @definition.variable
[(inst . (identifier) @name) (memory . (identifier) @name)] @definition.variable
(port (identifier) @name) @definition.property

(comment) @doc
