; What JavaScript does not have; its patterns come before these.

; Types.
(abstract_class_declaration name: (_) @name) @definition.class
(abstract_class_declaration
  decorator: (_) "abstract" @definition.class name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_body name: [(property_identifier) (string)] @name @definition.enumMember)
(enum_assignment name: [(property_identifier) (string)] @name) @definition.enumMember
(type_alias_declaration name: (_) @name value: (_) @header) @definition.type
(type_alias_declaration
  name: (_) @name
  value: (_ [(property_signature) (method_signature)]) @body) @definition.type

; What interfaces, and types that are written like one, consist of. Call, construct and index signatures have no name.
(interface_body (property_signature name: [(property_identifier) (string) (computed_property_name)] @name) @definition.property)
(interface_body (method_signature name: [(property_identifier) (string) (computed_property_name)] @name) @definition.method)
(interface_body (_ ["get" "set"] name: [(property_identifier) (string) (computed_property_name)] @name) @definition.property)
; What is written between braces has an alias, a member or a variable for a container; in the types of parameters, results, casts
; and arguments it is local.
(object_type (property_signature name: [(property_identifier) (string) (computed_property_name)] @name) @definition.property)
((object_type (method_signature name: [(property_identifier) (string) (computed_property_name)] @name) @definition.method) (#set! local none))
((object_type (_ ["get" "set"] name: [(property_identifier) (string) (computed_property_name)] @name) @definition.property) (#set! local none))
(property_signature name: [(property_identifier) (string)] @container type: (type_annotation [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body))
(class_body (_ !parameters name: [(property_identifier) (string)] @container type: (_ [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)))
((variable_declarator name: (identifier) @container type: (type_annotation [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)) (#set! scope data))
((required_parameter type: (type_annotation [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)) (#set! scope function))
((optional_parameter type: (type_annotation [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)) (#set! scope function))
([
  (_ return_type: (type_annotation [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body))
  (function_type return_type: [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)
] (#set! scope function))
((abstract_method_signature return_type: (_ [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body)) (#set! scope open))
((ERROR (formal_parameters) return_type: (type_annotation (object_type) @body)) (#set! scope function))
((type_arguments [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body) (#set! scope function))
((type_alias_declaration value: (generic_type type_arguments: (_ (object_type) @body))) (#set! scope open))
((constraint [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body) (#set! scope function))
((as_expression [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body) (#set! scope function))
((satisfies_expression [(object_type) (union_type) (intersection_type) (parenthesized_type) (array_type) (tuple_type)] @body) (#set! scope function))

; Members of classes without a body: overloads, and what is abstract or declared elsewhere.
(class_body
  (_
    !body
    name: [(property_identifier) (private_property_identifier) (string) (computed_property_name)] @name
    parameters: (_)) @definition.method
  (#set! role declaration))
(class_body
  (_
    !body
    ["get" "set"]
    name: [(property_identifier) (private_property_identifier) (string) (computed_property_name)] @name)
  @definition.property)
(abstract_method_signature name: [(property_identifier) (string) (computed_property_name)] @name) @definition.method
(abstract_method_signature
  ["get" "set"] name: [(property_identifier) (string) (computed_property_name)] @name) @definition.property
(class_body (_ !parameters "static" "readonly" name: (property_identifier) @name) @definition.constant)
; A parameter of a constructor that declares a property.
(required_parameter ["readonly" (accessibility_modifier) (override_modifier)] pattern: (identifier) @name) @definition.field
(optional_parameter ["readonly" (accessibility_modifier) (override_modifier)] pattern: (identifier) @name) @definition.field

((function_signature name: (_) @name) @definition.function (#set! role declaration))
((ambient_declaration [
  (class_declaration name: (_) @name)
  (abstract_class_declaration name: (_) @name)
] @definition.class) (#set! role declaration))
((ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable)
  (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)
]) (#set! role declaration))
; What a declaration file exports by default is not known to the grammar.
((ERROR "default" @name "function" (formal_parameters)) @definition.function (#set! visibility exported))

; Functions behind a type: the value that is told to be one, or a literal.
((variable_declarator
  name: (identifier) @name
  value: [
    (_ (object) @body "as" @_as)
    (_ [(object) @body (_ . (object) @body "as")] "satisfies" @_as)
  ]) @definition.variable
  (#any-of? @_as "as" "satisfies"))
((variable_declarator
  name: (identifier)
  value: [
    (_ (_ (pair key: [(property_identifier) (string)] @name value: (_ !body)) @definition.key) "as" @_as)
    (_ [
      (_ (pair key: [(property_identifier) (string)] @name value: (_ !body)) @definition.key)
      (_ . (_ (pair key: [(property_identifier) (string)] @name value: (_ !body)) @definition.key) "as")
    ] "satisfies" @_as)
  ])
  (#any-of? @_as "as" "satisfies")
  (#set! local none))
((pair
  key: [(property_identifier) (string)] @name
  value: (_
    (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
    ["as" "satisfies"] @_as)) @definition.method
  (#any-of? @_as "as" "satisfies"))
((pair key: [(property_identifier) (string)] @container value: (_ (object) @body ["as" "satisfies"] @_as))
  (#any-of? @_as "as" "satisfies")
  (#set! scope data))
((assignment_expression
  left: (_
    object: [
      (identifier)
      (_ !index object: [(identifier) (this)])
    ] @container
    property: (property_identifier) @name)
  right: (_
    (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)]) "as" @_as)) @definition.method
  (#any-of? @_as "as" "satisfies")
  (#set! visibility container))

((variable_declarator
  name: (identifier) @name
  value: [
    (_ [
      (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
      (function_expression body: (_) @body)
      (_ (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)]) "as")
    ] "as" @_as)
    (_ [
      (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
      (function_expression body: (_) @body)
    ] "satisfies" @_as)
  ]) @definition.function
  (#any-of? @_as "as" "satisfies"))
(class_body (_ !parameters name: (string) @name) @definition.field)
(class_body (_ name: (string) @name value: (_ body: (_) @body)) @definition.method)
((class_body
  (_
    name: [(property_identifier) (private_property_identifier)] @name
    value: (_
      (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
      "as" @_as)) @definition.method)
  (#any-of? @_as "as" "satisfies"))

; `as const` on an object makes what an enum is elsewhere.
((variable_declarator
  name: (identifier)
  value: [
    (_ (_ (pair key: [(property_identifier) (string)] @name value: (_ !body)) @definition.property) "as" @_as "const")
    (_ (_
      . (_ (pair key: [(property_identifier) (string)] @name value: (_ !body)) @definition.property) "as" "const") "satisfies" @_as)
  ])
  (#any-of? @_as "as" "satisfies"))

; Namespaces. What stands in an ambient one is exported.
(internal_module name: (identifier) @name body: (_) @body) @definition.namespace
(internal_module
  name: (_ object: (_) @container property: (_) @name) body: (_) @body) @definition.namespace
(module name: (identifier) @name body: (_) @body) @definition.namespace
(module name: (_ object: (_) @container property: (_) @name) body: (_) @body) @definition.namespace
((module name: (string) @name body: (_) @body) @definition.module (#set! visibility exported))
((ambient_declaration (_ name: (_) body: (statement_block "{" @name))) (#set! visibility exported))
((ambient_declaration (_ body: (statement_block [
  (expression_statement (_ "namespace" body: (_ "{" @name)))
  (_ declaration: (_ "namespace" body: (_ "{" @name)))
]))) (#set! visibility exported))
((ambient_declaration (statement_block [
  (expression_statement (_ "namespace" body: (_ "{" @name)))
  (_ declaration: (_ "namespace" body: (_ "{" @name)))
])) (#set! visibility exported))
((ambient_declaration "global" (statement_block) @body) (#set! scope open) (#set! visibility exported))

(ambient_declaration "declare" . (_) @part) @whole
((ambient_declaration [
  (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)
] @whole) (#set! header whole))
((internal_module body: (_ [
  (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)
] @whole)) (#set! header whole))
((module body: (_ [
  (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)
] @whole)) (#set! header whole))

; Exported: `export = name`, and each name of a declaration.
((export_statement "=" (identifier) @name) (#set! visibility exported) (#set! scope name))
((export_statement declaration: (ambient_declaration [
  (lexical_declaration (variable_declarator name: (identifier) @name))
  (variable_declaration (variable_declarator name: (identifier) @name))
]))
  (#set! visibility exported) (#set! scope name))

; Decorators of methods stand before them.
((class_body (decorator) @doc) (#set! doc attribute))
