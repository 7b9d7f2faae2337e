((circuit . (identifier) @name ":" @body) @definition.module (#set! body empty))
; A module holds what stands up to the next one.
((module . (identifier) @name ":" @body) @definition.module (#set! extent rest))

[(wire . (identifier) @name) (node . (identifier) @name) (register . (identifier) @name)] @definition.variable
[(inst . (identifier) @name) (memory . (identifier) @name)] @definition.variable
(port (identifier) @name) @definition.property

(comment) @doc
