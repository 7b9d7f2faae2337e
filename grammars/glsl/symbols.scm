; Macros. One without a value is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef . "#ifndef" name: (identifier) @_guard . (preproc_def name: (identifier) @name !value) @definition.constant . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(field_declaration
  declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]) @definition.field

; Inputs, outputs, uniforms and other variables; those of functions are left out.
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
  ]) @definition.variable
(declaration
  (type_qualifier "const")
  declarator: (init_declarator
    declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])) @definition.constant

; Interface blocks, `uniform Camera { mat4 view; } camera;`: the block, and the name in front of its members.
(declaration (identifier) @name . (field_declaration_list) @body) @definition.struct
((declaration
  (field_declaration_list) @body
  . [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  ]) @definition.variable
  (#set! body empty))

; Functions; a prototype in a function is none.
((declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#set! local none) (#set! role declaration))
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function

(comment) @doc
