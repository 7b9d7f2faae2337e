; Bases. An extension names its type.
(class_declaration name: (type_identifier) (inheritance_specifier inherits_from: (user_type) @inherits))
(class_declaration
  declaration_kind: "extension" name: (user_type) @owner (inheritance_specifier inherits_from: (user_type) @inherits))
(protocol_declaration (inheritance_specifier inherits_from: (user_type) @inherits))

; Type parameters, other names of types.
(type_parameter . (type_identifier) @parameter .)
(type_parameter . (type_identifier) @parameter [(user_type) (opaque_type) (existential_type)] @type)
(typealias_declaration name: (type_identifier) @declared (user_type) @type)
(typealias_declaration name: (type_identifier) @declared (protocol_composition_type) @type)
(associatedtype_declaration name: (type_identifier) @declared (user_type) @type)

; Parameters, properties and variables with types.
(parameter
  name: (simple_identifier) @declared
  [(user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)] @type)
(lambda_parameter
  name: (simple_identifier) @declared
  [(user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)] @type)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @declared)
  . (type_annotation [
    (user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)
  ] @type))
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @declared)
  (type_annotation [
    (user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)
  ] @type))

; Variables with values.
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @declared)
  . value: [(call_expression) (navigation_expression) (simple_identifier) (line_string_literal)] @value)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @declared)
  . value: [(try_expression (call_expression) @value) (await_expression (call_expression) @value)])
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @declared)
  . value: (as_expression [(user_type) (optional_type)] @type))
(guard_statement
  bound_identifier: (simple_identifier) @declared
  . [(call_expression) (navigation_expression) (simple_identifier)] @value)
(guard_statement
  bound_identifier: (simple_identifier) @declared
  . (as_expression (user_type) @type))
(if_statement
  bound_identifier: (simple_identifier) @declared
  . [(call_expression) (navigation_expression) (simple_identifier)] @value)
(if_statement
  bound_identifier: (simple_identifier) @declared
  . (as_expression (user_type) @type))

; Elements.
(for_statement item: (pattern bound_identifier: (simple_identifier) @declared) collection: (_) @element)
(call_expression
  (navigation_expression target: (_) @element suffix: (navigation_suffix suffix: (simple_identifier) @_method))
  (call_suffix (lambda_literal type: (lambda_function_type
    (lambda_function_type_parameters . (lambda_parameter name: (simple_identifier) @declared) .))))
  (#match? @_method "^(?:forEach|filter|map|compactMap|flatMap|first|last|contains|allSatisfy|firstIndex|removeAll|drop|prefix)$"))

; Local names of which no more is known. One that is only unwrapped (`if let item {`) keeps its type.
(parameter name: (simple_identifier) @declared)
(lambda_parameter name: (simple_identifier) @declared)
(pattern bound_identifier: (simple_identifier) @declared)
(pattern (pattern (simple_identifier) @declared))
(guard_statement bound_identifier: (simple_identifier) @declared . "=")
(if_statement bound_identifier: (simple_identifier) @declared . "=")
(while_statement bound_identifier: (simple_identifier) @declared . "=")

; Results.
(function_declaration
  name: [(user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)] @returns)
(protocol_function_declaration
  name: [(user_type) (optional_type) (opaque_type) (existential_type) (array_type) (dictionary_type)] @returns)

; Members of a type that is written or known elsewhere: cases in patterns, values, key paths.
(switch_statement
  expr: (_) @value
  (switch_entry (switch_pattern (pattern . "." . (simple_identifier) @key))))
(switch_statement
  expr: (_) @value
  (switch_entry (switch_pattern (pattern . (value_binding_pattern) . "." . (simple_identifier) @key))))
(pattern (user_type) @type . "." . (simple_identifier) @key)
(pattern (pattern . "." . (simple_identifier) @key))
(property_declaration
  (type_annotation [(user_type) (optional_type)] @type)
  value: [
    (prefix_expression "." target: (simple_identifier) @key)
    (call_expression . (prefix_expression "." target: (simple_identifier) @key))
  ])
(equality_expression lhs: (_) @value rhs: (prefix_expression "." target: (simple_identifier) @key))
(function_declaration
  name: [(user_type) (optional_type)] @type
  body: (function_body (statements (control_transfer_statement
    result: [
      (prefix_expression "." target: (simple_identifier) @key)
      (call_expression . (prefix_expression "." target: (simple_identifier) @key))
    ]))))
((navigation_expression
  target: (key_path_expression) @_path
  suffix: (navigation_suffix suffix: (simple_identifier) @key))
  (#eq? @_path "\\"))
