; Types.
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type

; Members.
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.enumMember

; Functions, with a body or (in traits and extern blocks) without.
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(let_declaration
  pattern: (identifier) @name
  value: (closure_expression body: (_) @body)) @definition.function

; Values.
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable

; Modules; `mod name;` only says where one is.
(mod_item name: (identifier) @name body: (_)) @definition.module

; Macros.
(macro_definition name: (identifier) @name) @definition.macro

; An impl qualifies its members with its type; that of a trait says so in their signatures.
((impl_item !trait
  type: [
    (type_identifier) @container
    (primitive_type) @container
    (generic_type type: [
      (type_identifier) @container
      (scoped_type_identifier name: (type_identifier) @container)
    ])
    (scoped_type_identifier name: (type_identifier) @container)
  ]
  body: (_) @body))
((impl_item trait: (_)
  type: [
    (type_identifier) @container
    (primitive_type) @container
    (generic_type type: [
      (type_identifier) @container
      (scoped_type_identifier name: (type_identifier) @container)
    ])
    (scoped_type_identifier name: (type_identifier) @container)
  ]
  body: (_) @body) (#set! scope signature))

(line_comment !inner) @doc
(block_comment !inner) @doc
((attribute_item) @doc (#set! doc attribute))

; Macros around items (`cfg_rt! { pub fn ... }`, `lazy_static! { ... }`): what stands in the braces is read as items.
(source_file (macro_invocation (token_tree . "{") @source))
(declaration_list (macro_invocation (token_tree . "{") @source))
