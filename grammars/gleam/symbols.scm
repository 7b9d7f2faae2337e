; Types. That of one constructor is a struct.
(type_definition (type_name name: (type_identifier) @name) (data_constructors) @body) @definition.enum
(type_definition
  (type_name name: (type_identifier) @name)
  (data_constructors . [(statement_comment) (comment)]* . (data_constructor) .) @body) @definition.struct
(type_alias (type_name name: (type_identifier) @name)) @definition.type
(external_type (type_name name: (type_identifier) @name)) @definition.type

; Constructors and fields. These belong to the type; those of an opaque type can be seen in its module only.
(data_constructor name: (constructor_name) @name) @definition.enumMember
((type_definition
  (opacity_modifier)
  (data_constructors (data_constructor name: (constructor_name) @name) @definition.enumMember))
  (#set! visibility private))
(data_constructor_argument label: (label) @name) @definition.field
((type_definition
  (opacity_modifier)
  (data_constructors (data_constructor
    arguments: (data_constructor_arguments (data_constructor_argument label: (label) @name) @definition.field))))
  (#set! visibility private))

; Functions and constants. A function without a body is written in Erlang or JavaScript.
(function name: (identifier) @name) @definition.function
(let pattern: (identifier) @name value: (anonymous_function body: (_) @body)) @definition.function
(constant name: (identifier) @name) @definition.constant

[(comment) (statement_comment) (module_comment)] @doc
((attribute) @doc (#set! doc attribute))
