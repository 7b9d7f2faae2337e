; Imports. The parts of a path before nested braces are captured one by one.
(use_declaration argument: [
  (identifier) @path
  (scoped_identifier path: (_)? @path name: (_) @name)
  (use_as_clause path: (scoped_identifier path: (_)? @path name: (_) @name) alias: (_) @alias)
  (use_as_clause path: [(identifier) (crate) (self) (super)] @path alias: (_) @alias)
  (use_wildcard (_) @path) @all
])
(use_declaration argument: (use_list [
  (identifier) @path
  (scoped_identifier path: (_)? @path name: (_) @name)
  (use_as_clause path: (scoped_identifier path: (_)? @path name: (_) @name) alias: (_) @alias)
  (use_as_clause path: (identifier) @path alias: (_) @alias)
  (use_wildcard (_) @path) @all
]))
(use_declaration argument: (use_list (scoped_use_list path: (_) @path list: (use_list [
  (identifier) @name
  (self) @_self
  (scoped_identifier path: (_) @path name: (_) @name)
  (use_as_clause path: (identifier) @name alias: (_) @alias)
  (use_as_clause path: (scoped_identifier path: (_) @path name: (_) @name) alias: (_) @alias)
  (use_as_clause path: (self) alias: (_) @alias)
  (use_wildcard . "*") @all
  (use_wildcard (_) @path) @all
]))))
(use_declaration argument: (scoped_use_list path: (_) @path list: (use_list [
  (identifier) @name
  (self) @_self
  (scoped_identifier path: (_) @path name: (_) @name)
  (use_as_clause path: (identifier) @name alias: (_) @alias)
  (use_as_clause path: (scoped_identifier path: (_) @path name: (_) @name) alias: (_) @alias)
  (use_as_clause path: (self) alias: (_) @alias)
  (use_wildcard . "*") @all
  (use_wildcard (_) @path) @all
])))
(use_declaration argument: (scoped_use_list path: (_) @path list: (use_list
  (scoped_use_list path: (_) @path list: (use_list [
    (identifier) @name
    (self) @_self
    (scoped_identifier path: (_) @path name: (_) @name)
    (use_as_clause path: (identifier) @name alias: (_) @alias)
    (use_as_clause path: (scoped_identifier path: (_) @path name: (_) @name) alias: (_) @alias)
    (use_as_clause path: (self) alias: (_) @alias)
    (use_wildcard . "*") @all
    (use_wildcard (_) @path) @all
  ])))))
(use_declaration argument: (scoped_use_list path: (_) @path list: (use_list
  (scoped_use_list path: (_) @path list: (use_list
    (scoped_use_list path: (_) @path list: (use_list [
      (identifier) @name
      (self) @_self
      (scoped_identifier path: (_) @path name: (_) @name)
      (use_as_clause path: (identifier) @name alias: (_) @alias)
      (use_wildcard . "*") @all
    ])))))))
(extern_crate_declaration name: (identifier) @path !alias)
(extern_crate_declaration name: (identifier) @path alias: (identifier) @alias)

; Traits: above a trait, and of a type, whose definition is elsewhere.
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @inherits))
(impl_item trait: (_) @inherits type: (_) @owner)
; What is implemented for a bounded parameter is implemented for what has the bound.
(impl_item
  type_parameters: (type_parameters (type_parameter name: (_) @_name bounds: (trait_bounds (_) @owner)))
  trait: (_) @inherits
  type: (_) @_type
  (#eq? @_name @_type))
; Traits that are derived: those of a macro are called like it. The attribute is in the range of its type.
((attribute (identifier) @_derive arguments: (token_tree ["(" ","] . (identifier) @inherits . ["," ")"]))
  (#eq? @_derive "derive")
  (#not-match? @inherits "^(Debug|Clone|Copy|PartialEq|PartialOrd|Eq|Ord|Hash|Default)$"))
((attribute (identifier) @_derive arguments: (token_tree [(identifier) (crate) (self) (super)] @inherits . "::" . (identifier) @inherits))
  (#eq? @_derive "derive"))
((attribute
  (identifier) @_cfg
  arguments: (token_tree
    (identifier) @_derive
    . (token_tree ["(" ","] . (identifier) @inherits . ["," ")"])))
  (#eq? @_cfg "cfg_attr")
  (#eq? @_derive "derive")
  (#not-match? @inherits "^(Debug|Clone|Copy|PartialEq|PartialOrd|Eq|Ord|Hash|Default)$"))
((attribute
  (identifier) @_cfg
  arguments: (token_tree
    (identifier) @_derive
    . (token_tree [(identifier) (crate) (self) (super)] @inherits . "::" . (identifier) @inherits)))
  (#eq? @_cfg "cfg_attr")
  (#eq? @_derive "derive"))

; Fields, parameters and variables with types; other names of types; type parameters.
(field_declaration name: (field_identifier) @declared type: (_) @type)
(const_item name: (identifier) @declared type: (_) @type)
(static_item name: (identifier) @declared type: (_) @type)
(type_item name: (type_identifier) @declared type: (_) @type)
(associated_type name: (type_identifier) @declared)
(parameter pattern: [(identifier) @declared (self) @declared (_ (identifier) @declared .)] type: (_) @type)
(type_parameter name: (type_identifier) @parameter)
(type_parameter
  name: (type_identifier) @parameter
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @type))
(type_parameter
  name: (type_identifier) @declared
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @type))
(where_predicate
  left: (type_identifier) @declared
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @type))
(let_declaration pattern: [(identifier) @declared (mut_pattern (identifier) @declared)] type: (_) @type)
(let_declaration
  pattern: [(identifier) @declared (mut_pattern (identifier) @declared)]
  !type
  value: [
    (call_expression) (struct_expression) (identifier) (field_expression) (reference_expression) (await_expression)
    (try_expression) (scoped_identifier) (string_literal) (unary_expression)
  ] @value)

; Elements.
(for_expression
  pattern: [(identifier) @declared (reference_pattern (identifier) @declared) (mut_pattern (identifier) @declared)]
  value: [(identifier) (field_expression) (reference_expression) (call_expression)] @element)

; Local names of which no more is known.
(let_declaration pattern: (identifier) @declared)
(let_condition pattern: (identifier) @declared)
(parameter pattern: (identifier) @declared)
(closure_parameters (identifier) @declared)
(for_expression pattern: (identifier) @declared)
(match_pattern . (identifier) @declared)
(tuple_pattern (identifier) @declared)
(tuple_struct_pattern (_) (identifier) @declared)
(slice_pattern (identifier) @declared)
(or_pattern (identifier) @declared)
(captured_pattern . (identifier) @declared)
(ref_pattern (identifier) @declared)
(mut_pattern (identifier) @declared)
(reference_pattern (identifier) @declared)
(field_pattern name: (shorthand_field_identifier) @declared)
(field_pattern pattern: (identifier) @declared)

; Results.
(function_item return_type: (_) @returns)
(function_signature_item return_type: (_) @returns)

; Fields that are named without a value before them: in a literal or a pattern of a type.
(struct_expression
  name: (_) @type
  body: (field_initializer_list [
    (field_initializer field: (field_identifier) @key)
    (shorthand_field_initializer (identifier) @key)
  ]))
(struct_pattern type: (_) @type (field_pattern name: [(field_identifier) (shorthand_field_identifier)] @key))
