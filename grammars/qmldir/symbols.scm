(command . (keyword "module") . (unit) @name) @definition.module
; The types of the module, and where they are written.
(command . (identifier) @name . (float)) @definition.class
(command . (keyword ["singleton" "internal"]) . (unit) @name) @definition.class
(comment) @doc
