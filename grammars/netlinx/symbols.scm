; What other programs instantiate.
(module_name (string_literal (string_content) @name)) @definition.module

(preproc_define name: (identifier) @name value: (_)) @definition.constant
; Devices have numbers: `dvPanel = 10001:1:0`.
(expression_statement
  (assignment_expression left: (identifier) @name right: (device_literal))) @definition.constant

(type_definition
  (struct_specifier name: (type_identifier) @name body: (_) @body)) @definition.struct
(struct_specifier
  body: (field_declaration_list
    (field_declaration
      declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]) @definition.field))

(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
  ]) @definition.variable
(define_module (module_definition instance_name: (identifier) @name)) @definition.variable

(define_function (function_definition name: (identifier) @name body: (_) @body)) @definition.function
(define_call (call_definition name: (string_literal (string_content) @name) body: (_) @body)) @definition.function

(comment) @doc
