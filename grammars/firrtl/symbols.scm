(circuit . (identifier) @name) @definition.module
(module . (identifier) @name) @definition.module

; What stands in a branch belongs to no module here: modules have no node for their body.
[(wire . (identifier) @name) (node . (identifier) @name) (register . (identifier) @name)] @definition.variable
[(inst . (identifier) @name) (memory . (identifier) @name)] @definition.variable
(module . (identifier) @container (port (identifier) @name) @definition.property)
(module . (identifier) @container
  [(wire . (identifier) @name) (node . (identifier) @name) (register . (identifier) @name)] @definition.variable)
(module . (identifier) @container
  [(inst . (identifier) @name) (memory . (identifier) @name)] @definition.variable)

(comment) @doc
