; Macros. One without a value is a switch, unless it guards a header.
((preproc_def name: (identifier) @name) @definition.constant (#set! place file))
((preproc_ifdef "#ifndef" name: (identifier) @_guard . (preproc_def name: (identifier) @name !value) @definition.constant . (_))
  (#eq? @_guard @name)
  (#set! name none))
((preproc_function_def name: (identifier) @name) @definition.macro (#set! place file))
((preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro (#set! place file))

; Variables; those of functions and tasks are left out.
(declaration
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (init_declarator declarator: (identifier) @name)
  ]) @definition.variable
(declaration (type_qualifier "const") declarator: (init_declarator declarator: (identifier) @name)) @definition.constant

(task_definition "task" . (identifier) @name) @definition.function
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
((declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#set! local none) (#set! role declaration))

(comment) @doc
