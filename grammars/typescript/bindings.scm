; Bases, with their arguments.
(class_declaration name: (_) (class_heritage (extends_clause value: (_) @inherits type_arguments: (_)? @inherits)))
(class_declaration name: (_) (class_heritage (implements_clause (_) @inherits)))
(abstract_class_declaration (class_heritage (extends_clause value: (_) @inherits type_arguments: (_)? @inherits)))
(abstract_class_declaration (class_heritage (implements_clause (_) @inherits)))
(class name: (_) (class_heritage (extends_clause value: (_) @inherits type_arguments: (_)? @inherits)))
(class name: (_) (class_heritage (implements_clause (_) @inherits)))
(variable_declarator value: (class (class_heritage (extends_clause value: (_) @inherits type_arguments: (_)? @inherits))))
(variable_declarator value: (class (class_heritage (implements_clause (_) @inherits))))
(assignment_expression right: (class (class_heritage (extends_clause value: (_) @inherits type_arguments: (_)? @inherits))))
(extends_type_clause type: (_) @inherits)

; Imports of other forms.
(import_statement (import_require_clause (identifier) @alias (string) @path))

; An export instead of all others.
(export_statement "=" @alias (identifier) @name)
(export_statement "=" @declared [(new_expression) (call_expression) (member_expression)] @value)

; Types: those that name one, so that others stay unknown.
(required_parameter pattern: (identifier) @declared type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @type))
(required_parameter pattern: (identifier) @declared)
(optional_parameter pattern: (identifier) @declared type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @type))
(optional_parameter pattern: (identifier) @declared)
(variable_declarator name: (identifier) @declared value: (as_expression (_) . (_) @type))
(variable_declarator name: (identifier) @declared type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @type))
(public_field_definition name: (_) @declared type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @type))
(public_field_definition name: (_) @declared value: [(new_expression) (call_expression) (identifier) (member_expression)] @value)
(type_alias_declaration name: (_) @declared value: [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type)] @type)
(type_parameter name: (type_identifier) @parameter !constraint)
(type_parameter name: (type_identifier) @parameter constraint: (constraint (_) @type))
(property_signature name: (_) @declared type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @type))

; Parameters of functions that collections call for each of their elements, and promises for their results.
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @declared)
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @declared !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (identifier) @declared !type)))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @declared !type)))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @declared !type)))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @declared !type)))
    (function_expression parameters: (formal_parameters . (_) . (required_parameter pattern: (identifier) @declared !type)))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
    (function_expression parameters: (formal_parameters . (_) . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
    (function_expression parameters: (formal_parameters . (_) . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @declared)
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @declared !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (identifier) @declared !type)))
  ])
  (#any-of? @_method "then"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) !type)))
  ])
  (#any-of? @_method "then"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
    (function_expression parameters: (formal_parameters . (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type)))
  ])
  (#any-of? @_method "then"))

; Parameters of functions without a name, whose types the code around these tells.
(variable_declarator
  type: (type_annotation (_) @type)
  value: [
    (arrow_function parameter: (identifier) @declared @nth)
    (arrow_function parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
  ])
(public_field_definition
  type: (type_annotation (_) @type)
  value: [
    (arrow_function parameter: (identifier) @declared @nth)
    (arrow_function parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
  ])
(assignment_expression
  left: [(member_expression) (identifier)] @value
  right: [
    (arrow_function parameter: (identifier) @declared @nth)
    (arrow_function parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
  ])
(call_expression
  function: (_) @called
  arguments: (arguments [
    (arrow_function parameter: (identifier) @declared @nth)
    (arrow_function parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: [(identifier) @declared (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])] !type) @nth))
  ] @argument))
(variable_declarator
  type: (type_annotation (_) @type)
  value: [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
  ])
(public_field_definition
  type: (type_annotation (_) @type)
  value: [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
  ])
(assignment_expression
  left: [(member_expression) (identifier)] @value
  right: [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
  ])
(call_expression
  function: (_) @called
  arguments: (arguments [
    (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
    (function_expression parameters: (formal_parameters (required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) !type) @nth))
  ] @argument))

; Results.
(function_declaration return_type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @returns))
(function_signature return_type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @returns))
(method_definition return_type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @returns))
(method_signature return_type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @returns))
(abstract_method_signature return_type: (type_annotation [(type_identifier) (nested_type_identifier) (generic_type) (union_type) (intersection_type) (parenthesized_type) (predefined_type) (array_type) (readonly_type) (tuple_type) (this_type)] @returns))
(variable_declarator
  name: (identifier) @declared
  value: [(arrow_function return_type: (type_annotation (_) @type)) (function_expression return_type: (type_annotation (_) @type))])
