; Values of the file.
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @definition.variable))

; Rules, macros and the like are called; a provider is a record.
((module (expression_statement
  (assignment left: (identifier) @name right: (call function: (identifier) @_call)) @definition.function))
  (#any-of? @_call "rule" "macro" "aspect" "repository_rule" "module_extension" "materializer_rule"))
((module (expression_statement
  (assignment left: (identifier) @name right: (call function: (identifier) @_call)) @definition.struct))
  (#eq? @_call "provider"))

(function_definition name: (identifier) @name) @definition.function
(module (expression_statement
  (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function))

; Targets, by the name that they are given.
((module (expression_statement
  (call arguments: (argument_list
    (keyword_argument name: (identifier) @_name value: (string . (string_start) . (string_content) @name . (string_end))))) @definition.function))
  (#eq? @_name "name"))

(comment) @doc
((block . (expression_statement (string) @doc)) (#set! doc body))
