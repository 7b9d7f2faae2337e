; Macros belong to the file, wherever they stand. One without a value is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef . "#ifndef" name: (identifier) @_guard . (preproc_def name: (identifier) @name !value) @definition.constant . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_if
   condition: (unary_expression "!" argument: (preproc_defined (identifier) @_guard))
   . (preproc_def name: (identifier) @name !value) @definition.constant
   . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))

; Namespaces; what an anonymous one encloses is seen by this file alone.
(namespace_definition name: (_) @name) @definition.namespace
((namespace_definition !name body: (_) @body) (#set! scope open) (#set! visibility private))

; Types with a body; without one they are only mentioned.
((class_specifier name: (_) @name body: (_)) @definition.class (#set! name path))
((struct_specifier name: (_) @name body: (_)) @definition.struct (#set! name path))
((union_specifier name: (_) @name body: (_)) @definition.struct (#set! name path))
((enum_specifier name: (_) @name body: (_)) @definition.enum (#set! name path))
(enumerator name: (identifier) @name) @definition.enumMember
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type

; Typedefs. Members of an unnamed type belong to the name that the typedef gives it.
(type_definition
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type
((type_definition type: (_ name: (_) body: (_) @body) declarator: (type_identifier) @name) @definition.type (#set! body empty))
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum

; Fields; one of an unnamed type encloses that one's.
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
    (array_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
    (reference_declarator (field_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  ]) @definition.field
(field_declaration type: (_ !name body: (_) @body) declarator: (field_identifier) @name) @definition.field
(field_declaration
  (storage_class_specifier "static") (type_qualifier ["const" "constexpr"]) declarator: (field_identifier) @name) @definition.constant

; Variables; those of functions are left out.
(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))
    (reference_declarator (identifier) @name)
  ]) @definition.variable
(declaration
  declarator: (init_declarator
    declarator: [
      (identifier) @name
      (pointer_declarator declarator: (identifier) @name)
      (array_declarator declarator: (identifier) @name)
      (array_declarator declarator: (array_declarator declarator: (identifier) @name))
      (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    ])) @definition.variable
; Long values are no part of the signature.
(declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name) value: (initializer_list) @body)) @definition.variable
(declaration type: (_ body: (_) @body) declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)]) @definition.variable
(declaration
  (type_qualifier ["const" "constexpr" "__constant__"])
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
      (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    ])
  ]) @definition.constant
(declaration
  (type_qualifier ["const" "constexpr" "__constant__"])
  declarator: (init_declarator
    declarator: [(array_declarator declarator: (identifier) @name) (array_declarator declarator: (array_declarator declarator: (identifier) @name))]
    value: (initializer_list) @body)) @definition.constant

; Prototypes; in a function they are none. Declarations of methods.
((declaration
  declarator: [
    (function_declarator declarator: [(identifier) (destructor_name) (template_function)] @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
    (reference_declarator (function_declarator declarator: (identifier) @name))
  ]) @definition.function (#set! name path) (#set! local none) (#set! role declaration))
((field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))
    (reference_declarator (function_declarator declarator: (field_identifier) @name))
  ]) @definition.method (#set! role declaration))

; Functions and kernels. What is defined for its container elsewhere (`A::b`) is a method. Without a type it is a constructor or a
; destructor, or what a macro makes.
((function_definition !type declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.function
  (#not-match? @name "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$"))
((function_definition
  type: (_)
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier) (template_function)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier) (template_function)] @name))
    (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (template_function)] @name))
  ]) @definition.function (#set! name path))
((function_definition
  declarator: [
    (function_declarator declarator: (qualified_identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (qualified_identifier) @name))
    (reference_declarator (function_declarator declarator: (qualified_identifier) @name))
  ]) @definition.method (#set! name path))
; A constructor's initialisers are no part of its signature.
((function_definition
  declarator: (function_declarator declarator: [(identifier) (qualified_identifier)] @name)
  . (comment)* . (field_initializer_list) @body
  body: (_) @body) @definition.method (#set! name path))
; Operators, those of conversion too.
((function_definition
  declarator: [
    (function_declarator declarator: [(operator_name) (qualified_identifier name: (operator_name))] @name)
    (reference_declarator (function_declarator declarator: [(operator_name) (qualified_identifier name: (operator_name))] @name))
  ]) @definition.operator (#set! name path))
((field_declaration
  declarator: [
    (function_declarator declarator: (operator_name) @name)
    (reference_declarator (function_declarator declarator: (operator_name) @name))
  ]) @definition.operator (#set! role declaration))
((function_definition declarator: (operator_cast "operator" @name type: (_) @name)) @definition.operator (#set! name span))
(declaration declarator: (init_declarator declarator: (identifier) @name value: (lambda_expression body: (_) @body))) @definition.function
((lambda_expression body: (_) @body) (#set! scope function))

; A template is what its declaration encloses, with the parameters.
((template_declaration
  parameters: (_) . [(requires_clause) (comment) (ERROR)]*
  . [
    (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (field_declaration)
    (alias_declaration) (concept_definition) (template_declaration)
  ] @part) @whole (#set! header whole))

; Sections, not what stands before a base class.
((field_declaration_list (access_specifier ["public" "protected"]) @name) (#set! visibility container))
((field_declaration_list (access_specifier "private") @name) (#set! visibility private))

; Tests: TEST(Suite, Name) {...}.
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_test
    parameters: (parameter_list
      . (parameter_declaration type: (_) @container !declarator)
      . (parameter_declaration type: (type_identifier) @name !declarator) .))) @definition.function
  (#any-of? @_test "TEST" "TEST_F" "TEST_P" "TYPED_TEST")
  (#set! flag test))

; A static member, defined outside of its class; operators of conversion.
((declaration declarator: (qualified_identifier) @name) @definition.variable (#set! name path))
((declaration declarator: (operator_cast "operator" @name type: (_) @name)) @definition.operator
  (#set! name span) (#set! role declaration))

(comment) @doc