(public_field_definition name: (_) @declared value: (arrow_function return_type: (type_annotation (_) @type)))

; Keys of literals and names in patterns, and what they are members of.
(abstract_class_declaration body: (class_body) @self)
(required_parameter pattern: (this) @declared type: (type_annotation (_) @type))
(variable_declarator type: (type_annotation (_) @type) value: (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
(variable_declarator type: (type_annotation (array_type (_) @type)) value: (array (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)])))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) type: (type_annotation (_) @type))
(public_field_definition type: (type_annotation (_) @type) value: (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
(required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) type: (type_annotation (_) @type))
(required_parameter type: (type_annotation (_) @type) value: (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
(as_expression (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]) . [(type_identifier) (nested_type_identifier) (generic_type)] @type)
(satisfies_expression (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]) . [(type_identifier) (nested_type_identifier) (generic_type)] @type)
(assignment_expression left: [(member_expression) (identifier)] @value right: (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
(arrow_function return_type: (type_annotation (_) @type) body: (parenthesized_expression (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)])))
(function_declaration
  return_type: (type_annotation (_) @type)
  body: (statement_block [
    (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
    (if_statement consequence: (statement_block (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))))]))
(method_definition
  return_type: (type_annotation (_) @type)
  body: (statement_block [
    (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
    (if_statement consequence: (statement_block (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))))]))
(arrow_function
  return_type: (type_annotation (_) @type)
  body: (statement_block [
    (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))
    (if_statement consequence: (statement_block (return_statement (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]))))]))
(call_expression function: (_) @called arguments: (arguments (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]) @argument))
(new_expression constructor: (_) @called arguments: (arguments (object [(pair key: (property_identifier) @key) (shorthand_property_identifier) @key (method_definition name: (property_identifier) @key)]) @argument))

; Members of objects behind `as const` and `satisfies`.
(variable_declarator name: (identifier) @declared value: [(as_expression (object (shorthand_property_identifier) @member @value)) (satisfies_expression (object (shorthand_property_identifier) @member @value))])

; Names that take members of a value of a type.
(required_parameter pattern: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) type: (type_annotation (_) @type))
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) type: (type_annotation (_) @type))

; Names in the pattern of what a component of a declared type is given.
(variable_declarator
  type: (type_annotation (generic_type) @component)
  value: (arrow_function parameters: (formal_parameters . (required_parameter !type pattern: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))))

; Names that a file declares for all files.
(ambient_declaration "global" (statement_block [
  (function_signature name: (_) @ambient)
  (function_declaration name: (_) @ambient)
  (interface_declaration name: (_) @ambient)
  (class_declaration name: (_) @ambient)
  (abstract_class_declaration name: (_) @ambient)
  (enum_declaration name: (_) @ambient)
  (type_alias_declaration name: (_) @ambient)
  (variable_declaration (variable_declarator name: (identifier) @ambient))
  (lexical_declaration (variable_declarator name: (identifier) @ambient))
  (expression_statement (internal_module name: (identifier) @ambient))
  (export_statement declaration: [
    (function_signature name: (_) @ambient)
    (interface_declaration name: (_) @ambient)
    (class_declaration name: (_) @ambient)
    (enum_declaration name: (_) @ambient)
    (type_alias_declaration name: (_) @ambient)
    (internal_module name: (identifier) @ambient)
    (variable_declaration (variable_declarator name: (identifier) @ambient))
    (lexical_declaration (variable_declarator name: (identifier) @ambient))
  ])
]))

; What any other member of a type is.
(interface_body (index_signature "[" @member type: (type_annotation (_) @type)))
(class_body (index_signature "[" @member type: (type_annotation (_) @type)))
(type_alias_declaration value: (object_type (index_signature "[" @member type: (type_annotation (_) @type))))
