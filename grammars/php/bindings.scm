; Imports.
(namespace_use_clause (qualified_name prefix: (_) @path (name) @name) !alias)
(namespace_use_clause (qualified_name prefix: (_) @path (name) @name) alias: (name) @alias)
(namespace_use_clause (qualified_name !prefix (name) @path) !alias)
(namespace_use_clause (qualified_name !prefix (name) @path) alias: (name) @alias)
(namespace_use_declaration (namespace_use_clause . (name) @path !alias))
(namespace_use_declaration (namespace_use_clause . (name) @path alias: (name) @alias))
(namespace_use_declaration
  (namespace_name) @path body: (_ (namespace_use_clause . (name) @name !alias)))
(namespace_use_declaration
  (namespace_name) @path body: (_ (namespace_use_clause . (name) @name alias: (name) @alias)))

; Bases and traits.
(class_declaration (base_clause (_) @inherits))
(interface_declaration (base_clause (_) @inherits))
(class_declaration (class_interface_clause (_) @inherits))
(enum_declaration (class_interface_clause (_) @inherits))
(class_declaration body: (_ (use_declaration [(name) (qualified_name) (relative_name)] @inherits)))
(trait_declaration body: (_ (use_declaration [(name) (qualified_name) (relative_name)] @inherits)))
(enum_declaration body: (_ (use_declaration [(name) (qualified_name) (relative_name)] @inherits)))

; Properties, parameters and variables.
(property_declaration
  type: (_) @type (property_element name: (variable_name (name) @declared)))
(property_promotion_parameter type: (_) @type name: (variable_name (name) @declared))
(property_promotion_parameter type: (_) @type name: (variable_name) @declared)
(simple_parameter type: (_) @type name: (variable_name) @declared)
(simple_parameter name: (variable_name) @declared)
(variadic_parameter name: (variable_name) @declared)
(assignment_expression
  left: (variable_name) @declared
  right: [(object_creation_expression) (clone_expression) (scoped_call_expression) (member_call_expression) (function_call_expression) (member_access_expression) (variable_name) (string) (encapsed_string) (array_creation_expression) (integer)] @value)
(assignment_expression left: (variable_name) @declared)
(catch_clause type: (type_list . (_) @type .) name: (variable_name) @declared)
(catch_clause name: (variable_name) @declared)
(foreach_statement . (_) . (variable_name) @declared)
(foreach_statement (pair (variable_name) @declared))
(foreach_statement (by_ref (variable_name) @declared))
(list_literal (variable_name) @declared)
(global_declaration (variable_name) @declared)
(static_variable_declaration name: (variable_name) @declared)

; The bodies of types: in one without a name, members are those of another type.
(class_declaration body: (declaration_list) @self)
(trait_declaration body: (declaration_list) @self)
(interface_declaration body: (declaration_list) @self)
(enum_declaration body: (enum_declaration_list) @self)
(anonymous_class (base_clause (_) @type) body: (declaration_list) @self)
(anonymous_class body: (declaration_list (use_declaration [(name) (qualified_name) (relative_name)] @type)) @self)
(anonymous_class (class_interface_clause (_) @type) body: (declaration_list) @self)
(anonymous_class . "class" @type . body: (declaration_list) @self)
(anonymous_class . "class" @type . (arguments) . body: (declaration_list) @self)

; Results.
(method_declaration return_type: (_) @returns)
(function_definition return_type: (_) @returns)

; Names that mean those of the script.
(global_declaration (variable_name (name) @global))
(program (expression_statement [
  (assignment_expression right: (anonymous_function (anonymous_function_use_clause (variable_name (name) @global))))
  (_ arguments: (arguments (argument (anonymous_function (anonymous_function_use_clause (variable_name (name) @global))))))
]))
; Arguments that give a member its value.
(object_creation_expression . (_) @called (arguments (argument name: (name) @key)))
(attribute . (_) @called parameters: (arguments (argument name: (name) @key)))

; Methods of traits that get another name or are chosen.
(use_list (use_as_clause . [(name) @name (class_constant_access_expression . (_) . (name) @name)] (name) @member .))
(use_declaration
  [(name) (qualified_name) (relative_name)] @type
  (use_list (use_as_clause . (name) @key)))
