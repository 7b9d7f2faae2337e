; Imports. A package without another name is called by the last part of its path.
(import_spec !name path: (_) @path)
(import_spec name: (package_identifier) @alias path: (_) @path)
(import_spec name: (dot) @all path: (_) @path)

; Embedded types.
(field_declaration !name type: (_) @inherits)
(interface_type (type_elem . (_) @inherits .))

; Fields, parameters and receivers, variables.
(field_declaration name: (field_identifier) @declared type: (_) @type)
(parameter_declaration name: (identifier) @declared type: (_) @type)
(variadic_parameter_declaration name: (identifier) @declared)
(var_spec name: (identifier) @declared type: (_) @type)
(var_spec name: (identifier) @declared value: (expression_list . (_) @value .))
(const_spec name: (identifier) @declared)
(short_var_declaration left: (expression_list . (identifier) @declared) right: (expression_list . (_) @value .))
(short_var_declaration left: (expression_list (identifier) @declared))
(range_clause left: (expression_list (identifier) @declared))
(type_switch_statement alias: (expression_list (identifier) @declared))

; Results; of several, the first.
(function_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(method_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(method_elem result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_elem result: (parameter_list . (parameter_declaration type: (_) @returns)))
