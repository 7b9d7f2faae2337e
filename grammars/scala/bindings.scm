; Packages; imports.
(package_clause name: (_) @package !body)
((import_declaration path: _+ @path) @_import (#not-match? @_import "[_*}]$"))
(import_declaration path: _+ @path (namespace_wildcard) @all)
(import_declaration path: _+ @path (namespace_selectors (namespace_wildcard) @all))
(import_declaration path: _+ @path (namespace_selectors (identifier) @name))
(import_declaration path: _+ @path (namespace_selectors (_ name: (_) @name alias: (identifier) @alias)))

; Bases.
(class_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits))
(object_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits))
(trait_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits))
(enum_definition extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits))
(package_object extend: (extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @inherits))

; Type parameters, aliases.
(type_parameters name: (_) @parameter)
(type_parameters name: (_) @parameter . bound: (upper_bound type: (_) @type))
(type_definition name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)

; Parameters, members and variables with types. Parameters of a class are seen in all of it.
(class_parameter name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type) @primary
(parameter name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(parameter name: (_) @declared type: (lazy_parameter_type type: [(type_identifier) (generic_type) (stable_type_identifier)] @type))
(binding name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(val_definition pattern: (identifier) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(var_definition pattern: (identifier) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(val_declaration name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(var_declaration name: (_) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(typed_pattern pattern: (identifier) @declared type: [(type_identifier) (generic_type) (stable_type_identifier)] @type)
(capture_pattern name: (identifier) @declared pattern: (case_class_pattern type: (_) @type))
(capture_pattern name: (identifier) @declared pattern: (typed_pattern type: (_) @type))

; Variables with values.
(val_definition
  pattern: (identifier) @declared
  !type
  value: [(call_expression) (field_expression) (identifier) (instance_expression) (string)] @value)
(var_definition
  pattern: (identifier) @declared
  !type
  value: [(call_expression) (field_expression) (identifier) (instance_expression) (string)] @value)
(val_definition
  pattern: (identifier) @declared
  value: (generic_function
    function: (field_expression field: (identifier) @_as) type_arguments: (type_arguments . (_) @type .))
  (#eq? @_as "asInstanceOf"))
(enumerator . (identifier) @declared "=" . (_) @value)

; Local names of which no more is known. In a pattern, a capital means what has the name already.
(parameter name: (_) @declared)
(binding name: (_) @declared)
(lambda_expression parameters: (identifier) @declared)
(val_definition pattern: (identifier) @declared)
(var_definition pattern: (identifier) @declared)
(enumerator . (identifier) @declared)
(case_clause pattern: (identifier) @declared (#not-match? @declared "^[A-Z`]"))
(tuple_pattern (identifier) @declared (#not-match? @declared "^[A-Z`]"))
(case_class_pattern pattern: (identifier) @declared (#not-match? @declared "^[A-Z`]"))
(infix_pattern (identifier) @declared (#not-match? @declared "^[A-Z`]"))
(capture_pattern name: (identifier) @declared)
(typed_pattern pattern: (identifier) @declared)

; The bodies of types: in one without a name, members are those of another type.
(class_definition body: (template_body) @self)
(object_definition body: (template_body) @self)
(trait_definition body: (template_body) @self)
(enum_definition body: (enum_body) @self)
(package_object body: (template_body) @self)
(instance_expression [(type_identifier) (generic_type) (stable_type_identifier)] @type (template_body) @self)
(infix_expression
  left: (instance_expression [(type_identifier) (generic_type) (stable_type_identifier)] @type)
  operator: (identifier) @_with
  right: (call_expression arguments: (block) @self)
  (#eq? @_with "with"))
(infix_expression
  left: (instance_expression)
  operator: (identifier) @_with
  right: (call_expression function: (identifier) @type arguments: (block) @self)
  (#eq? @_with "with"))

; Blocks in which the members of a value are seen by their bare names.
((block (import_declaration . path: (identifier) @value . (namespace_wildcard))) @opened (#match? @value "^[a-z]"))
((template_body (import_declaration . path: (identifier) @value . (namespace_wildcard))) @opened (#match? @value "^[a-z]"))

; Results.
(function_definition return_type: [(type_identifier) (generic_type) (stable_type_identifier) (singleton_type)] @returns)
(function_declaration return_type: [(type_identifier) (generic_type) (stable_type_identifier) (singleton_type)] @returns)
(function_definition
  !return_type "=" @returns body: [(call_expression) (field_expression) (identifier) (instance_expression)] @value)

; Bodies of types; one without a name has what it extends.
(instance_expression
  . [(type_identifier) (generic_type) (stable_type_identifier)] @type
  (template_body) @self)
(instance_expression (compound_type (_) @type) (template_body) @self)
(class_definition body: (template_body) @self)
(object_definition body: (template_body) @self)
(trait_definition body: (template_body) @self)

; Arguments that give a member its value: of a constructor, and of a copy.
(call_expression
  function: (_) @called
  arguments: (arguments (assignment_expression left: (identifier) @key))
  (#match? @called "^([a-zA-Z0-9_]+\\.)*[A-Z][a-zA-Z0-9_]*$"))
(instance_expression
  . [(type_identifier) (generic_type) (stable_type_identifier)] @called
  arguments: (arguments (assignment_expression left: (identifier) @key)))
(call_expression
  function: (field_expression value: (_) @value field: (identifier) @_copy)
  arguments: (arguments (assignment_expression left: (identifier) @key))
  (#eq? @_copy "copy"))
