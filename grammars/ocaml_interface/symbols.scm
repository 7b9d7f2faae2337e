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

; Modules and module types.
(module_binding (module_name) @name) @definition.module
(module_definition . (module_binding . (module_name) @name) .) @definition.module
(module_binding . (module_name) @name module_type: (signature) @body) @definition.module
(module_definition . (module_binding . (module_name) @name module_type: (signature) @body) .) @definition.module
; What the parameters of a functor declare belongs to it.
(module_binding . (module_name) @name . (module_parameter) @header . (_)? @header . module_type: (_) @body .) @definition.module
(module_definition . (module_binding
  . (module_name) @name . (module_parameter) @header . (_)? @header . module_type: (_) @body .) .) @definition.module
((module_definition . (module_binding . (module_name) @name body: (module_path)) .) @definition.module (#set! body none))
(module_type_definition (module_type_name) @name) @definition.interface

; Classes and their members.
(class_binding (class_name) @name class_type: (_) @body) @definition.class
(class_definition . (class_binding (class_name) @name class_type: (_) @body) .) @definition.class
(class_type_binding (class_type_name) @name) @definition.interface
(method_specification (method_name) @name) @definition.method
(instance_variable_specification (instance_variable_name) @name) @definition.field

; Values and functions: their definitions stand in the `.ml` file of the same name. What is external is written in C.
((value_specification (value_name) @name) @definition.variable (#set! role declaration))
((value_specification (value_name) @name type: (function_type)) @definition.function (#set! role declaration))
((value_specification (value_name) @name type: (polymorphic_type type: (function_type))) @definition.function
  (#set! role declaration))
((value_specification (parenthesized_operator (_) @name)) @definition.operator (#set! role declaration))
(external (value_name) @name) @definition.function
(external (parenthesized_operator (_) @name)) @definition.operator
((value_specification (value_name) @name (item_attribute (attribute_id) @_attribute)) @definition.function
  (#any-of? @_attribute "deprecated" "ocaml.deprecated")
  (#set! flag deprecated)
  (#set! role declaration))

(comment) @doc
