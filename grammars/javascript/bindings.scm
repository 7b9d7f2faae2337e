; TypeScript and TSX build on this file.

; Imports.
(import_statement (import_clause (identifier) @default) source: (_) @path)
(import_statement (import_clause (namespace_import (identifier) @alias) @all) source: (_) @path)
(import_statement (import_clause (named_imports (import_specifier name: (_) @name !alias))) source: (_) @path)
(import_statement (import_clause (named_imports (import_specifier name: (_) @name alias: (_) @alias))) source: (_) @path)
(variable_declarator
  name: (identifier) @alias
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name)
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
  (#eq? @_require "require"))
(variable_declarator
  name: (object_pattern (pair_pattern key: (_) @name value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
  (#eq? @_require "require"))

; Exports under another name, from here or from elsewhere.
(export_statement (export_clause (export_specifier name: [(_) "default"] @name !alias)) source: (_) @path)
(export_statement (export_clause (export_specifier name: [(_) "default"] @name alias: (_) @alias)) source: (_) @path)
(export_statement (export_clause (export_specifier name: [(_) "default"] @name alias: (_) @alias)) !source)
(export_statement "*" @all source: (_) @path)
(export_statement (namespace_export (_) @alias) @all source: (_) @path)
(export_statement "default" @alias value: (identifier) @name)
(export_statement "default" @alias declaration: (_ name: (_) @name))
(export_statement "default" @declared value: [(new_expression) (call_expression) (member_expression)] @value)
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @alias)
  right: [(identifier) @name (class name: (_) @name) (function_expression name: (_) @name)]
  (#eq? @_module "module") (#eq? @alias "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
  (#eq? @_module "module") (#eq? @alias "exports") (#eq? @_require "require"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @declared)
  right: [(new_expression) (call_expression) (member_expression)] @value
  (#eq? @_module "module") (#eq? @declared "exports"))
(assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object (pair key: (property_identifier) @alias value: (identifier) @name))
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier) property: (property_identifier))] @_exports
    property: (property_identifier) @alias)
  right: (identifier) @name
  (#any-of? @_exports "exports" "module.exports"))
(assignment_expression
  left: (member_expression
    object: [(identifier) (member_expression object: (identifier) property: (property_identifier))] @_exports
    property: (property_identifier) @alias)
  right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
  (#any-of? @_exports "exports" "module.exports") (#eq? @_require "require"))
(variable_declarator
  name: (identifier) @alias
  value: (member_expression
    object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @path))
    property: (property_identifier) @name)
  (#eq? @_require "require"))

; Code in a type whose `this` is another value.
(class_declaration body: (class_body) @self)
(class body: (class_body) @self)
[
  (return_statement (class body: (class_body) @unbound))
  (arguments (class body: (class_body) @unbound))
  (arrow_function body: (class body: (class_body) @unbound))
]
[
  (function_expression)
  (generator_function)
  (function_declaration)
  (generator_function_declaration)
] @unbound
(object (method_definition) @unbound)

; Members of objects.
(variable_declarator name: (identifier) @declared value: (object (shorthand_property_identifier) @member @value))
(variable_declarator
  name: (identifier) @declared
  value: (object (pair key: (property_identifier) @member value: [(identifier) (new_expression) (call_expression) (member_expression)] @value)))
(variable_declarator
  name: (identifier) @declared
  value: (call_expression
    function: (member_expression object: (identifier) @_object property: (property_identifier) @_assign)
    arguments: (arguments (object [
      (shorthand_property_identifier) @member @value
      (pair key: (property_identifier) @member value: (identifier) @value)])))
  (#eq? @_object "Object")
  (#eq? @_assign "assign"))
(pair key: (property_identifier) @declared value: (object (shorthand_property_identifier) @member @value))
(pair
  key: (property_identifier) @declared
  value: (object (pair key: (property_identifier) @member value: [(identifier) (new_expression) (call_expression) (member_expression)] @value)))
(export_statement "default" @declared value: (object (shorthand_property_identifier) @member @value))
(export_statement
  "default" @declared
  value: (object (pair key: (property_identifier) @member value: [(identifier) (new_expression) (call_expression) (member_expression)] @value)))

; Bases.
(class_declaration name: (_) (class_heritage [(identifier) (member_expression) (call_expression)] @inherits))
(class name: (_) (class_heritage [(identifier) (member_expression) (call_expression)] @inherits))
(variable_declarator value: (class (class_heritage [(identifier) (member_expression) (call_expression)] @inherits)))
(assignment_expression right: (class (class_heritage [(identifier) (member_expression) (call_expression)] @inherits)))

; Values; parameters and other local names.
(variable_declarator
  name: (identifier) @declared
  value: [(new_expression) (call_expression) (identifier) (member_expression) (await_expression) (binary_expression) (string) (array) (object) (number) (template_string)] @value)
(variable_declarator name: (identifier) @declared)
(field_definition property: (_) @declared value: [(new_expression) (call_expression) (identifier) (member_expression)] @value)
(assignment_expression left: (identifier) @declared right: [(new_expression) (call_expression)] @value)
(formal_parameters (identifier) @declared)
(formal_parameters (assignment_pattern left: (identifier) @declared))
(formal_parameters (rest_pattern (identifier) @declared))
(arrow_function parameter: (identifier) @declared)
(for_in_statement left: (identifier) @declared)
(for_in_statement left: (identifier) @declared operator: "of" right: (_) @element)
; of functions that collections call for each of their elements, and promises for their results
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @declared)
    (arrow_function parameters: (formal_parameters . (identifier) @declared))
    (function_expression parameters: (formal_parameters . (identifier) @declared))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
    (function_expression parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
    (function_expression parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
  ])
  (#any-of? @_method "forEach" "map" "filter" "some" "every" "find" "findIndex" "findLast" "findLastIndex" "flatMap"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (identifier) @declared))
    (function_expression parameters: (formal_parameters (identifier) @declared))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
    (function_expression parameters: (formal_parameters (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
    (function_expression parameters: (formal_parameters (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
  ])
  (#any-of? @_method "sort" "toSorted"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (identifier) @declared))
    (function_expression parameters: (formal_parameters . (_) . (identifier) @declared))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
    (function_expression parameters: (formal_parameters . (_) . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @indexed property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (_) . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
    (function_expression parameters: (formal_parameters . (_) . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
  ])
  (#any-of? @_method "reduce" "reduceRight"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @declared)
    (arrow_function parameters: (formal_parameters . (identifier) @declared))
    (function_expression parameters: (formal_parameters . (identifier) @declared))
  ])
  (#any-of? @_method "then"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
    (function_expression parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])))
  ])
  (#any-of? @_method "then"))
(call_expression
  function: (member_expression object: (_) @value property: (property_identifier) @_method)
  arguments: (arguments . [
    (arrow_function parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
    (function_expression parameters: (formal_parameters . (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])))
  ])
  (#any-of? @_method "then"))
(catch_clause parameter: (identifier) @declared)
(shorthand_property_identifier_pattern) @declared
(pair_pattern value: (identifier) @declared)
(array_pattern (identifier) @declared)

; Names that take members of a value.
(variable_declarator name: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]) value: (_) @value)
(for_in_statement left: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)])]) operator: "of" right: (_) @element)

(variable_declarator name: (array_pattern [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) value: (_) @indexed)

; Types that a condition tells.
(if_statement
  condition: (parenthesized_expression (binary_expression left: (identifier) @declared operator: "instanceof" right: [(identifier) (member_expression)] @type))
  consequence: (_) @within)
(binary_expression
  left: (binary_expression left: (identifier) @declared operator: "instanceof" right: [(identifier) (member_expression)] @type)
  operator: "&&"
  right: (_) @within)
(if_statement
  condition: (parenthesized_expression (binary_expression
    left: (binary_expression left: (identifier) @declared operator: "instanceof" right: [(identifier) (member_expression)] @type)
    operator: "&&"))
  consequence: (_) @within)
(ternary_expression
  condition: (binary_expression left: (identifier) @declared operator: "instanceof" right: [(identifier) (member_expression)] @type)
  consequence: (_) @within)

; Names in patterns, and what they are members of.
(variable_declarator
  name: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])
  value: (_) @value)
(for_in_statement left: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]) operator: "of" right: (_) @element)

; Names in patterns that are inside of others.
(object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])
(pair_pattern key: (property_identifier) @through value: [
  (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)])
  (assignment_pattern left: (object_pattern [(shorthand_property_identifier_pattern) @declared @taken (pair_pattern key: (property_identifier) @taken value: [(identifier) @declared (assignment_pattern left: (identifier) @declared)]) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @declared @taken)]))
])
(pair_pattern key: (property_identifier) @through value: [
  (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)])
  (assignment_pattern left: (object_pattern [(shorthand_property_identifier_pattern) @key (pair_pattern key: (property_identifier) @key) (object_assignment_pattern left: (shorthand_property_identifier_pattern) @key)]))
])

