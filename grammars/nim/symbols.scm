; Routines. A doc comment stands before the body, as a node that the grammar does not announce: hence the wildcards.
[
  (proc_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (func_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (iterator_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (converter_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
] @definition.function
(_ ["proc" "func" "iterator" "converter"] name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment) @body body: (_) @body) @definition.function
((proc_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)] !body) @definition.function (#set! role declaration))
(method_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]) @definition.method
(_ "method" name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment) @body body: (_) @body) @definition.method
[
  (template_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (macro_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
] @definition.macro
(_ ["template" "macro"] name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]
  (documentation_comment) @body body: (_) @body) @definition.macro

; Types.
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])) @definition.type
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (object_declaration)) @definition.struct
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (ref_type (object_declaration))) @definition.class
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (object_declaration (field_declaration_list) @body)) @definition.struct
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (ref_type (object_declaration (field_declaration_list) @body))) @definition.class
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (_ (documentation_comment) @body (field_declaration_list) @body)) @definition.struct
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (ref_type (_ (documentation_comment) @body (field_declaration_list) @body))) @definition.class
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (type_expression (tuple_type (field_declaration_list) @body))) @definition.struct
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (tuple_type "tuple" . (_) @body (_)? @body .)) @definition.struct
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (enum_declaration "enum" @body (_) @body .)) @definition.enum
(type_declaration
  (type_symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])
  (concept_declaration body: (_) @body)) @definition.interface
; Members of objects, in their branches, and of tuples that have a name.
(object_declaration (field_declaration_list (field_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field))
(_ consequence: (field_declaration_list (field_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field))
(_ (documentation_comment) (field_declaration_list (field_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field))
(type_declaration (tuple_type (field_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field))
(type_declaration (_ (tuple_type (field_declaration_list (field_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field))))
(variant_discriminator_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.field
((enum_field_declaration (symbol_declaration name: (_) @name)) @definition.enumMember (#set! visibility container))

; Values.
(variable_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.variable
(variable_declaration
  (symbol_declaration_list (tuple_deconstruct_declaration (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])))) @definition.variable
(const_section (variable_declaration (symbol_declaration_list (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)]))) @definition.constant)
(const_section (variable_declaration
  (symbol_declaration_list (tuple_deconstruct_declaration (symbol_declaration name: [(identifier) @name (accent_quoted) @name (exported_symbol (_) @name)])))) @definition.constant)

; `*` behind a name exports it.
((exported_symbol (identifier) @name) (#set! visibility exported) (#set! scope name))
((exported_symbol (accent_quoted (_) @name)) (#set! visibility exported) (#set! scope name))

; Suites and cases of unittest, by their text.
((call
  function: (identifier) @_call
  (argument_list . (interpreted_string_literal) @name (statement_list) @body)) @definition.module
  (#eq? @_call "suite")
  (#set! flag test))
((call
  function: (identifier) @_call
  (argument_list . (interpreted_string_literal) @name (statement_list) @body)) @definition.function
  (#eq? @_call "test")
  (#set! flag test))

((proc_expression body: (_) @body) (#set! scope function))
((block body: (_) @body) (#set! scope function))
((for body: (_) @body) (#set! scope function))
((while body: (_) @body) (#set! scope function))
((call function: (identifier) @_call (argument_list (statement_list) @body))
  (#eq? @_call "runnableExamples")
  (#set! scope function))
((documentation_comment) @doc (#set! doc body))
(comment) @doc
