; Types. Members of an extension belong to the type it extends; the extension itself has no name.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(protocol_declaration name: (type_identifier) @name) @definition.interface
(class_declaration declaration_kind: "extension" name: (user_type) @container body: (class_body) @body)
((class_declaration
  (modifiers (visibility_modifier ["public" "open" "package"])) declaration_kind: "extension" body: (class_body "{" @name))
  (#set! visibility exported))
((class_declaration
  (modifiers (visibility_modifier ["private" "fileprivate"])) declaration_kind: "extension" body: (class_body "{" @name))
  (#set! visibility private))
(typealias_declaration "typealias" . name: (type_identifier) @name) @definition.type
(associatedtype_declaration "associatedtype" . name: (type_identifier) @name) @definition.type
(precedence_group_declaration . (simple_identifier) @name) @definition.type
(operator_declaration "operator" . (_) @name) @definition.operator
((enum_entry name: (simple_identifier) @name) @definition.enumMember (#set! visibility container))

; Functions; operators are named by their sign. Subscripts and initialisers go by their keyword, as one calls them in documentation.
(function_declaration "func" . name: _ @name) @definition.function
(protocol_function_declaration "func" . name: _ @name) @definition.method
(macro_declaration "macro" . (simple_identifier) @name) @definition.macro
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.method

; Properties; the signature ends before accessors, observers and closures.
(property_declaration (value_binding_pattern "var") name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
(property_declaration (value_binding_pattern "let") name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant
(property_declaration (value_binding_pattern "var") name: (pattern (pattern (simple_identifier) @name))) @definition.variable
(property_declaration (value_binding_pattern "let") name: (pattern (pattern (simple_identifier) @name))) @definition.constant
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  [computed_value: (computed_property) @body (willset_didset_block) @body
   value: (call_expression (lambda_literal) @body)]) @definition.variable
(property_declaration
  (value_binding_pattern "let")
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (call_expression . (lambda_literal) @body)) @definition.constant
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name) value: (lambda_literal) @body) @definition.function
; `private(set)` is said of the setter: without another word, such a property is as visible as what holds it.
((property_declaration
  (modifiers . (visibility_modifier "(")) name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable
  (#set! visibility container))
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

; What stands here is local.
((lambda_literal) @body (#set! scope function))
((computed_property) @body (#set! scope function))
((willset_didset_block) @body (#set! scope function))
((deinit_declaration body: (_) @body) (#set! scope function))

(comment) @doc
(multiline_comment) @doc