; Attributes of elements: members of what the component is given. Elements in lower case are not the program's.
(jsx_self_closing_element name: [(identifier) (member_expression)] @component attribute: (jsx_attribute (property_identifier) @key) (#match? @component "^[A-Z]|[.]"))
(jsx_opening_element name: [(identifier) (member_expression)] @component attribute: (jsx_attribute (property_identifier) @key) (#match? @component "^[A-Z]|[.]"))
(jsx_self_closing_element name: (identifier) @type attribute: (jsx_attribute (property_identifier) @key) (#match? @type "^[^A-Z]"))
(jsx_opening_element name: (identifier) @type attribute: (jsx_attribute (property_identifier) @key) (#match? @type "^[^A-Z]"))

; Bases that code gives to functions that make values.
(assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @_left)
  right: (call_expression
    function: (member_expression object: (identifier) @_object property: (property_identifier) @_create)
    arguments: (arguments . (member_expression object: [(identifier) (member_expression)] @inherits property: (property_identifier) @_right)))
  (#eq? @_left "prototype") (#eq? @_object "Object") (#eq? @_create "create") (#eq? @_right "prototype"))
(call_expression
  function: (member_expression object: (identifier) @_object property: (property_identifier) @_set)
  arguments: (arguments
    . (member_expression object: (identifier) @owner property: (property_identifier) @_left)
    . (member_expression object: [(identifier) (member_expression)] @inherits property: (property_identifier) @_right))
  (#eq? @_object "Object") (#eq? @_set "setPrototypeOf") (#eq? @_left "prototype") (#eq? @_right "prototype"))
