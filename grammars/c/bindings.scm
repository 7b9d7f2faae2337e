(preproc_include path: [(string_literal) (system_lib_string)] @included)

; Everything that is declared, by the depth of the name in its declarator. Pointers, arrays and functions count as what they lead to.
(parameter_declaration
  type: [(struct_specifier name: (_) @type) (union_specifier name: (_) @type) (type_identifier) @type (primitive_type) @type (sized_type_specifier) @type]
  declarator: [
    (identifier) @declared
    (_ declarator: [
      (identifier) @declared
      (_ declarator: [
        (identifier) @declared
        (_ declarator: (identifier) @declared)
      ])
    ])
  ])
(declaration
  type: [(struct_specifier name: (_) @type) (union_specifier name: (_) @type) (type_identifier) @type (primitive_type) @type (sized_type_specifier) @type]
  declarator: [
    (identifier) @declared
    (_ declarator: [
      (identifier) @declared
      (_ declarator: [
        (identifier) @declared
        (_ declarator: [
          (identifier) @declared
          (_ declarator: (identifier) @declared)
        ])
        (parenthesized_declarator (_ declarator: (identifier) @declared))
      ])
      (parenthesized_declarator (_ declarator: (identifier) @declared))
    ])
  ])
(field_declaration
  type: [(struct_specifier name: (_) @type) (union_specifier name: (_) @type) (type_identifier) @type (primitive_type) @type (sized_type_specifier) @type]
  declarator: [
    (field_identifier) @declared
    (_ declarator: [
      (field_identifier) @declared
      (_ declarator: [
        (field_identifier) @declared
        (_ declarator: (field_identifier) @declared)
        (parenthesized_declarator (_ declarator: (field_identifier) @declared))
      ])
      (parenthesized_declarator (_ declarator: (field_identifier) @declared))
    ])
  ])
(type_definition
  type: [(struct_specifier name: (_) @type) (union_specifier name: (_) @type) (type_identifier) @type (primitive_type) @type (sized_type_specifier) @type]
  declarator: [
    (type_identifier) @declared
    (_ declarator: [
      (type_identifier) @declared
      (_ declarator: (type_identifier) @declared)
    ])
  ])
(function_definition
  type: [(struct_specifier name: (_) @type) (union_specifier name: (_) @type) (type_identifier) @type (primitive_type) @type (sized_type_specifier) @type]
  declarator: [
    (_ declarator: [
      (identifier) @declared
      (_ declarator: [
        (identifier) @declared
        (_ declarator: (identifier) @declared)
      ])
    ])
  ])

; Names of which no more is known, such as those of enums and of types without a name.
(parameter_declaration declarator: [(identifier) @declared (_ declarator: [(identifier) @declared (_ declarator: (identifier) @declared)])])
(parameter_declaration declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @declared))))
(declaration declarator: [(identifier) @declared (_ declarator: [(identifier) @declared (_ declarator: (identifier) @declared)])])
(declaration declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @declared))))
