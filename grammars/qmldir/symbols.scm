((command (keyword) @_word . (unit) @name) @definition.module (#eq? @_word "module"))
; The types of the module, and where they are written.
(command . (identifier) @name . (float)) @definition.class
((command (keyword) @_word . (unit) @name) @definition.class (#any-of? @_word "singleton" "internal"))
(comment) @doc
