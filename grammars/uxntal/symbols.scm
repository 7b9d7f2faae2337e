; A label is code, or data: what is reserved, numbers, text, the parts of a device.
((subroutine . (label (identifier) @name)) @definition.function (#set! body empty))
((subroutine . (label (identifier) @name) . (_) @body) @definition.function (#set! body empty))
((subroutine . (label (identifier) @name) . (comment) . (_) @body) @definition.function (#set! body empty))
((subroutine . (label (identifier) @name) . [(relative_pad_operation) (number) (raw_ascii)] @body) @definition.variable (#set! body empty))
((subroutine . (label (identifier) @name) . (rune (rune_char "&")) @body . (relative_pad_operation)) @definition.variable
  (#set! body empty))
(macro (identifier) @name) @definition.macro
; Parts of what the label before them names.
((subroutine . (label (identifier) @container) (rune rune_start: (rune_char "&") (identifier) @name .) @definition.field))
