; With a list of exports, only what is in it can be seen.
((purescript "module" @definition.module name: (qualified_module) @name (where) @body)
  (#set! visibility exported))
((purescript exports: (exports) @name) (#set! visibility private) (#set! scope container))
((exports (export [(variable) (type) (operator)] @name)) (#set! visibility exported) (#set! scope name))
((exports (export (class_name (type) @name))) (#set! visibility exported) (#set! scope name))

; Types. The fields of a constructor's record belong to the type.
(type_alias name: (type) @name) @definition.type
(type_alias name: (type) @name (record_type_literal) @body .) @definition.struct
(type_alias (record_type_literal (row_field (field_name) @name) @definition.field) .)
(kind_declaration "data" name: (type) @name) @definition.type
(data name: (type) @name "=" . (_) @body (_)? @body .) @definition.enum
(data (constructor) @name @definition.enumMember)
(data (record_type_literal (row_field (field_name) @name) @definition.field))
(newtype name: (type) @name (newtype_constructor) @body) @definition.type
(newtype_constructor . (constructor) @name) @definition.constructor
(newtype_constructor (record_type_literal (row_field (field_name) @name) @definition.field))
(kind_value_declaration name: (type) @name) @definition.type

; Classes; the methods of an instance belong to the type that it is for.
(class_declaration (class_head (class_name (type) @name))) @definition.trait
(class_declaration (class_head (class_name (type) @name)) (class_body) @body) @definition.trait

; Functions and values, each with its type before it, if it has one: what has arguments or an operator in its type is a function.
(function name: (variable) @name rhs: (_) @body (_)? @body .) @definition.variable
(function name: (variable) @name rhs: [(exp_do) (exp_lambda)] @body (_)? @body .) @definition.function
(function name: (variable) @name patterns: (_) . (_) @body (_)? @body .) @definition.function
((signature) @definition.variable . (function name: (variable) @name . (_) @body (_)? @body .))
((signature) @definition.function . (function name: (variable) @name rhs: [(exp_do) (exp_lambda)] @body (_)? @body .))
((signature (type_infix)) @definition.function . (function name: (variable) @name . (_) @body (_)? @body .))
((signature) @definition.function . (function name: (variable) @name patterns: (_) . (_) @body (_)? @body .))
(class_body (signature name: (variable) @name) @definition.method)
(foreign_import name: (variable) @name) @definition.variable
(foreign_import name: (variable) @name (type_infix)) @definition.function
(operator_declaration (operator) @name) @definition.operator
((class_instance
  (instance_head (class_name) (_) @container)
  (function name: (variable) @name . (_) @body (_)? @body .) @definition.method)
  (#set! visibility exported))
((class_instance
  (instance_head
    (class_name)
    (type_parens (type_apply . (type_name (type) @container) . (type_name (type_variable)))))
  (function name: (variable) @name . (_) @body (_)? @body .) @definition.method)
  (#set! visibility exported))
((declarations) @body (#set! scope function))

; Tests of Spec, by the text that names them.
((exp_apply (exp_name) @_call . (exp_literal (string) @name) (_) @body .) @definition.module
  (#any-of? @_call "describe" "suite")
  (#set! flag test))
((exp_apply (exp_name) @_call . (exp_literal (string) @name) (_) @body .) @definition.function
  (#any-of? @_call "it" "test" "itOnly" "pending'")
  (#set! flag test))

(comment) @doc
