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
((preproc_call directive: (_) @_define argument: (_) @name) @definition.macro
  (#match? @_define "define")
  (#match? @name "^\\w+[(]")
  (#set! place file))

; Types with a body; without one they are only mentioned.
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enumMember

; Typedefs, by the depth of the name in its declarator. What has a name of its own keeps its members.
(type_definition
  declarator: [
    (type_identifier) @name
    (primitive_type) @name
    (_ declarator: [
      (type_identifier) @name
      (_ declarator: [
        (type_identifier) @name
        (parenthesized_declarator [
          (type_identifier) @name
          (_ declarator: (type_identifier) @name)
        ])
      ])
      (parenthesized_declarator [
        (type_identifier) @name
        (_ declarator: [
          (type_identifier) @name
          (_ declarator: [
            (type_identifier) @name
            (parenthesized_declarator (_ declarator: (type_identifier) @name))
          ])
        ])
      ])
    ])
    (parenthesized_declarator (type_identifier) @name)
  ]) @definition.type
((type_definition
  type: (_ body: (_) @body)
  declarator: [
    (type_identifier) @name
    (_ declarator: [
      (type_identifier) @name
      (_ declarator: (type_identifier) @name)
    ])
  ]) @definition.type (#set! body empty))
(type_definition
  type: (_ ["struct" "union"] !name body: (_) @body) . declarator: (type_identifier) @name) @definition.struct
(type_definition type: (_ "enum" !name body: (_) @body) . declarator: (type_identifier) @name) @definition.enum

; Fields; one of an anonymous type encloses that one's fields.
(field_declaration
  [
    declarator: (_ declarator: [
      (field_identifier) @name
      (_ declarator: [
        (field_identifier) @name
        (_ declarator: (field_identifier) @name)
        (parenthesized_declarator (_ declarator: [
          (field_identifier) @name
          (_ declarator: (field_identifier) @name)
        ]))
        (_ declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)) parameters: (_))
      ])
      (parenthesized_declarator (_ declarator: [
        (field_identifier) @name
        (_ declarator: (field_identifier) @name)
      ]))
    ])
    declarator: (field_identifier) @name
    ([type: (_ !name body: (_) @body)]
      declarator: [
        (field_identifier) @name
        (_ declarator: [
          (field_identifier) @name
          (_ declarator: (field_identifier) @name)
        ])
      ])
    ([type: [(primitive_type) (sized_type_specifier)]]
      declarator: [
        (parenthesized_declarator (field_identifier) @name)
        (_ declarator: (parenthesized_declarator (field_identifier) @name))
      ])
  ]) @definition.field
((field_declaration
  type: (_ name: (_) body: (_) @body)
  declarator: [
    (field_identifier) @name
    (_ declarator: [
      (field_identifier) @name
      (_ declarator: (field_identifier) @name)
    ])
  ]) @definition.field (#set! body empty))

; Variables of the file; those of functions are left out. Long values are no part of the signature.
(declaration
  [
    declarator: (_ declarator: [
      (identifier) @name
      (_ declarator: [
        (identifier) @name
        (_ declarator: [
          (identifier) @name
          (_ declarator: (identifier) @name)
        ])
        (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name)) parameters: (_))
      ])
      (_ declarator: (parenthesized_declarator (_ declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name)
      ])) parameters: (_))
    ])
    declarator: (identifier) @name
    declarator: (_ declarator: (parenthesized_declarator (_ declarator: [
      (identifier) @name
      (_ declarator: (identifier) @name)
    ])) parameters: (_))
    declarator: (_ declarator: (parenthesized_declarator
      (_ declarator: (_ declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))) "[")
    ; A name in parentheses: behind a name it would be a call.
    ([type: [(primitive_type) (sized_type_specifier)]]
      declarator: [
        (parenthesized_declarator (identifier) @name)
        (_ declarator: (parenthesized_declarator (identifier) @name))
      ])
  ]) @definition.variable
(declaration
  declarator: (_
        declarator: [
          (identifier) @name
          (_ declarator: [
            (identifier) @name
            (_ declarator: (identifier) @name)
          ])
        ]
        value: (initializer_list) @body)) @definition.variable
((declaration
  [
    type: (MISSING)
    ([type: (_ body: (_) @body)]
      declarator: [
        (identifier) @name
        (_ declarator: [
          (identifier) @name
          (_ declarator: (identifier) @name)
        ])
      ])
  ]) @definition.variable (#set! body empty))
(declaration
  [
    type: (MISSING)
    ([type: (_ !name body: (_) @body)]
      declarator: [
        (identifier) @name
        (_ declarator: [
          (identifier) @name
          (_ declarator: (identifier) @name)
        ])
      ])
  ]) @definition.variable

; A pointer to a function whose type has a name: behind a name parentheses are a call.
(expression_statement
  [
    (assignment_expression
      left: (_
        function: (_ arguments: (_ . (pointer_expression argument: (identifier) @name) .))))
    (_
      function: (_
        function: (identifier)
        arguments: (_ . (pointer_expression argument: (identifier) @name) .)))
  ]) @definition.variable

; Constant is what is `const` itself, not what it points to.
(declaration
  [
    declarator: (_
      declarator: (_
        (_ "const")
        declarator: [(identifier) @name (_ declarator: (identifier) @name)])
      value: [(initializer_list) @body (_)])
    declarator: (pointer_declarator
      (type_qualifier "const")
      declarator: [(identifier) @name (_ declarator: (identifier) @name)])
    ((type_qualifier ["const" "constexpr"])
      declarator: [
        (identifier) @name
        (_ declarator: (identifier) @name "[")
        (_ declarator: (_ declarator: (identifier) @name "[") "[")
        (init_declarator
          declarator: [
            (identifier) @name
            (_ declarator: (identifier) @name "[")
            (_ declarator: (_ declarator: (identifier) @name "[") "[")
          ]
          value: (initializer_list)? @body)
      ])
  ]) @definition.constant

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

; Prototypes: the name stands directly under its parameters. In a function they are none.
((declaration
  declarator: (_ [
    ([declarator: (identifier) @name] parameters: (_))
    ([declarator: (parenthesized_declarator (identifier) @name)] parameters: (_))
    declarator: (_ [
      ([declarator: (identifier) @name] parameters: (_))
      ([declarator: (parenthesized_declarator (identifier) @name)] parameters: (_))
      declarator: (_ [
        ([declarator: (identifier) @name] parameters: (_))
        declarator: (_ declarator: (identifier) @name parameters: (_))
      ])
    ])
    declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name parameters: (_))))
  ])) @definition.function (#set! local none) (#set! role declaration))

((declaration
  declarator: [
    (_
      declarator: (identifier) @name parameters: (_)
      (attribute_specifier (_ [
        (identifier) @_attribute
        (_ function: (identifier) @_attribute)
      ])))
    (_ declarator: (_
      declarator: (identifier) @name parameters: (_)
      (attribute_specifier (argument_list [
        (identifier) @_attribute
        (_ function: (identifier) @_attribute)
      ]))))
  ]) @definition.function
  (#any-of? @_attribute "deprecated" "__deprecated__")
  (#set! flag deprecated) (#set! local none) (#set! role declaration))

; Functions.
(function_definition
  [
    ([type: (_)]
      declarator: (_ [
        ([declarator: (identifier) @name] parameters: (_))
        ([declarator: (parenthesized_declarator (identifier) @name)] parameters: (_))
        declarator: (_ [
          ([declarator: (identifier) @name] parameters: (_))
          ([declarator: (parenthesized_declarator (identifier) @name)] parameters: (_))
          declarator: (_ [
            ([declarator: (identifier) @name] parameters: (_))
            declarator: (_ declarator: (identifier) @name parameters: (_))
          ])
        ])
        declarator: (parenthesized_declarator (_ declarator: (_ declarator: (identifier) @name parameters: (_))))
      ]))
    ; Without a type they return int, as of old.
    ([type: (type_identifier)] declarator: (parenthesized_declarator (identifier) @name))
  ]) @definition.function
; The name is the first argument of a macro: `void NAME_OF(f)(int *n)`.
([
    (declaration declarator: [
      (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_))
      (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_)))
    ])
    (function_definition declarator: [
      (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_))
      (_ declarator: (_ declarator: (_ declarator: (identifier) @name parameters: (_)) parameters: (_)))
    ])
  ] @definition.function (#set! name none))
((declaration
  declarator: [
    (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_))
    (_ declarator: (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_)))
  ]) @definition.function (#set! local none) (#set! role declaration))
(function_definition
  declarator: [
    (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_))
    (_ declarator: (_ declarator: (_ parameters: (_ . (_ type: (type_identifier) @name !declarator))) parameters: (_)))
  ]) @definition.function
; A call before a block returns int, too, or is a macro that makes a function: its first argument tells which.
([
    (ERROR (_ function: (identifier) @name) .)
    (expression_statement (_ function: (identifier) @name))
  ] @definition.function .
  (compound_statement) @body
  (#not-match? @name "^[A-Z][A-Z0-9_]*$")
  (#set! local none))
([
    (ERROR (_
      function: (identifier) @_macro arguments: (_ . (identifier) @name)) .)
    (expression_statement (_
      function: (identifier) @_macro arguments: (_ . (identifier) @name)))
  ] @definition.function .
  (compound_statement) @body
  (#match? @_macro "^[A-Z][A-Z0-9_]*$")
  (#set! local none))
; The declarations between an old function's parameters and its body.
((function_definition (declaration) @body) (#set! scope function))

(comment) @doc
