; Types. Members of an extension without a name belong to the type it extends.
(class_definition name: (identifier) @name) @definition.class
(class_definition (mixin_application_class (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.enumMember
(extension_type_declaration
  name: (identifier) @name representation: (_) @header body: (_) @body) @definition.class
(representation_declaration name: (identifier) @name) @definition.field
(extension_declaration name: (identifier) @name) @definition.class
((extension_declaration "extension" . class: (type_identifier) @container body: (_) @body) (#set! visibility exported))
((extension_declaration type_parameters: (_) . class: (type_identifier) @container body: (_) @body) (#set! visibility exported))
(type_alias (type_identifier) @name . ["=" (formal_parameter_list) (type_parameters)]) @definition.type

; Fields and variables. The words before a variable of a file stand beside it in the tree, and are not in its signature.
(declaration (_ (initialized_identifier . (identifier) @name))) @definition.field
(declaration (identifier_list (identifier) @name)) @definition.field
(declaration (_ (static_final_declaration . (identifier) @name))) @definition.field
(declaration (const_builtin) (_ (static_final_declaration . (identifier) @name))) @definition.constant
(program (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.variable)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.variable)
(program (const_builtin) .
  (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.constant)
(program (const_builtin) . (_) .
  (static_final_declaration_list (static_final_declaration . (identifier) @name)) @definition.constant)
(program (static_final_declaration_list
  (static_final_declaration . (identifier) @name (function_expression body: (_) @body))) @definition.function)
(initialized_variable_definition name: (identifier) @name value: (function_expression body: (_) @body)) @definition.function

; Functions, methods, accessors, operators. The signature is a node of its own, and the body stands behind it.
(function_signature name: (identifier) @name) @definition.function
((function_signature name: (identifier) @name) @definition.function . (function_body) @body)
(lambda_expression parameters: (function_signature name: (identifier) @name) body: (_) @body) @definition.function
(getter_signature name: (identifier) @name) @definition.property
((getter_signature name: (identifier) @name) @definition.property . (function_body) @body)
(setter_signature name: (identifier) @name) @definition.property
((setter_signature name: (identifier) @name) @definition.property . (function_body) @body)
(declaration (function_signature name: (identifier) @name)) @definition.method
(declaration (getter_signature name: (identifier) @name)) @definition.property
(declaration (setter_signature name: (identifier) @name)) @definition.property
((method_signature (function_signature name: (identifier) @name)) @definition.method . (function_body) @body)
((method_signature (getter_signature name: (identifier) @name)) @definition.property . (function_body) @body)
((method_signature (setter_signature name: (identifier) @name)) @definition.property . (function_body) @body)
(declaration (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)) @definition.method
((method_signature (operator_signature [(binary_operator) "[]" "[]=" "~"] @name)) @definition.method . (function_body) @body)

; Constructors: `A.b` is named `b`. The grammar takes a method without a type for one; the rule for names knows better.
(declaration (constructor_signature name: (identifier) @name . parameters: (_))) @definition.method
(declaration (constructor_signature "." . name: (identifier) @name)) @definition.constructor
((method_signature (constructor_signature name: (identifier) @name . parameters: (_))) @definition.method . (function_body) @body)
((method_signature (constructor_signature "." . name: (identifier) @name)) @definition.constructor . (function_body) @body)
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.constructor
(declaration (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.constructor
(declaration (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.constructor
((method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list)))
  @definition.constructor . (function_body) @body)

; Suites and cases of package:test, by their text.
((expression_statement
  . (identifier) @_call
  . (selector (argument_part (arguments
      . (argument (string_literal) @name) . (argument (function_expression body: (_) @body)))))) @definition.module
  (#any-of? @_call "group" "describe")
  (#set! flag test))
((expression_statement
  . (identifier) @_call
  . (selector (argument_part (arguments
      . (argument (string_literal) @name) . (argument (function_expression body: (_) @body)))))) @definition.function
  (#any-of? @_call "test" "testWidgets" "it" "blocTest")
  (#set! flag test))

((function_expression_body) @body (#set! scope function))
((annotation) @doc (#set! doc attribute))
(comment) @doc
(documentation_comment) @doc
