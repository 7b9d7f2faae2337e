; Modules.
(module_definition name: (identifier) @name (block) @body) @definition.module
(module_definition name: (identifier) @name . "end" @body) @definition.module

; Variables of the file or of a module.
(source_file [
  (assignment . (identifier) @name)
  (assignment . (typed_expression . (identifier) @name))
  (assignment . (open_tuple (identifier) @name))
] @definition.variable)
(module_definition (block [
  (assignment . (identifier) @name)
  (assignment . (typed_expression . (identifier) @name))
  (assignment . (open_tuple (identifier) @name))
] @definition.variable))
(global_statement [
  (assignment . (identifier) @name)
  (assignment . (typed_expression . (identifier) @name))
]) @definition.variable
(const_statement [
  (assignment . (identifier) @name)
  (assignment . (typed_expression . (identifier) @name))
  (assignment . (open_tuple (identifier) @name))
]) @definition.constant
(const_statement (assignment . (parametrized_type_expression . (identifier) @name))) @definition.type

; Types: `Name`, `Name{T}`, `Name <: Super`, `Name{T} <: Super`.
(abstract_definition (type_head [
  (identifier) @name
  (_ . (identifier) @name)
  (_ . (_ . (identifier) @name))
])) @definition.type
(primitive_definition (type_head [
  (identifier) @name
  (_ . (identifier) @name)
])) @definition.type
(struct_definition
  (type_head [
    (identifier) @name
    (_ . (identifier) @name)
    (_ . (_ . (identifier) @name))
  ])
  (block)? @body "end" @body) @definition.struct
(struct_definition (block [
  (identifier) @name
  (_ . (identifier) @name)
  (_ . (typed_expression . (identifier) @name))
] @definition.field))

; Functions and macros, with a return type and type parameters around the call. Names from other modules (`Base.show`) belong to those.
(function_definition
  (signature [
    (identifier) @name
    (call_expression . [(identifier) (operator)] @name)
    (_ . (call_expression . [(identifier) (operator)] @name))
    (_ . (_ . (call_expression . [(identifier) (operator)] @name)))
  ])
  (block)? @body "end" @body) @definition.function
(function_definition
  (signature [
    (call_expression . (parametrized_type_expression . (identifier) @name))
    (_ . (call_expression . (parametrized_type_expression . (identifier) @name)))
  ])
  (block)? @body "end" @body) @definition.function
((function_definition
  (signature [
    (call_expression . (field_expression . (_) @container [(identifier) @name (quote_expression [(operator) @name (_ (operator) @name)])]))
    (_ . (call_expression . (field_expression . (_) @container [(identifier) @name (quote_expression [(operator) @name (_ (operator) @name)])])))
  ])
  (block)? @body "end" @body) @definition.function
  (#set! place file))
(macro_definition (signature [(identifier) @name (_ . (identifier) @name)]) (block)? @body "end" @body) @definition.macro

; In the short form.
(assignment
  . [
    (call_expression . [(identifier) (operator)] @name)
    (where_expression . (call_expression . [(identifier) (operator)] @name))
    (where_expression . (where_expression . (call_expression . [(identifier) (operator)] @name)))
    (typed_expression . (call_expression . (identifier) @name))
    (where_expression . (typed_expression . (call_expression . (identifier) @name)))
    (binary_expression (operator) @name)
  ]
  (_) @body .) @definition.function
(assignment
  . [
    (call_expression . (parametrized_type_expression . (identifier) @name))
    (where_expression . (call_expression . (parametrized_type_expression . (identifier) @name)))
  ]
  (_) @body .) @definition.function
((assignment
  . [
    (call_expression . (field_expression . (_) @container [(identifier) @name (quote_expression [(operator) @name (_ (operator) @name)])]))
    (where_expression . (call_expression . (field_expression . (_) @container [(identifier) @name (quote_expression [(operator) @name (_ (operator) @name)])])))
    (typed_expression . (call_expression . (field_expression . (_) @container [(identifier) @name (quote_expression [(operator) @name (_ (operator) @name)])])))
  ]
  (_) @body .) @definition.function
  (#set! place file))
(assignment . (identifier) @name (arrow_function_expression (_) @body .)) @definition.function
(assignment . (identifier) @name (function_definition (signature (argument_list)) (block) @body)) @definition.function
(const_statement (assignment . (identifier) @name (arrow_function_expression (_) @body .))) @definition.function

; Enumerations, what replaces a deprecated name, and tests by their text.
((macrocall_expression
  (macro_identifier) @_macro
  (_ . [(identifier) @name (typed_expression . (identifier) @name)] . (_) @body)) @definition.enum
  (#eq? @_macro "@enum"))
((macrocall_expression
  (macro_identifier) @_macro
  (_ . [(identifier) @name (typed_expression . (identifier) @name)] . (_) @body (_) @body .)) @definition.enum
  (#eq? @_macro "@enum"))
((macrocall_expression
  (macro_identifier) @_macro
  (_ . (_) [(identifier) @name (assignment . (identifier) @name)] @definition.enumMember))
  (#eq? @_macro "@enum"))
; It reads `a=1 b` as a product.
((macrocall_expression
  (macro_identifier) @_macro
  (_ . (_) (assignment (juxtaposition_expression (identifier) @name @definition.enumMember))))
  (#eq? @_macro "@enum"))
((macrocall_expression
  (macro_identifier) @_macro
  (_ . (_) . (compound_statement (block [(identifier) @name (_ . (identifier) @name)] @definition.enumMember))))
  (#eq? @_macro "@enum"))
((macrocall_expression (_) @_macro (_ . [(identifier) @name (_ . (identifier) @name)])) @definition.function
  (#any-of? @_macro "@deprecate" "Base.@deprecate")
  (#set! flag deprecated))
((macrocall_expression
  (macro_identifier) @_macro (macro_argument_list (string_literal) @name . (_) @body .)) @definition.function
  (#any-of? @_macro "@testset" "@testitem")
  (#set! flag test))

; `@kwdef struct`, `@inline f(x) = 1`: the macro belongs to the definition.
((macrocall_expression
  (macro_argument_list [(struct_definition) (function_definition) (assignment)] @part .)) @whole
  (#set! header whole))

; What a module offers.
((export_statement [(identifier) (macro_identifier) (operator)] @name) (#set! visibility exported) (#set! scope name))

; What stands in other functions is local, and in `let`.
((arrow_function_expression (_) @body .) (#set! scope function))
((do_clause (block) @body) (#set! scope function))

; Strings before definitions document them.
(source_file (string_literal) @doc)
(module_definition (block (string_literal) @doc))
(struct_definition (block (string_literal) @doc))
(line_comment) @doc
(block_comment) @doc
