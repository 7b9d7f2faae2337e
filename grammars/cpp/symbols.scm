; Of declarators, `"["` tells an array, `"*"` a pointer, `parameters` a function, and `value` one with a value: to name their types
; takes longer to compile. An alternative `(MISSING)` finds nothing: with it the rest of a list compiles at once (`../README.md`).

; Macros. One without a value is a switch, unless it guards a header. A macro belongs to the file, wherever it stands.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef . "#ifndef" name: (identifier) @_guard
   . (_ "#define" name: (identifier) @name !value !parameters) @definition.constant
   . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_if
   condition: (_ "!" argument: (preproc_defined (identifier) @_guard))
   . (_ "#define" name: (identifier) @name !value !parameters) @definition.constant
   . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))
; In an enum the grammar sees any directive.
((preproc_call directive: (_) @_define argument: (_) @name) @definition.constant
  (#match? @_define "define")
  (#match? @name "^\\w+$")
  (#set! place file))

; Namespaces; what an anonymous one encloses is seen by this file alone.
(namespace_definition name: (_) @name) @definition.namespace
(module_declaration name: (module_name) @name) @definition.module
((namespace_definition !name body: (_) @body) (#set! scope open) (#set! visibility private))

; Types with a body; without one they are only mentioned. What is defined for its container elsewhere names it (`struct A::B`),
; a specialisation goes by the template's name.
((class_specifier name: (_) @name body: (_)) @definition.class (#set! name path))
((struct_specifier name: (_) @name body: (_)) @definition.struct (#set! name path))
((union_specifier name: (_) @name body: (_)) @definition.struct (#set! name path))
((enum_specifier name: (_) @name body: (_)) @definition.enum (#set! name path))
(enumerator name: (identifier) @name) @definition.enumMember
(concept_definition name: (identifier) @name) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type

; Typedefs, by the depth of the name in its declarator. What has a name of its own keeps its members.
((type_definition
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (_ declarator: (type_identifier) @name)
    (_ declarator: (_ declarator: (type_identifier) @name))
    (reference_declarator (type_identifier) @name)
    (_ declarator: (parenthesized_declarator [
      (type_identifier) @name
      (_ declarator: (type_identifier) @name)
      (qualified_identifier name: (_ declarator: (type_identifier) @name))
      (_ declarator: (_ declarator: (type_identifier) @name))
    ]))
    (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name))))
  ]) @definition.type)
((type_definition
  type: (_ body: (_) @body)
  declarator: [(type_identifier) @name (_ declarator: (type_identifier) @name)]) @definition.type (#set! body empty))
(type_definition
  [
    type: (MISSING)
    ([type: (_ ["struct" "union"] !name body: (_) @body)] . declarator: (type_identifier) @name)
  ]) @definition.struct
(type_definition
  [
    type: (MISSING)
    ([type: (_ "class" !name body: (_) @body)] . declarator: (type_identifier) @name)
  ]) @definition.class
(type_definition
  [
    type: (MISSING)
    ([type: (_ "enum" !name body: (_) @body)] . declarator: (type_identifier) @name)
  ]) @definition.enum

; Fields; one of an anonymous type encloses that one's fields.
(field_declaration
  declarator: [
    (_ [
      ("*" declarator: (field_identifier) @name)
      ([declarator: (field_identifier) @name] "[")
      ([declarator: (parenthesized_declarator (field_identifier) @name)] "[")
      declarator: [
        (_ declarator: [
          (field_identifier) @name
          (parenthesized_declarator (_ declarator: [
            (field_identifier) @name
            (_ declarator: (field_identifier) @name)
          ]))
        ])
        (reference_declarator (field_identifier) @name)
        (parenthesized_declarator [
          (_ declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
          (reference_declarator (field_identifier) @name)
        ])
      ]
    ])
    (field_identifier) @name
    (reference_declarator (field_identifier) @name)
  ]) @definition.field
; One that is static stands elsewhere, unless it has its value here or is inline.
((field_declaration
  [
    type: (MISSING)
    ((storage_class_specifier "static")
      declarator: [
        (field_identifier) @name
        (_ !parameters declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
        (reference_declarator (field_identifier) @name)
      ])
  ]
  !default_value) @definition.field (#set! role declaration))
(field_declaration
  [
    ([declarator: (_ declarator: (field_identifier) @name "[")] default_value: (initializer_list) @body)
    ([declarator: (field_identifier) @name] default_value: (initializer_list) @body)
    ((storage_class_specifier "inline")
      declarator: [
        (field_identifier) @name
        (_ !parameters declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
        (reference_declarator (field_identifier) @name)
      ])
  ]) @definition.field
(field_declaration
  [
    type: (MISSING)
    ([type: (_ !name body: (_) @body)] declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
  ]) @definition.field
((field_declaration
  [
    type: (MISSING)
    ([type: (_ name: (_) body: (_) @body)] declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name)])
  ]) @definition.field (#set! body empty))
(field_declaration
  [
    type: (MISSING)
    ((storage_class_specifier "static")
      (type_qualifier ["const" "constexpr"])
      declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name "[")])
  ]) @definition.constant
((field_declaration
  [
    type: (MISSING)
    ((storage_class_specifier "static")
      (type_qualifier "const")
      declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name "[")])
  ]
  !default_value) @definition.constant (#set! role declaration))
(field_declaration
  [
    type: (MISSING)
    ((storage_class_specifier "inline")
      (type_qualifier "const")
      declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name "[")])
    ((type_qualifier "constexpr")
      (storage_class_specifier "static")
      declarator: [(field_identifier) @name (_ declarator: (field_identifier) @name "[")])
  ]) @definition.constant

; Variables outside of functions. Long values and the code of lambdas are no part of the signature.
((declaration
  declarator: [
    (_ [
      ("*" declarator: [(identifier) (qualified_identifier)] @name)
      ([declarator: (_ "*" declarator: (reference_declarator [(identifier) (qualified_identifier)] @name))] value: (_))
      declarator: [
        (_ declarator: [
          (identifier) @name
          (qualified_identifier) @name
          (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
          (parenthesized_declarator (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)]))
        ])
        (reference_declarator [(identifier) (qualified_identifier)] @name)
        (parenthesized_declarator [
          (_ declarator: [(identifier) @name (_ declarator: (identifier) @name)])
          (reference_declarator (identifier) @name)
        ])
      ]
    ])
    (identifier) @name
    (qualified_identifier) @name
    (reference_declarator (identifier) @name)
    (_ declarator: [(identifier) (qualified_identifier)] @name "[")
    (_ declarator: [(identifier) (qualified_identifier) (template_function)] @name value: (_))
  ]) @definition.variable (#set! name path))
((declaration
  declarator: (_
    declarator: [
      (identifier) @name
      (_ declarator: [
        (identifier) @name
        (qualified_identifier) @name
        (_ declarator: [(identifier) (qualified_identifier)] @name)
      ])
    ]
    value: (initializer_list) @body)) @definition.variable (#set! name path))
((declaration
  [
    type: (MISSING)
    ([type: (_ body: (_) @body)] declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]) @definition.variable (#set! body empty))
(declaration
  [
    type: (MISSING)
    ([type: (_ !name body: (_) @body)] declarator: [(identifier) @name (_ declarator: (identifier) @name)])
  ]) @definition.variable

; The parts of a value, each with a name: `auto [a, b] = f();`.
(declaration
  declarator: (_ declarator: [
    (structured_binding_declarator (identifier) @name)
    (reference_declarator (structured_binding_declarator (identifier) @name))
  ])) @definition.variable

; A pointer to a function whose type has a name: behind a name parentheses are a call.
(expression_statement
  [
    (assignment_expression
      left: (_
        function: (_ arguments: (_ . (_ operator: ["*" "&"] argument: (identifier) @name) .))))
    (_
      function: (_
        function: (identifier)
        arguments: (_ . (_ operator: ["*" "&"] argument: (identifier) @name) .)))
  ]) @definition.variable

; Constant is what is `const` itself, not what it points to.
((declaration
  [
    declarator: (_
      declarator: (_ "*"
        (type_qualifier "const")
        declarator: [(identifier) @name (_ declarator: [(identifier) (qualified_identifier)] @name "[")])
      value: (_))
    ((type_qualifier ["const" "constexpr"])
      declarator: [
        (identifier) @name
        (qualified_identifier) @name
        (_ declarator: (identifier) @name "[")
        (_ declarator: [(identifier) (qualified_identifier) (template_function)] @name value: (_))
        (_ declarator: (_ declarator: [(identifier) (qualified_identifier)] @name "[") value: (_))
        (_
          declarator: [
            (identifier) @name
            (_ declarator: [(identifier) (qualified_identifier)] @name "[")
            (_ declarator: (_ declarator: (identifier) @name "[") "[")
          ]
          value: (initializer_list) @body)
        (_ declarator: (structured_binding_declarator (identifier) @name))
      ])
    ((type_qualifier "constexpr")
      declarator: (_ declarator: (_ "*" declarator: (identifier) @name) value: (_)))
  ]) @definition.constant (#set! name path))
; The members of a type without a name belong to what it is the type of, constant or not.
(declaration
  [
    type: (MISSING)
    ((type_qualifier ["const" "constexpr"])
      type: (_ !name body: (_) @body)
      declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name)
        (_ declarator: (_ declarator: (identifier) @name "[") value: (_))
      ])
  ]) @definition.constant

; A lambda bound to a name.
(declaration
  declarator: (_
    declarator: (identifier) @name value: (_ captures: (_) body: (_) @body))) @definition.function
((lambda_expression body: (_) @body) (#set! scope function))

; Declarations of functions, of the file, and of classes. In a function they are none; friends stand elsewhere. Without a type
; they are constructors, or calls of macros.
((declaration
  !type
  declarator: (_ declarator: [(identifier) (destructor_name)] @name parameters: (_))) @definition.function
  (#not-match? @name "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$") (#set! local none) (#set! role declaration))
((declaration
  type: (_)
  declarator: (_ [
    ([declarator: (parenthesized_declarator (identifier) @name)] parameters: (_))
    (_ [
      (_ declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name parameters: (_))
      ([declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name] parameters: (_))
    ])
    ([declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name] parameters: (_))
  ])) @definition.function (#set! name path) (#set! local none) (#set! role declaration))
((field_declaration
  declarator: (_ [
    ([declarator: (parenthesized_declarator (field_identifier) @name)] parameters: (_))
    (_ [
      (_ declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name parameters: (_))
      ([declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name] parameters: (_))
    ])
    ([declarator: [(identifier) (field_identifier) (destructor_name) (template_function)] @name] parameters: (_))
  ])) @definition.function (#set! name path) (#set! role declaration))
((friend_declaration (declaration) @body) (#set! scope function))

; Functions. What is defined for its container elsewhere (`A::b`) is a method. Without a type it is a constructor in a class,
; and elsewhere returns int or is a macro that makes a function: its first argument tells which.
((function_definition
  type: (_)
  declarator: (_ [
    ([declarator: (parenthesized_declarator [(identifier) (field_identifier)] @name)] parameters: (_))
    (_ [
      (_ declarator: [(identifier) (field_identifier) (template_function)] @name parameters: (_))
      ([declarator: [(identifier) (field_identifier) (template_function)] @name] parameters: (_))
    ])
    ([declarator: [(identifier) (field_identifier) (template_function)] @name] parameters: (_))
  ])) @definition.function (#set! name path))
((function_definition
  !type
  declarator: (_ declarator: (identifier) @name parameters: (_))) @definition.function
  (#not-match? @name "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$|^(TEST|CASE|SCENARIO)$"))
((field_declaration_list
  (function_definition
    !type
    declarator: (_ declarator: (identifier) @name parameters: (_))) @definition.method))
(function_definition
  !type
  [
    declarator: (_ declarator: (destructor_name) @name parameters: (_))
    ([declarator: (_ declarator: (identifier) @name parameters: (_))]
      . (comment)* . (field_initializer_list) @body
      body: (_) @body)
  ]) @definition.method
((function_definition
  declarator: (_ [
    ([declarator: (qualified_identifier) @name] parameters: (_))
    (_ [
      ([declarator: (qualified_identifier) @name] parameters: (_))
      (_ declarator: (qualified_identifier) @name parameters: (_))
    ])
  ])) @definition.method (#set! name path))
((function_definition
  [
    declarator: (MISSING)
    ([declarator: (_ declarator: (qualified_identifier) @name parameters: (_))]
      . (comment)* . (field_initializer_list) @body
      body: (_) @body)
  ]) @definition.method (#set! name path))
((function_definition
  !type
  declarator: (_
    declarator: (identifier) @_macro
    parameters: (_ . (_ type: (type_identifier) @name !declarator !default_value) .))) @definition.function
  (#match? @_macro "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$") (#set! local none))

; The name is the first argument of a macro: `void NAME_OF(f)(int *n)`.
([
    (declaration declarator: [
      (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_))
      (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_)))
    ])
    (field_declaration declarator: (_ declarator: (_ declarator: (field_identifier) @name parameters: (_)) parameters: (_)))
    (function_definition declarator: [
      (_ declarator: (_ declarator: [(identifier) (field_identifier)] @name parameters: (_)) parameters: (_))
      (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_)))
    ])
  ] @definition.function (#set! name none))
((declaration
  declarator: [
    (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_))
    (_ declarator: (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_)))
  ]) @definition.function (#set! local none) (#set! role declaration))
((field_declaration
  declarator: (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_)))
  @definition.function (#set! role declaration))
(function_definition
  declarator: [
    (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_))
    (_ declarator: (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_)))
  ]) @definition.function

; What such a macro makes is a function, whatever its name.
((function_definition !type [declarator: (MISSING) body: (_) @body]) (#set! scope function))

; Operators, those of conversion too.
((declaration
  declarator: (_ [
    ([declarator: (operator_name) @name] parameters: (_))
    (_ declarator: (operator_name) @name parameters: (_))
  ])) @definition.operator (#set! local none) (#set! role declaration))
((field_declaration
  declarator: (_ [
    ([declarator: (operator_name) @name] parameters: (_))
    (_ declarator: (operator_name) @name parameters: (_))
  ])) @definition.operator (#set! role declaration))
((function_definition
  declarator: (_ [
    ([declarator: (operator_name) @name] parameters: (_))
    ([declarator: (_ name: (operator_name)) @name] parameters: (_))
    ([declarator: (_ name: (_ name: (operator_name))) @name] parameters: (_))
    (_ [
      ([declarator: (operator_name) @name] parameters: (_))
      ([declarator: (_ name: (operator_name)) @name] parameters: (_))
      ([declarator: (_ name: (_ name: (operator_name))) @name] parameters: (_))
    ])
  ])) @definition.operator (#set! name path))
((function_definition
  declarator: (_ "operator" @name type: (_) @name declarator: (_ ["*" "&" "&&"]? @name))) @definition.operator
  (#set! name span))
((declaration
  declarator: (_ "operator" @name type: (_) @name declarator: (_ ["*" "&" "&&"]? @name))) @definition.operator
  (#set! name span) (#set! role declaration))
((function_definition
  declarator: (_
    scope: [(namespace_identifier) @container (_ name: (_) @container)]
    name: [
      (_ "operator" @name type: (_) @name declarator: (_ ["*" "&" "&&"]? @name))
      (_
        scope: [(namespace_identifier) @container (_ name: (_) @container)]
        name: (_ "operator" @name type: (_) @name declarator: (_ ["*" "&" "&&"]? @name)))
    ])) @definition.operator (#set! name span))
; `A::operator bool()` outside of its class, which the grammar takes for a function `bool` of a type `A::operator`.
((function_definition
  [
    declarator: (MISSING)
    ([type: (_
        scope: [(namespace_identifier) @container (_ name: (_) @container)]
        name: (type_identifier) @name @_word)]
      declarator: (_ declarator: (identifier) @name parameters: (_)))
  ]) @definition.operator
  (#eq? @_word "operator")
  (#set! name span))
((function_definition
  [
    declarator: (MISSING)
    ([type: (_ scope: (_) name: (type_identifier) @_word)] declarator: (_ declarator: (identifier) @name parameters: (_)))
  ]) @definition.function
  (#eq? @_word "operator")
  (#set! name none))
; What is defaulted outside of its class.
((expression_statement
  (assignment_expression left: (_ function: (qualified_identifier) @name) right: (identifier) @_value)) @definition.method
  (#eq? @_value "default") (#set! name path) (#set! local none))
((declaration
  declarator: (_
    declarator: [
      (_ declarator: (_ name: (operator_name)) @name parameters: (_))
      (_ (_ declarator: (_ name: (operator_name)) @name parameters: (_)))
    ] value: (_))) @definition.operator (#set! name path) (#set! local none))

; A template is what its declaration encloses, with the parameters.
((template_declaration
  parameters: (_) . [(requires_clause) (comment) (ERROR)]*
  . [
    (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (field_declaration)
    (alias_declaration) (concept_definition) (template_declaration)
  ] @part) @whole (#set! header whole))

; Sections, not what stands before a base class.
([
    (field_declaration_list (access_specifier ["public" "protected"]) @name)
    (preproc_if (access_specifier ["public" "protected"]) @name)
    (preproc_ifdef (access_specifier ["public" "protected"]) @name)
    (preproc_else (access_specifier ["public" "protected"]) @name)
  ] (#set! visibility container))
([
    (field_declaration_list (access_specifier "private") @name)
    (preproc_if (access_specifier "private") @name)
    (preproc_ifdef (access_specifier "private") @name)
    (preproc_else (access_specifier "private") @name)
  ] (#set! visibility private))

; Tests: TEST(Suite, Name) {...}, TEST_CASE("name") {...}.
((function_definition
  !type
  declarator: (_
    declarator: (identifier) @_test
    parameters: (_
      . (_ type: (_) @container !declarator !default_value)
      . (_ type: [(type_identifier) (primitive_type)] @name !declarator !default_value) .))) @definition.function
  (#match? @_test "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|GTEST_TEST|FUZZ_TEST|BENCHMARK_F|BENCHMARK_DEFINE_F|FRIEND_TEST|MOCK_TEST)$")
  (#set! flag test))
((function_definition
  !type
  declarator: (_
    declarator: (identifier) @_test
    parameters: (_ . (_ type: (type_identifier) @name !declarator !default_value) .))) @definition.function
  (#match? @_test "^(TEST|TEST_METHOD|CASE|SCENARIO\\w*|\\w*TEST_CASE\\w*|START_TEST)$")
  (#set! flag test))
((function_definition
  !type
  declarator: (_
    declarator: (identifier) @_test
    parameters: (_
      . (_ type: (type_identifier) @name !declarator !default_value)
      . (parameter_declaration) .))) @definition.function
  (#any-of? @_test "BOOST_FIXTURE_TEST_CASE" "BOOST_AUTO_TEST_CASE" "BOOST_DATA_TEST_CASE")
  (#set! flag test))
([
    (ERROR (_
      function: (identifier) @_test
      arguments: (_ . (string_literal (string_content) @name))) .)
    (expression_statement (_
      function: (identifier) @_test
      arguments: (_ . (string_literal (string_content) @name))))
  ] @definition.function .
  (compound_statement) @body
  (#any-of? @_test "SECTION" "DYNAMIC_SECTION" "SUBCASE" "GIVEN" "AND_GIVEN" "WHEN" "AND_WHEN" "THEN" "AND_THEN")
  (#set! flag test))

; A macro that makes a function, and is given more than names.
([
    (ERROR (_
      function: (identifier) @_macro arguments: (_ . (identifier) @name)) .)
    (expression_statement (_
      function: (identifier) @_macro arguments: (_ . (identifier) @name)))
  ] @definition.function .
  (compound_statement) @body
  (#match? @_macro "^[A-Z][A-Z0-9_]*$")
  (#set! local none))
([
    (ERROR (_
      function: (identifier) @_test arguments: (_ . (identifier) @name)) .)
    (expression_statement (_
      function: (identifier) @_test arguments: (_ . (identifier) @name)))
  ] @definition.function .
  (compound_statement) @body
  (#match? @_test "^TEST(_[A-Z0-9]+)*$")
  (#set! flag test) (#set! local none))

(comment) @doc
