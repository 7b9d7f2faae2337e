; Variables of the file; what calls `require` only imports. Globals that functions set are not looked for.
(chunk
  (variable_declaration
    (variable_list name: (identifier) @name)) @definition.variable)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . value: [
        (table_constructor) (string) (number) (binary_expression) (unary_expression) (true) (false) (nil)
        (parenthesized_expression) (bracket_index_expression) (vararg_expression)
      ]))) @definition.variable)
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . value: (function_call name: (_) @_call)))) @definition.variable
  (#not-match? @_call "^require\\b"))
; `local type = type` and `local insert = table.insert` only fetch a name.
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name)
      (expression_list . value: [(identifier) @_value (dot_index_expression field: (_) @_value)]))) @definition.variable
  (#not-eq? @_value @name))
(chunk
  (variable_declaration
    (assignment_statement
      (variable_list name: (identifier) @name attribute: (attribute (identifier) @_const))
      (expression_list . value: (_) @_value))) @definition.constant
  (#eq? @_const "const")
  (#not-match? @_value "^require\\b"))
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk
  (assignment_statement
    (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name)))
  @definition.field)

; The same on a condition, but for the locals there.
(chunk (if_statement [
  (block (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
  (elseif_statement (block (assignment_statement (variable_list name: (identifier) @name)) @definition.variable))
  (else_statement (block (assignment_statement (variable_list name: (identifier) @name)) @definition.variable))
]))
(chunk (if_statement [
  (block
    (assignment_statement
      (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @definition.field)
  (elseif_statement (block
    (assignment_statement
      (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @definition.field))
  (else_statement (block
    (assignment_statement
      (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @definition.field))
]))

; A table with functions in it has them as members. Its other keys are data.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list
      . value: (table_constructor (field value: (function_definition))) @body .))) @definition.variable
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (table_constructor (field value: (function_definition))) @body .)) @definition.variable)
(chunk
  (assignment_statement
    (variable_list . name: (dot_index_expression table: (identifier) @container field: (identifier) @name) .)
    (expression_list . value: (table_constructor (field value: (function_definition))) @body .)) @definition.field)
(field
  name: [(identifier) (string)] @name
  value: (table_constructor (field value: [
    (function_definition)
    (table_constructor (field value: (function_definition)))
  ])) @body) @definition.field
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list
      . value: (table_constructor (field value: (table_constructor (field value: (function_definition))))) @body .)))
  @definition.variable
(chunk
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list
      . value: (table_constructor (field value: (table_constructor (field value: (function_definition))))) @body .))
  @definition.variable)
(field name: [(identifier) (string)] @name value: (function_definition body: (_)? @body)) @definition.method

; Functions. An empty one has no body: its signature ends before `end`.
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name !body "end" @body) @definition.function
(function_declaration
  name: [
    (dot_index_expression table: (_) @container field: (identifier) @name)
    (method_index_expression table: (_) @container method: (identifier) @name)
  ]) @definition.method
(function_declaration
  name: [
    (dot_index_expression table: (_) @container field: (identifier) @name)
    (method_index_expression table: (_) @container method: (identifier) @name)
  ]
  !body
  "end" @body) @definition.method

; Functions by assignment; those of several first.
(variable_declaration
  (assignment_statement
    (variable_list name: (identifier) @name)
    (expression_list . value: (function_definition) . value: (function_definition)))) @definition.function
(assignment_statement
  (variable_list name: (dot_index_expression table: (_) @container field: (identifier) @name))
  (expression_list . value: (function_definition) . value: (function_definition))) @definition.method
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.function
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @name .)
    (expression_list . value: (function_definition body: (_)? @body) .))) @definition.function
(assignment_statement
  (variable_list
    . name: [
      (dot_index_expression table: (_) @container field: (identifier) @name)
      (bracket_index_expression table: (_) @container field: (string) @name)
    ] .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @definition.method

; Suites and cases of Busted, by the text that names them.
((function_call
  name: (identifier) @_call
  arguments: (arguments . (string content: (_) @name) (function_definition body: (_) @body) .)) @definition.module
  (#any-of? @_call "describe" "context" "insulate" "expose")
  (#set! flag test))
((function_call
  name: (identifier) @_call
  arguments: (arguments . (string content: (_) @name) (function_definition body: (_) @body) .)) @definition.function
  (#any-of? @_call "it" "test" "spec" "pending")
  (#set! flag test))

; What stands in other functions is local.
((function_definition body: (_) @body) (#set! scope function))

(comment) @doc
