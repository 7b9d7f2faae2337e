; Packages that enclose their members; the clause at the top of a file defines nothing.
(package_clause name: (package_identifier) @name body: (_) @body) @definition.namespace
(package_object name: (identifier) @name) @definition.module

; Types. Parameters of a class that are members stand before the body, in the first list.
(class_definition name: (_) @name) @definition.class
(class_definition name: (_) @name . class_parameters: (_) @header) @definition.class
(class_definition name: (_) @name . class_parameters: (_) @header body: (_) @body) @definition.class
(class_definition
  name: (_) @name [(type_parameters) (access_modifier)] . class_parameters: (_) @header) @definition.class
(class_definition
  name: (_) @name [(type_parameters) (access_modifier)] . class_parameters: (_) @header body: (_) @body) @definition.class
; Those of several lists.
(class_definition
  name: (_) @name
  . [(type_parameters) (access_modifier)]*
  . (class_parameters) @header . (class_parameters) @header . (class_parameters)? @header) @definition.class
(class_definition
  name: (_) @name
  . [(type_parameters) (access_modifier)]*
  . (class_parameters) @header . (class_parameters) @header . (class_parameters)? @header . (_)* . body: (_) @body) @definition.class
(object_definition name: (_) @name) @definition.module
(trait_definition name: (_) @name) @definition.trait
(trait_definition name: (_) @name (class_parameters) @header body: (_) @body) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(enum_definition name: (_) @name class_parameters: (_) @header body: (_) @body) @definition.enum
(simple_enum_case name: (_) @name) @definition.enumMember
(full_enum_case name: (_) @name class_parameters: (_) @header) @definition.enumMember
(type_definition name: (type_identifier) @name) @definition.type

(class_parameter ["val" "var"] name: (_) @name) @definition.property
(class_definition
  "case" [(identifier) (type_parameters) (access_modifier)]
  . class_parameters: (_ (class_parameter name: (_) @name) @definition.property))
(full_enum_case class_parameters: (_ (class_parameter name: (_) @name) @definition.property))

; Methods. One of an extension belongs to the type it extends, as it is called.
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(extension_definition
  parameters: (_ (parameter type: [(type_identifier) @container (generic_type type: (type_identifier) @container)]))
  (function_definition name: (_) @name) @definition.method)

; Values; a function that is bound to a name is that function.
(val_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable
(var_definition pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable
; What a pattern binds, three patterns deep. What begins with a capital is compared with and not bound.
((_ pattern: (_ [
  (identifier) @name
  (tuple_pattern [(identifier) @name (_ (identifier) @name)])
  (case_class_pattern [(identifier) @name (_ (identifier) @name)])
  (typed_pattern pattern: (identifier) @name)
  (infix_pattern [(identifier) @name (_ (identifier) @name)])
  (capture_pattern [(identifier) @name (_ (identifier) @name)])
]) value: (_)) @definition.variable
  (#match? @name "^[^A-Z]"))
(val_declaration name: (_) @name) @definition.variable
(var_declaration name: (_) @name) @definition.variable
(val_definition pattern: (identifier) @name value: [(block) (indented_block) (case_block)] @body) @definition.variable
(val_definition pattern: (identifier) @name value: (instance_expression (template_body) @body)) @definition.variable
(val_definition (modifiers "final") pattern: (identifier) @name) @definition.constant
(val_definition pattern: (identifier) @name value: (lambda_expression) @body) @definition.function
(given_definition name: (identifier) @name) @definition.variable

; Suites and cases of ScalaTest, MUnit and specs2, by their text.
((call_expression
  function: (call_expression function: (identifier) @_call arguments: (arguments . (string) @name))
  arguments: (block) @body) @definition.module
  (#any-of? @_call "describe" "context" "suite" "feature" "Feature")
  (#set! flag test))
((call_expression
  function: (call_expression function: (identifier) @_call arguments: (arguments . (string) @name))
  arguments: (block) @body) @definition.function
  (#any-of? @_call "test" "it" "property" "scenario" "Scenario" "they" "specify")
  (#set! flag test))
((infix_expression left: (string) @name operator: (identifier) @_call right: (block) @body) @definition.module
  (#any-of? @_call "should" "must" "can" "when" "which" "that")
  (#set! flag test))
((infix_expression
  left: [(string) @name (infix_expression right: (string) @name)] operator: (identifier) @_call right: (block) @body)
  @definition.function
  (#any-of? @_call "in" ">>")
  (#set! flag test))

; What stands before the parents, and in braces behind a type, belongs to what is defined.
(class_definition name: (_) @container extend: (extends_clause (structural_type) @body))
(object_definition name: (_) @container extend: (extends_clause (structural_type) @body))
(function_definition name: (_) @container return_type: (compound_type (refinement) @body))
(type_definition name: (_) @container type: (compound_type (refinement) @body))

; What stands here is local.
((block) @body (#set! scope function))
((indented_block) @body (#set! scope function))
((case_block) @body (#set! scope function))
((instance_expression (template_body) @body) (#set! scope function))
; Where the name of `this` stands on a line of its own, the members are taken for a function's body.
((template_body (lambda_expression (indented_block) @body)) (#set! scope open))

(comment) @doc
(block_comment) @doc
