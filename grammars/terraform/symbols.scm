; Blocks of a module. A label may be bare. What a resource sets is no symbol, so the body has no members.
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.variable)
  (#any-of? @_kind "variable" "output"))
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.module)
  (#any-of? @_kind "module" "component" "stack"))
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.namespace)
  (#eq? @_kind "provider"))
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.function)
  (#any-of? @_kind "check" "run")
  (#set! flag test))

; Code says `aws_vpc.main` and `data.aws_ami.ubuntu`.
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @container) (identifier) @container]
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.struct)
  (#eq? @_kind "resource"))
(config_file (body (block
  . (identifier) @container @_kind
  . [(string_lit (template_literal) @container) (identifier) @container]
  . [(string_lit (template_literal) @name) (identifier) @name]
  . (block_start) @body) @definition.struct)
  (#any-of? @_kind "data" "ephemeral" "action" "list"))

; `provider = aws.west` means the provider with this alias.
(config_file (body (block
  . (identifier) @_kind
  . [(string_lit (template_literal) @container) (identifier) @container]
  (body (attribute . (identifier) @_alias (expression (literal_value (string_lit (template_literal) @name)))) @definition.namespace)))
  (#eq? @_kind "provider")
  (#eq? @_alias "alias"))

; Local values; and what a `.tfvars` file sets.
(config_file (body (block
  . (identifier) @_kind
  (body (attribute . (identifier) @name) @definition.constant)))
  (#eq? @_kind "locals"))
(config_file (body (attribute . (identifier) @name) @definition.key))

(comment) @doc
; A description that opens a block.
((block . (identifier) (body . (attribute . (identifier) @_key) @doc))
  (#eq? @_key "description")
  (#set! doc body))
