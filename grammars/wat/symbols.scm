(module "module" identifier: (identifier) @name . (_) @body ")" @body) @definition.module
(module_field_func identifier: (identifier) @name (instr_list)? @body) @definition.function
(module_field_type identifier: (identifier) @name) @definition.type
(module_field_memory identifier: (identifier) @name) @definition.variable
(module_field_table identifier: (identifier) @name) @definition.variable
(module_field_global identifier: (identifier) @name) @definition.variable
(module_field_data (index (identifier) @name)) @definition.variable
((module_field_func identifier: (identifier) @name) @definition.event (#match? @definition.event "^[(]func[$]"))
; Without a name of its own, by that of its export.
((module_field_func . (export (name) @name) (instr_list)? @body) @definition.function (#set! visibility exported))
((module_field_memory . (export (name) @name)) @definition.variable (#set! visibility exported))
((module_field_table . (export (name) @name)) @definition.variable (#set! visibility exported))
((module_field_global . (export (name) @name)) @definition.variable (#set! visibility exported))
; What is imported stands elsewhere.
((module_field_import (import_desc (import_desc_func_type (identifier) @name))) @definition.function
  (#set! role declaration))
((module_field_import
  (import_desc [
    (import_desc_memory_type (identifier) @name)
    (import_desc_table_type (identifier) @name)
    (import_desc_global_type (identifier) @name)
  ])) @definition.variable
  (#set! role declaration))

; What others see: by an export of its own, or by one that names it.
((module_field_func identifier: (identifier) @name . [(comment_line) (comment_block)]* . (export)) (#set! visibility exported) (#set! scope name))
((module_field_export (export_desc (_ (index (identifier) @name)))) (#set! visibility exported) (#set! scope name))

[(comment_line) (comment_block)] @doc
