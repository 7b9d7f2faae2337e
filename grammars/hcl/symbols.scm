; Which blocks there are depends on the program that reads the file. A block with a label has a name, and what is in it belongs
; to it: `job "web" { group "api" { task "server" {`.
(block
  . (identifier)
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body (block_end) @body) @definition.struct
; Packer says `source.docker.base`.
(block
  . (identifier)
  . [(string_lit (template_literal) @container) (identifier) @container]
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body (block_end) @body) @definition.struct

; Blocks that mean the same everywhere: inputs, outputs, functions and targets of bake files, test runs of Terraform.
((block
  . (identifier) @_kind
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.variable
  (#any-of? @_kind "variable" "output"))
((block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body) @definition.function
  (#any-of? @_kind "function" "target"))
((block
  . (identifier) @_kind
  . (string_lit (template_literal) @name)
  . (block_start) @body) @definition.function
  (#eq? @_kind "run")
  (#set! flag test))

; Local values, and what a file sets at its top.
(config_file (body (block
  . (identifier) @_kind
  (body (attribute . (identifier) @name) @definition.constant)))
  (#eq? @_kind "locals"))
(config_file (body (attribute . (identifier) @name) @definition.key))

(comment) @doc
((block . (identifier) (body . (attribute . (identifier) @_key) @doc))
  (#eq? @_key "description")
  (#set! doc body))
