(module "module" identifier: (identifier) @name . (_) @body ")" @body) @definition.module
(module_field_func identifier: (identifier) @name) @definition.function
(module_field_func identifier: (identifier) @name (instr_list) @body) @definition.function
(module_field_type identifier: (identifier) @name) @definition.type
(module_field_memory identifier: (identifier) @name) @definition.variable
(module_field_table identifier: (identifier) @name) @definition.variable
(module_field_global identifier: (identifier) @name) @definition.variable
(module_field_data (index (identifier) @name)) @definition.variable
; Imported functions stand elsewhere.
((module_field_import (import_desc (import_desc_func_type (identifier) @name))) @definition.function
  (#set! role declaration))

; What others see: by an export of its own, or by one that names it.
((module_field_func identifier: (identifier) @name (export)) (#set! visibility exported) (#set! scope name))
((module_field_export (export_desc (_ (index (identifier) @name)))) (#set! visibility exported) (#set! scope name))

[(comment_line) (comment_block)] @doc
