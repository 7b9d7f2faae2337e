; Bases. What is between angle brackets is none.
(extends_clause value: (_) @inherits)
(implements_clause (_) @inherits)
(extends_type_clause type: (_) @inherits)

; Imports of other forms.
(import_statement (import_require_clause (identifier) @alias (string) @path))

; Types.
(required_parameter pattern: (identifier) @declared type: (type_annotation) @type)
(required_parameter pattern: (identifier) @declared)
(optional_parameter pattern: (identifier) @declared type: (type_annotation) @type)
(optional_parameter pattern: (identifier) @declared)
(variable_declarator name: (identifier) @declared type: (type_annotation) @type)
(public_field_definition name: (_) @declared type: (type_annotation) @type)
(public_field_definition name: (_) @declared value: [(new_expression) (call_expression) (identifier) (member_expression)] @value)
(property_signature name: (_) @declared type: (type_annotation) @type)

; Results.
(function_declaration return_type: (type_annotation) @returns)
(function_signature return_type: (type_annotation) @returns)
(method_definition return_type: (type_annotation) @returns)
(method_signature return_type: (type_annotation) @returns)
(abstract_method_signature return_type: (type_annotation) @returns)
(arrow_function return_type: (type_annotation) @returns)
