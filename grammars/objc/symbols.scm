; What C has. A function belongs to the file, even inside an `@implementation`.
((declaration
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  ]) @definition.function (#set! role declaration) (#set! local none) (#set! place file))
((function_definition
  declarator: [
    (function_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
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
    . [(method_parameter ":" @name) ((identifier) @name . (method_parameter ":" @name)) (comment)]* (_ . "{") @body) @definition.method
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
