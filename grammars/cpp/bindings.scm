; Files; names of namespaces, and members that a class takes over; other names of namespaces.
(preproc_include path: [(string_literal) (system_lib_string)] @included)
(using_declaration "namespace" @all [(identifier) (qualified_identifier)] @path)
(translation_unit (using_declaration "using" . (qualified_identifier) @path))
(declaration_list (using_declaration "using" . (qualified_identifier) @path))
(compound_statement (using_declaration "using" . (qualified_identifier) @path))
(field_declaration_list (using_declaration
  "using"
  . (qualified_identifier name: [
    (identifier) @member
    (qualified_identifier name: [(identifier) @member (qualified_identifier name: (identifier) @member)])
  ]) @value))
(namespace_alias_definition name: (_) @alias . (_) @path)

; Bases. Arguments of a template are none.
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @inherits)

; Parameters of templates.
(type_parameter_declaration (type_identifier) @parameter)
(variadic_type_parameter_declaration (type_identifier) @parameter)
(optional_type_parameter_declaration name: (type_identifier) @parameter)

; Everything that is declared, by the depth of the name in its declarator. Pointers, references, arrays and functions count as what
; they lead to.
(parameter_declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: (identifier) @declared)])])])
(optional_parameter_declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: (identifier) @declared)])])
(declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: (identifier) @declared)])])])
(field_declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(field_identifier) @declared (reference_declarator (field_identifier) @declared) (_ declarator: [(field_identifier) @declared (reference_declarator (field_identifier) @declared) (_ declarator: [(field_identifier) @declared (reference_declarator (field_identifier) @declared) (_ declarator: (field_identifier) @declared)])])])
(type_definition
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(type_identifier) @declared (reference_declarator (type_identifier) @declared) (_ declarator: [(type_identifier) @declared (reference_declarator (type_identifier) @declared) (_ declarator: (type_identifier) @declared)])])
(function_definition
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [
    (_ declarator: [(identifier) (field_identifier)] @declared)
    (_ declarator: (qualified_identifier name: (identifier) @declared))
    (_ [
      (_ declarator: [(identifier) (field_identifier)] @declared)
      (_ declarator: (qualified_identifier name: (identifier) @declared))
      (_ declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @declared)))
    ])
    (_ declarator: (qualified_identifier name: (qualified_identifier name: (identifier) @declared)))
  ])
(field_declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: (reference_declarator (_ declarator: (field_identifier) @declared)))
(declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: (reference_declarator (_ declarator: (identifier) @declared)))
; What operators return that give access to other values.
(function_definition
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [
    (function_declarator declarator: [(operator_name) @declared (qualified_identifier name: (operator_name) @declared)])
    (_ declarator: (function_declarator declarator: [(operator_name) @declared (qualified_identifier name: (operator_name) @declared)]))
    (reference_declarator (function_declarator declarator: [(operator_name) @declared (qualified_identifier name: (operator_name) @declared)]))
  ])
(field_declaration
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [
    (function_declarator declarator: (operator_name) @declared)
    (_ declarator: (function_declarator declarator: (operator_name) @declared))
    (reference_declarator (function_declarator declarator: (operator_name) @declared))
  ])
(for_range_loop
  type: [
    (struct_specifier name: (_) @type)
    (class_specifier name: (_) @type)
    (union_specifier name: (_) @type)
    (type_identifier) @type
    (qualified_identifier) @type
    (template_type) @type
    (primitive_type) @type
    (sized_type_specifier) @type
  ]
  declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (pointer_declarator declarator: (identifier) @declared)])
(for_range_loop
  type: (placeholder_type_specifier)
  declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (pointer_declarator declarator: (identifier) @declared)]
  right: [(identifier) (field_expression) (qualified_identifier) (pointer_expression)] @element)
(alias_declaration
  name: (type_identifier) @declared
  type: (type_descriptor type: [(type_identifier) (qualified_identifier) (template_type)] @type))

; What a variable gets whose type is not written: what a template makes, or is converted to, and any other value.
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
    value: (call_expression function: [
      (template_function name: (identifier) @_make arguments: (template_argument_list . (type_descriptor type: [(type_identifier) (qualified_identifier)] @type)))
      (qualified_identifier name: (template_function name: (identifier) @_make arguments: (template_argument_list . (type_descriptor type: [(type_identifier) (qualified_identifier)] @type))))
    ]))
  (#any-of? @_make "static_cast" "dynamic_cast" "reinterpret_cast" "const_cast"))
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
    value: (call_expression function: [
      (template_function name: (identifier) @_make) @type
      (qualified_identifier name: (template_function name: (identifier) @_make)) @type
    ]))
  (#any-of? @_make "make_unique" "make_shared" "static_pointer_cast" "dynamic_pointer_cast"))
(declaration
  type: (placeholder_type_specifier)
  declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
  value: (call_expression function: (template_function name: (identifier) @_make arguments: (template_argument_list . (type_descriptor type: [(type_identifier) (qualified_identifier)] @type))))
  (#any-of? @_make "static_cast" "dynamic_cast"))
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
    value: [(call_expression) (new_expression) (identifier) (qualified_identifier) (field_expression) (pointer_expression) (string_literal) (number_literal)] @value)
  (#not-match? @value "^(::)?std::(move|move_if_noexcept|forward|as_const)\\W"))
(declaration
  type: (placeholder_type_specifier)
  declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
  value: [(call_expression) (new_expression) (identifier) (qualified_identifier) (field_expression) (pointer_expression) (string_literal) (number_literal)] @value
  (#not-match? @value "^(::)?std::(move|move_if_noexcept|forward|as_const)\\W"))
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)]
    value: (call_expression function: (_) @_passing arguments: (argument_list . [(identifier) (qualified_identifier) (field_expression) (pointer_expression)] @value .)))
  (#match? @_passing "^(::)?std::(move|move_if_noexcept|forward|as_const)\\b"))

; Local names of which no more is known.
(declaration declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: (identifier) @declared)])])
(parameter_declaration declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: [(identifier) @declared (reference_declarator (identifier) @declared) (_ declarator: (identifier) @declared)])])
(parameter_declaration declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @declared))))
(variadic_parameter_declaration declarator: (_ (identifier) @declared))
(for_range_loop declarator: [(identifier) @declared (_ declarator: (identifier) @declared) (reference_declarator (identifier) @declared)])
(structured_binding_declarator (identifier) @declared)
(lambda_capture_initializer left: (identifier) @declared)
