; What the C in it defines. A function belongs to the file, even inside an `@implementation`.
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
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enumMember
(type_definition
  declarator: [
    (type_identifier) @name
    (_ declarator: (type_identifier) @name)
    (function_declarator declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))
    (pointer_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name))))
  ]) @definition.type
((type_definition type: (_ name: (_) body: (_) @body) declarator: (type_identifier) @name) @definition.type
  (#set! body empty))
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @definition.enum
(field_declaration
  declarator: [
    (field_identifier) @name
    (_ declarator: (field_identifier) @name)
    (_ declarator: (_ declarator: (field_identifier) @name))
    (function_declarator declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name)))
    (pointer_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (field_identifier) @name))))
  ]) @definition.field
(declaration
  declarator: [
    (identifier) @name
    (_ declarator: (identifier) @name)
    (init_declarator declarator: (_ declarator: (identifier) @name))
    (_ declarator: (_ declarator: (identifier) @name))
    (init_declarator declarator: (_ declarator: (_ declarator: (identifier) @name)))
    (function_declarator declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
    (init_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))
    (init_declarator declarator: (pointer_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))))
    (pointer_declarator declarator: (function_declarator
      declarator: (parenthesized_declarator (_ declarator: (identifier) @name))))
  ]) @definition.variable
(declaration
  declarator: [
    (pointer_declarator (type_qualifier "const") declarator: (identifier) @name)
    (init_declarator declarator: (pointer_declarator (type_qualifier "const") declarator: (identifier) @name))
  ]) @definition.constant
((declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ declarator: (function_declarator declarator: (identifier) @name))
  ]) @definition.function (#set! role declaration) (#set! local none) (#set! place file))
((function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (_ declarator: (function_declarator declarator: (identifier) @name))
  ]) @definition.function (#set! place file))

; Classes and protocols. Between header and `@end` is no node: the body begins with the first member behind a part of the header.
; Members of a category belong to its class; it is named beside that. An extension `()` has no name of its own.
(class_interface . (identifier) @name "@end" @body) @definition.class
(class_interface !superclass . (identifier) @name . (_) @body "@end" @body) @definition.class
(class_interface . (identifier) @name superclass: (_) . (_) @body "@end" @body) @definition.class
(class_interface
  . (identifier) @name superclass: (_) . (parameterized_arguments) . (_) @body "@end" @body) @definition.class
(class_interface . (identifier) @name ")" . (_) @body "@end" @body) @definition.class
(class_implementation . (identifier) @name "@end" @body) @definition.class
(class_implementation . (identifier) @name . (_) @body "@end" @body) @definition.class
(class_implementation . (identifier) @name ")" . (_) @body "@end" @body) @definition.class
((class_interface . (identifier) @container category: (identifier) @name ")" @body "@end" @body) @definition.class
  (#set! body empty))
(protocol_declaration . (identifier) @name "@end" @body) @definition.interface
(protocol_declaration . (identifier) @name . (_) @body "@end" @body) @definition.interface
(protocol_declaration . (identifier) @name (protocol_reference_list) . (_) @body "@end" @body) @definition.interface

; Members. A method is named by its selector.
((instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (function_declarator declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
])) @definition.field) (#set! visibility private))
((instance_variable (_ (declaration
  declarator: [(identifier) @name (_ declarator: (identifier) @name)]) @definition.field)) (#set! visibility private))
(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (_ declarator: (identifier) @name)))
]))) @definition.property
((method_declaration (method_type)? . (comment)* . (identifier) @name
    . [(method_parameter ":" @name) ((identifier) @name . (method_parameter ":" @name)) (comment)]* ";" @body) @definition.method
  (#set! name joined) (#set! role declaration))
((method_definition (method_type)? . (comment)* . (identifier) @name
    . [(method_parameter ":" @name) ((identifier) @name . (method_parameter ":" @name)) (comment)]* (compound_statement) @body) @definition.method
  (#set! name joined))
((protocol_declaration (method_declaration (method_type)? . (comment)* . (identifier) @name
    . [(method_parameter ":" @name) ((identifier) @name . (method_parameter ":" @name)) (comment)]*) @definition.method)
  (#set! name joined))
((qualified_protocol_interface_declaration
  (method_declaration (method_type)? . (comment)* . (identifier) @name
    . [(method_parameter ":" @name) ((identifier) @name . (method_parameter ":" @name)) (comment)]*) @definition.method)
  (#set! name joined))

; What stands here is local.
((block_literal (compound_statement) @body) (#set! scope function))

(comment) @doc
