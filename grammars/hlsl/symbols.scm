; Macros. One without a value is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef . "#ifndef" name: (identifier) @_guard . (preproc_def name: (identifier) @name !value) @definition.constant . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))

; Types with a body.
(namespace_definition name: (_) @name) @definition.namespace
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(enumerator name: (identifier) @name) @definition.enumMember
(type_definition declarator: (type_identifier) @name) @definition.type
(field_declaration
  declarator: [(field_identifier) @name (array_declarator declarator: (field_identifier) @name)]) @definition.field

; Resources and other variables; those of functions are left out.
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])
  ]) @definition.variable
(declaration
  (type_qualifier "const")
  declarator: (init_declarator
    declarator: [(identifier) @name (array_declarator declarator: (identifier) @name)])) @definition.constant

; The grammar knows no `cbuffer`, `interface`, `technique` or `pass`: a type, a name and a body, and apart from them if there is a
; register. Others of that form are samplers with their states.
((function_definition type: (type_identifier) declarator: (identifier) @name body: (_) @body) @definition.variable
  (#set! body empty))
((function_definition type: (type_identifier) @_word declarator: (identifier) @name) @definition.struct
  (#any-of? @_word "cbuffer" "tbuffer"))
((declaration type: (type_identifier) @_word declarator: (identifier) @name) @definition.struct . (compound_statement) @body
  (#any-of? @_word "cbuffer" "tbuffer"))
((function_definition type: (type_identifier) @_word declarator: (identifier) @name) @definition.interface
  (#eq? @_word "interface"))
((function_definition type: (type_identifier) @_word declarator: (identifier) @name) @definition.module
  (#any-of? @_word "technique" "technique10" "technique11" "pass"))

; Functions; a prototype in a function is none.
((declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#set! local none) (#set! role declaration))
((field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @definition.method
  (#set! role declaration))
(function_definition
  declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name)) @definition.function
((function_definition declarator: (function_declarator declarator: (qualified_identifier) @name)) @definition.method
  (#set! name path))
((template_declaration [(function_definition) (struct_specifier)] @part) @whole (#set! header whole))

(comment) @doc
