; Types. All of a tuple struct is its header.
(struct_item name: (type_identifier) @name) @definition.struct
((struct_item
  name: (type_identifier) @name
  body: (ordered_field_declaration_list)) @definition.struct (#set! body none))
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type

; The flags of `bitflags!` (see `mend`).
(trait_item name: (type_identifier) @name bounds: (trait_bounds . (primitive_type))) @definition.struct

; Members.
(field_declaration name: (field_identifier) @name) @definition.field
(enum_variant name: (identifier) @name) @definition.enumMember
((enum_variant
  name: (identifier) @name
  body: (ordered_field_declaration_list)) @definition.enumMember (#set! body none))

; Functions, with a body or (in traits and extern blocks) without.
(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(let_declaration
  pattern: (identifier) @name
  value: (closure_expression body: (_) @body)) @definition.function

; Values. What cannot be assigned to is a constant, even where it can be mutated inside.
(const_item name: (identifier) @name) @definition.constant
((trait_item
  bounds: (trait_bounds . (primitive_type))
  body: (declaration_list (const_item name: (identifier) @name) @definition.constant))
  (#set! visibility container))
(static_item name: (identifier) @name) @definition.constant
(static_item (mutable_specifier) name: (identifier) @name) @definition.variable

; Modules; `mod name;` only says where one is.
(mod_item name: (identifier) @name body: (_)) @definition.module

; Macros. A derive macro goes by the name in its attribute, the function below it is how it is made. `macro` is unknown to
; the grammar, which reads `macro name(...)` as a stray word before a name or a call.
(macro_definition name: (identifier) @name ["{" "(" "["] @body) @definition.macro
((attribute_item (attribute . (identifier) @_attribute .)) .
  (attribute_item)* .
  (function_item name: (identifier) @name) @definition.macro
  (#any-of? @_attribute "proc_macro" "proc_macro_attribute"))
((attribute_item
  (_ (identifier) @_attribute arguments: (_ . (identifier) @name))) @definition.macro
  (#eq? @_attribute "proc_macro_derive")
  (#set! visibility exported))
((ERROR (identifier) @_macro .) .
  (expression_statement (_ function: (identifier) @name) @definition.macro)
  (#eq? @_macro "macro"))
((ERROR
  (identifier) @_macro .
  [(identifier) @name (call_expression function: (identifier) @name)]) @definition.macro
  (#eq? @_macro "macro"))

; An impl qualifies its members with its type. That of a trait says so in their signatures, and they are as visible as the
; trait, whatever stands before them.
(impl_item !trait
  type: [
    (type_identifier) @container
    (primitive_type) @container
    (_ name: (_) @container)
    (_ type: [(type_identifier) @container (_ name: (_) @container)] type_arguments: (_))
    (_ "dyn" trait: [
      (type_identifier) @container
      (_ name: (_) @container)
      (_ type: (type_identifier) @container type_arguments: (_))
    ])
    (bounded_type . (_ "dyn" trait: (type_identifier) @container))
    (tuple_type) @container
    (array_type) @container
    (unit_type) @container
    (never_type) @container
    (pointer_type) @container
    (function_type) @container
    (reference_type type: [
      (type_identifier) @container
      (primitive_type) @container
      (_ name: (_) @container)
      (_ type: [(type_identifier) @container (_ name: (_) @container)] type_arguments: (_))
      (_ "dyn" trait: [
        (type_identifier) @container
        (_ name: (_) @container)
        (_ type: (type_identifier) @container type_arguments: (_))
      ])
      (bounded_type . (_ "dyn" trait: (type_identifier) @container))
      (tuple_type) @container
      (array_type) @container
      (unit_type) @container
      (never_type) @container
      (pointer_type) @container
      (function_type) @container
    ])
  ]
  body: (_) @body)
((impl_item trait: (_)
  type: [
    (type_identifier) @container
    (primitive_type) @container
    (_ name: (_) @container)
    (_ type: [(type_identifier) @container (_ name: (_) @container)] type_arguments: (_))
    (_ "dyn" trait: [
      (type_identifier) @container
      (_ name: (_) @container)
      (_ type: (type_identifier) @container type_arguments: (_))
    ])
    (bounded_type . (_ "dyn" trait: (type_identifier) @container))
    (tuple_type) @container
    (array_type) @container
    (unit_type) @container
    (never_type) @container
    (pointer_type) @container
    (function_type) @container
    (reference_type type: [
      (type_identifier) @container
      (primitive_type) @container
      (_ name: (_) @container)
      (_ type: [(type_identifier) @container (_ name: (_) @container)] type_arguments: (_))
      (_ "dyn" trait: [
        (type_identifier) @container
        (_ name: (_) @container)
        (_ type: (type_identifier) @container type_arguments: (_))
      ])
      (bounded_type . (_ "dyn" trait: (type_identifier) @container))
      (tuple_type) @container
      (array_type) @container
      (unit_type) @container
      (never_type) @container
      (pointer_type) @container
      (function_type) @container
    ])
  ]
  body: (_) @body) (#set! scope signature))
((impl_item trait: (_) body: (declaration_list "{" @name)) (#set! visibility exported))

; Docs: `//!` and `/*! */` speak of what they stand in.
(line_comment !inner) @doc
(block_comment !inner) @doc
((line_comment inner: (_)) @doc (#set! doc body))
((block_comment inner: (_)) @doc (#set! doc body))
((attribute_item) @doc (#set! doc attribute))

; Macros around items (`cfg_rt! { pub fn ... }`, `lazy_static! { ... }`): what stands in the braces is read as items.
(source_file (macro_invocation (_ . "{") @source))
(declaration_list (macro_invocation (_ . "{") @source))
