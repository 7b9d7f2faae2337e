(subroutine (label (identifier) @name)) @definition.function
(macro (identifier) @name) @definition.macro
; Parts of what the label before them names.
((subroutine
  (label (identifier) @container)
  (rune rune_start: (rune_char) @_rune (identifier) @name) @definition.field)
  (#eq? @_rune "&"))
