; Types. One declared alone is ranged with its keyword, one of a group (the first pattern of each pair) without.
(type_binding name: (type_constructor) @name) @definition.type
(type_definition . (type_binding name: (type_constructor) @name) .) @definition.type
(type_binding name: (type_constructor) @name body: (variant_declaration)) @definition.enum
(type_definition . (type_binding name: (type_constructor) @name body: (variant_declaration) @body) .) @definition.enum
(type_binding name: (type_constructor) @name body: (record_declaration)) @definition.struct
(type_definition . (type_binding name: (type_constructor) @name body: (record_declaration) @body) .) @definition.struct
(type_binding name: (type_constructor) @name equation: (polymorphic_variant_type) @body) @definition.enum
(type_definition
  . (type_binding name: (type_constructor) @name equation: (polymorphic_variant_type) @body) .) @definition.enum
; `type t += A` adds to a type that is defined elsewhere.
(type_binding name: (type_constructor_path) @container body: (_) @body)

; Constructors, tags and fields. The fields of an inline record belong to the constructor.
(constructor_declaration (constructor_name) @name) @definition.enumMember
(constructor_declaration (constructor_name) @name (record_declaration) @body) @definition.enumMember
(type_binding equation: (polymorphic_variant_type (tag_specification (tag) @name) @definition.enumMember))
(field_declaration (field_name) @name) @definition.field
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.event
(exception_definition
  (constructor_declaration (constructor_name) @name (record_declaration) @body)) @definition.event

; Modules and module types. One without a structure is an alias or an abstract one, and is its signature.
(module_binding (module_name) @name) @definition.module
(module_definition . (module_binding . (module_name) @name) .) @definition.module
(module_definition . (module_binding . (module_name) @name body: (_) @body) .) @definition.module
((module_definition . (module_binding . (module_name) @name body: (module_path)) .) @definition.module (#set! body none))
((module_definition
  . (module_binding . (module_name) @name
    body: (module_application argument: (parenthesized_module_expression (module_path)))) .) @definition.module
  (#set! body none))
(module_binding . (module_name) @name module_type: (signature) @body !body) @definition.module
(module_definition
  . (module_binding . (module_name) @name module_type: (signature) @body !body) .) @definition.module
(module_binding . (module_name) @name module_type: (signature) @header body: (_) @body) @definition.module
(module_definition
  . (module_binding . (module_name) @name module_type: (signature) @header body: (_) @body) .) @definition.module
; What the parameters of a functor declare belongs to it.
(module_binding
  . (module_name) @name . (module_parameter) @header . (_)? @header . (_)? @header . body: (_) @body) @definition.module
(module_definition . (module_binding
  . (module_name) @name . (module_parameter) @header . (_)? @header . (_)? @header . body: (_) @body) .) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface

; Classes and their members.
(class_binding (class_name) @name) @definition.class
(class_definition . (class_binding (class_name) @name body: (_) @body) .) @definition.class
(class_binding (class_name) @name class_type: (_) @body !body) @definition.class
(class_type_binding (class_type_name) @name) @definition.interface
(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field
(instance_variable_specification (instance_variable_name) @name) @definition.field

; Values and functions. What is bound in an expression is local, whatever it is in.
; A pattern is followed three patterns deep.
(let_binding pattern: (record_pattern (field_pattern . (field_path (field_name) @name) .))) @definition.variable
(let_binding pattern: (_ [(value_name) @name (_ [(value_name) @name (_ (value_name) @name)])])) @definition.variable
(let_binding pattern: (value_name) @name) @definition.variable
(value_definition . (let_binding pattern: (value_name) @name body: (_) @body) .) @definition.variable
((value_definition . (let_binding pattern: (value_name) @name body: [(number) (string) (value_path)]) .) @definition.variable
  (#set! body none))
(let_binding pattern: (value_name) @name (parameter)) @definition.function
(value_definition . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) .) @definition.function
(let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)]) @definition.function
(value_definition
  . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @definition.function
(let_binding pattern: (parenthesized_operator (_) @name)) @definition.operator
(value_definition . (let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) .) @definition.operator
(let_binding pattern: (typed_pattern pattern: (value_name) @name)) @definition.variable
(value_definition . (let_binding pattern: (typed_pattern pattern: (value_name) @name) body: (_) @body) .) @definition.variable
((let_expression) @body (#set! scope function))

; What only has a type: in signatures and interfaces, and what is written in C.
(value_specification (value_name) @name) @definition.variable
(value_specification (value_name) @name type: (function_type)) @definition.function
(value_specification (value_name) @name type: (polymorphic_type type: (function_type))) @definition.function
(value_specification (parenthesized_operator (_) @name)) @definition.operator
(external (value_name) @name) @definition.function
(external (parenthesized_operator (_) @name)) @definition.operator
((value_specification (value_name) @name (item_attribute (attribute_id) @_attribute)) @definition.function
  (#any-of? @_attribute "deprecated" "ocaml.deprecated")
  (#set! flag deprecated))

; `let%test "adds" = ...`, of ppx_inline_test and ppx_expect.
((value_definition (attribute_id) . (let_binding pattern: (string) @name body: (_) @body)) @definition.function
  (#set! flag test))

(comment) @doc
