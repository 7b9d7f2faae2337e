(label (ident) @name) @definition.function
; A label before data.
(label (ident) @name (meta)) @definition.variable

((meta kind: (meta_ident) @_kind . (ident) @name) @definition.constant
  (#any-of? @_kind ".set" ".equ" ".equiv" ".eqv" ".SET" ".EQU"))
((meta kind: (meta_ident) @_kind . (ident) @name) @definition.macro
  (#any-of? @_kind ".macro" ".MACRO"))
((meta kind: (meta_ident) @_kind . (ident) @name)
  (#any-of? @_kind ".globl" ".global" ".GLOBL" ".GLOBAL") (#set! visibility exported) (#set! scope name))

[(line_comment) (block_comment)] @doc
