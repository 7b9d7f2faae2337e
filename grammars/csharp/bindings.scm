; Imports. One with `global` counts in the files of the project.
(using_directive !name [(identifier) (qualified_name)] @path) @all
(using_directive "global" @everywhere !name [(identifier) (qualified_name)] @path) @all
(using_directive
  name: (identifier) @alias
  (qualified_name qualifier: (_) @path name: [(identifier) @name (generic_name (identifier) @name)]))
(using_directive name: (identifier) @alias "=" . (identifier) @path)

; Bases. What is between angle brackets is none.
(base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @inherits)
(base_list (primary_constructor_base_type type: (_) @inherits))

; Type parameters.
(type_parameter name: (identifier) @parameter)
(type_parameter_constraints_clause
  . (identifier) @parameter . (type_parameter_constraint type: (_) @type))

; Fields, properties, parameters and variables with types.
(class_declaration (parameter_list (parameter type: (_) @type name: (identifier) @member)))
(struct_declaration (parameter_list (parameter type: (_) @type name: (identifier) @member)))
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @declared)
  (#not-eq? @type "var"))
(property_declaration type: (_) @type name: (identifier) @declared)
(parameter type: (_) @type name: (identifier) @declared)
(parameter_list type: (_) @type name: (identifier) @declared)
(foreach_statement type: (_) @type left: (identifier) @declared (#not-eq? @type "var"))
(catch_declaration type: (_) @type name: (identifier) @declared)
(declaration_pattern type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))
(recursive_pattern type: (_) @type name: (identifier) @declared)
(declaration_expression type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))

; Elements.
(foreach_statement
  type: (implicit_type)
  left: (identifier) @declared
  right: [(identifier) (member_access_expression) (invocation_expression) (conditional_access_expression)] @element)

; Variables that get a value.
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @declared
    [(object_creation_expression) (invocation_expression) (identifier) (member_access_expression) (conditional_access_expression) (await_expression) (binary_expression) (string_literal) (interpolated_string_expression) (integer_literal)] @value))
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @declared
    [(cast_expression type: (_) @type) (as_expression right: (_) @type)]))

; Local names of which no more is known.
(variable_declaration (variable_declarator name: (identifier) @declared))
(parameter name: (identifier) @declared)
(foreach_statement left: (identifier) @declared)
(declaration_pattern name: (identifier) @declared)
(recursive_pattern name: (identifier) @declared)
(var_pattern name: (identifier) @declared)
(declaration_expression name: (identifier) @declared)
(tuple_pattern name: (identifier) @declared)
(lambda_expression parameters: (implicit_parameter) @declared)
(from_clause name: (identifier) @declared)
(let_clause . (identifier) @declared)
(join_clause . (identifier) @declared)
(join_into_clause (identifier) @declared)

; Results.
(method_declaration returns: (_) @returns)
(local_function_statement type: (_) @returns)

; Members that are named without a value before them: in patterns, copies and initializers.
(property_pattern_clause (subpattern . [
  (identifier) @key
  (member_access_expression expression: (identifier) @key)
]))
(recursive_pattern
  type: (_) @type
  (property_pattern_clause (subpattern . [
    (identifier) @key
    (member_access_expression expression: (identifier) @key)
  ])))
(is_pattern_expression
  expression: (_) @value
  pattern: (recursive_pattern !type (property_pattern_clause (subpattern . (identifier) @key))))
(switch_expression
  . (_) @value
  (switch_expression_arm
    (recursive_pattern !type (property_pattern_clause (subpattern . (identifier) @key)))))
(switch_statement
  value: (_) @value
  body: (switch_body (switch_section
    (recursive_pattern !type (property_pattern_clause (subpattern . (identifier) @key))))))
(with_expression . (_) @value (with_initializer . (identifier) @key))
(object_creation_expression
  type: (_) @type
  initializer: (initializer_expression (assignment_expression left: (identifier) @key)))
(variable_declaration
  type: (_) @type
  (variable_declarator (implicit_object_creation_expression
    (initializer_expression (assignment_expression left: (identifier) @key)))))
(object_creation_expression type: (_) @called arguments: (argument_list (argument name: (identifier) @key)))
