(label (ident) @name) @definition.function
; A label before data.
(label (ident) @name (meta)) @definition.variable
((label (ident) @name) @definition.variable . (meta kind: (meta_ident) @_kind)
  (#any-of? @_kind ".byte" ".2byte" ".short" ".hword" ".word" ".long" ".int" ".4byte" ".quad" ".8byte" ".ascii" ".asciz" ".string"
    ".space" ".skip" ".zero" ".fill" ".float" ".double"))
; What the mends make of other forms.
((label (ident) @name (meta kind: (meta_ident) @_kind)) @definition.constant (#eq? @_kind ".c"))
((label (ident) @name (meta kind: (meta_ident) @_kind)) @definition.macro (#eq? @_kind ".m"))
((label (ident) @name (meta kind: (meta_ident) @_kind)) @definition.struct (#eq? @_kind ".t"))
((meta kind: (meta_ident) @_kind . (ident) @name) @definition.constant (#eq? @_kind ".c"))
((meta kind: (meta_ident) @_kind . (ident) @name) @definition.macro (#eq? @_kind ".m"))
((meta kind: (meta_ident) @_kind . (ident) @name) @definition.struct (#eq? @_kind ".t"))
((meta kind: (meta_ident) @_kind . (ident) @name @definition.function) (#eq? @_kind ".f"))

; The grammar knows one name of several, `.globl a, b`.
((meta kind: (meta_ident) @_kind [(ident) @name (ERROR (ident) @name)])
  (#any-of? @_kind ".globl" ".global" ".GLOBL" ".GLOBAL") (#set! visibility exported) (#set! scope name))

[(line_comment) (block_comment)] @doc
