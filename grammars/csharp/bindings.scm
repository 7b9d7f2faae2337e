; Imports.
(using_directive !name [(identifier) (qualified_name)] @path) @all
(using_directive name: (identifier) @alias (qualified_name qualifier: (_) @path name: (_) @name))
(using_directive name: (identifier) @alias "=" . (identifier) @path)

; Bases. What is between angle brackets is none.
(base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @inherits)
(base_list (primary_constructor_base_type type: (_) @inherits))

; Fields, properties, parameters and variables.
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @declared)
  (#not-eq? @type "var"))
(variable_declaration
  type: (implicit_type)
  (variable_declarator
    name: (identifier) @declared
    [(object_creation_expression) (invocation_expression) (identifier) (member_access_expression) (await_expression) (string_literal)] @value))
(variable_declaration (variable_declarator name: (identifier) @declared))
(property_declaration type: (_) @type name: (identifier) @declared)
(parameter type: (_) @type name: (identifier) @declared)
(parameter name: (identifier) @declared)
(parameter_list name: (identifier) @declared)
(foreach_statement type: (_) @type left: (identifier) @declared (#not-eq? @type "var"))
(foreach_statement left: (identifier) @declared)
(catch_declaration type: (_) @type name: (identifier) @declared)
(declaration_pattern type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))
(declaration_pattern name: (identifier) @declared)
(declaration_expression type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))
(declaration_expression name: (identifier) @declared)
(tuple_pattern name: (identifier) @declared)
(lambda_expression parameters: (implicit_parameter) @declared)

; Results.
(method_declaration returns: (_) @returns)
(local_function_statement type: (_) @returns)
