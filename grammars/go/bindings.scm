(package_clause (package_identifier) @package)

; Imports. A package without another name is called by the last part of its path.
(import_spec !name path: (_) @path)
(import_spec name: (package_identifier) @alias path: (_) @path)
(import_spec name: (dot) @all path: (_) @path)

; Embedded types.
(type_spec type: (struct_type (field_declaration_list (field_declaration !name type: (_) @inherits))))
(type_spec type: (interface_type (type_elem . (_) @inherits .)))

; Fields, parameters and receivers, variables.
(field_declaration name: (field_identifier) @declared type: (_) @type)
(field_declaration !name type: (type_identifier) @declared @type)
(field_declaration !name type: (qualified_type name: (_) @declared) @type)
(field_declaration !name type: (generic_type type: (type_identifier) @declared) @type)
(type_spec name: (_) @declared type: [(type_identifier) (qualified_type) (generic_type)] @type)
(type_alias name: (_) @declared type: [(type_identifier) (qualified_type) (generic_type) (pointer_type)] @type)
(type_parameter_declaration name: (identifier) @parameter type: (_) @type)
(parameter_declaration name: (identifier) @declared type: (_) @type)
(variadic_parameter_declaration name: (identifier) @declared)
(var_spec name: (identifier) @declared type: (_) @type)
(var_spec name: (identifier) @declared value: (expression_list . (_) @value .))
(var_spec
  name: (identifier) @declared
  value: (expression_list . (composite_literal type: [(slice_type) (array_type) (map_type)] @type) .))
(var_spec name: (identifier) @declared)
(const_spec name: (identifier) @declared)
(short_var_declaration
  left: (expression_list . (identifier) @declared)
  right: (expression_list . (type_assertion_expression type: (_) @type) .))
(short_var_declaration
  left: (expression_list . (identifier) @declared .)
  right: (expression_list . (call_expression
    function: (identifier) @_make
    arguments: (argument_list . [(type_identifier) (qualified_type) (slice_type) (map_type) (channel_type)] @type)) .)
  (#eq? @_make "make"))
(short_var_declaration left: (expression_list . (identifier) @declared) right: (expression_list . (_) @value .))
(short_var_declaration left: (expression_list (identifier) @declared))
(receive_statement left: (expression_list (identifier) @declared))
(range_clause left: (expression_list (identifier) @declared))
(range_clause left: (expression_list . (identifier) @declared .) right: (_) @element)
(range_clause left: (expression_list (identifier) . (identifier) @declared) right: (_) @indexed)
(short_var_declaration
  left: (expression_list . (identifier) @declared)
  right: (expression_list . (composite_literal type: [(slice_type) (array_type) (map_type)] @type)))
(type_switch_statement alias: (expression_list (identifier) @declared))

; Results; of several, the first.
(function_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(method_declaration result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(method_elem result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_elem result: (parameter_list . (parameter_declaration type: (_) @returns)))

; Keys of literals, and what they are members of. The elements of a list or map may leave out their
; type.
(composite_literal
  type: [(type_identifier) (qualified_type) (generic_type) (struct_type)] @type
  body: (literal_value (keyed_element key: (literal_element (identifier) @key))))
(composite_literal
  type: [
    (slice_type element: (_) @type)
    (array_type element: (_) @type)
    (implicit_length_array_type element: (_) @type)
    (map_type value: (_) @type)]
  body: (literal_value [
    (literal_element (literal_value (keyed_element key: (literal_element (identifier) @key))))
    (keyed_element value: (literal_element (literal_value (keyed_element key: (literal_element (identifier) @key)))))]))
