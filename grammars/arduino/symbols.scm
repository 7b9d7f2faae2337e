; Macros. One without a value is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef . "#ifndef" name: (identifier) @_guard . (preproc_def name: (identifier) @name !value) @definition.constant . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))

; Types with a body. Members of an unnamed one belong to the name that the typedef gives it.
(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enumMember
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition
  declarator: [
    (type_identifier) @name
    (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
  ]) @definition.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(field_declaration
  declarator: [
    (field_identifier) @name
    (pointer_declarator declarator: (field_identifier) @name)
    (array_declarator declarator: (field_identifier) @name)
  ]) @definition.field

; Variables; those of functions are left out. Long values are no part of the signature.
(declaration
  declarator: [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator
      declarator: [
        (identifier) @name
        (pointer_declarator declarator: (identifier) @name)
        (array_declarator declarator: (identifier) @name)
        (array_declarator declarator: (array_declarator declarator: (identifier) @name))
      ])
  ]) @definition.variable
(declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name) value: (initializer_list) @body)) @definition.variable
(declaration
  (type_qualifier ["const" "constexpr"])
  declarator: (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])) @definition.constant
(declaration
  (type_qualifier ["const" "constexpr"])
  declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name) value: (initializer_list) @body)) @definition.constant

; Functions; a prototype in a function is none. What is defined for its class elsewhere (`A::b`) is a method.
((declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#set! local none) (#set! role declaration))
((field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
  (#set! role declaration))
(function_definition
  declarator: [
    (function_declarator declarator: [(identifier) (field_identifier)] @name)
    (pointer_declarator declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))
  ]) @definition.function
((function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @definition.method
  (#set! name path))
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @definition.operator
; What an interrupt runs goes by the name of the interrupt.
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))) @definition.function
  (#eq? @_macro "ISR"))
; A constructor's initialisers are no part of its signature.
(function_definition
  declarator: (function_declarator declarator: (identifier) @name) . (comment)* . (field_initializer_list) @body body: (_) @body) @definition.method
((template_declaration parameters: (_) . [(comment) (ERROR)]* . [(class_specifier) (struct_specifier) (function_definition)] @part) @whole (#set! header whole))

; Sections, not what stands before a base class.
((field_declaration_list (access_specifier ["public" "protected"]) @name) (#set! visibility container))
((field_declaration_list (access_specifier "private") @name) (#set! visibility private))

(comment) @doc
