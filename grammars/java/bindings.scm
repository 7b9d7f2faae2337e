; The package; imports.
(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration (scoped_identifier scope: (_) @path name: (_) @name) .)
(import_declaration (_) @path (asterisk) @all)

; Bases. What is between angle brackets is none.
(superclass (_) @inherits)
(super_interfaces (type_list (_) @inherits))
(extends_interfaces (type_list (_) @inherits))

; Type parameters, perhaps with a bound.
(type_parameter (type_identifier) @parameter (type_bound . (_) @type)?)

; Fields, parameters and variables with types.
(field_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @declared))
(constant_declaration type: (_) @type declarator: (variable_declarator name: (identifier) @declared))
(formal_parameter type: (_) @type name: (identifier) @declared)
(local_variable_declaration
  type: (_) @type declarator: (variable_declarator name: (identifier) @declared)
  (#not-eq? @type "var"))
(local_variable_declaration
  type: (_) @_var
  declarator: (variable_declarator
    name: (identifier) @declared
    value: [(object_creation_expression) (method_invocation) (identifier) (field_access) (string_literal)] @value)
  (#eq? @_var "var"))
(enhanced_for_statement type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))
(resource type: (_) @type name: (identifier) @declared (#not-eq? @type "var"))
(resource type: (_) @_var name: (identifier) @declared value: (_) @value (#eq? @_var "var"))
(enhanced_for_statement type: (_) @_var name: (identifier) @declared value: (_) @element (#eq? @_var "var"))
(method_invocation
  object: (_) @element
  name: (identifier) @_method
  arguments: (argument_list . (lambda_expression parameters: [
    (identifier) @declared
    (inferred_parameters . (identifier) @declared .)]))
  (#any-of? @_method "forEach" "forEachOrdered" "filter" "map" "flatMap" "mapToInt" "mapToLong" "mapToDouble" "anyMatch" "allMatch" "noneMatch" "removeIf" "peek" "takeWhile" "dropWhile" "ifPresent" "ifPresentOrElse"))
(instanceof_expression right: (_) @type name: (identifier) @declared)
(catch_formal_parameter (catch_type . (_) @type .) name: (identifier) @declared)

; Local names of which no more is known.
(local_variable_declaration declarator: (variable_declarator name: (identifier) @declared))
(spread_parameter (variable_declarator name: (identifier) @declared))
(enhanced_for_statement name: (identifier) @declared)
(resource name: (identifier) @declared)
(catch_formal_parameter name: (identifier) @declared)
(lambda_expression parameters: (identifier) @declared)
(inferred_parameters (identifier) @declared)
(type_pattern (_) @type . (identifier) @declared)
(type_pattern (identifier) @declared)
(record_pattern_component (identifier) @declared)
(record_pattern_component (_) @type . (identifier) @declared (#not-eq? @type "var"))

(local_variable_declaration
  type: (_) @_var
  declarator: (variable_declarator name: (identifier) @declared value: (cast_expression type: (_) @type))
  (#eq? @_var "var"))

; The bodies of types: in one without a name, members are those of another type.
(object_creation_expression type: (_) @type (class_body) @self)
(class_declaration body: (class_body) @self)
(enum_declaration body: (enum_body) @self)
(record_declaration body: (class_body) @self)
(interface_declaration body: (interface_body) @self)

; Results.
(method_declaration type: (_) @returns)
(annotation_type_element_declaration type: (_) @returns)

; A name after `case` may be a constant of the enumeration.
(switch_expression
  condition: (parenthesized_expression (_) @value)
  body: (switch_block (_ (switch_label (identifier) @key))))

; Elements of annotations.
(annotation name: (_) @type arguments: (annotation_argument_list (element_value_pair key: (identifier) @key)))
