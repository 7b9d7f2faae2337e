; Variables: those in functions are dropped as local. What only lengthens one (`+=`) or sets an element is no definition.
(program (variable_assignment name: (variable_name) @name "=") @definition.variable)
([
  (if_statement (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (elif_clause (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (else_clause (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (case_item (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (list (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (variable_assignments (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (negated_command (variable_assignment name: (variable_name) @name "=") @definition.variable)
  (compound_statement (variable_assignment name: (variable_name) @name "=") @definition.variable)
])
(declaration_command ["declare" "typeset" "export"] (variable_assignment name: (variable_name) @name)) @definition.variable
(declaration_command "declare" (word) (variable_name) @name) @definition.variable
(declaration_command "typeset" (word) (variable_name) @name) @definition.variable
(declaration_command "readonly" (variable_assignment name: (variable_name) @name)) @definition.constant
((declaration_command ["declare" "typeset" "export"] (word) @_flags (variable_assignment name: (variable_name) @name)) @definition.constant
  (#match? @_flags "^-[a-zA-Z]*r"))
; The default of a variable: `: "${NAME:=value}"`.
((program (command
  name: (_) @_colon
  argument: [
    (_ . "${" . (variable_name) @name . [":=" "="])
    (string (_ . "${" . (variable_name) @name . [":=" "="]))
  ]) @definition.variable)
  (#eq? @_colon ":"))

; Functions; aliases are called as they are.
(function_definition name: (word) @name) @definition.function
((command name: (_) @_alias argument: [(concatenation . (word) @name) (word) @name]) @definition.function
  (#eq? @_alias "alias")
  (#match? @name "="))

; Several names of one function, as `repair` puts them.
((pipeline (command name: (_) @_defines argument: (word) @name) . (compound_statement) @body) @definition.function
  (#eq? @_defines "@defines"))
(pipeline (command name: (command_name) @name) . (function_definition body: (_) @body)) @definition.function

; Tests of Bats, as `mend` puts them.
((pipeline (command name: (_) @_test argument: [(string) (raw_string)] @name) . (compound_statement) @body) @definition.function
  (#eq? @_test "@test")
  (#set! flag test))
; Tests of Sharness and of git: their code is a string, or a heredoc.
((redirected_statement
  body: (command name: (_) @_test argument: [(string) (raw_string) (concatenation)] @name .)
  redirect: (heredoc_redirect) @body) @definition.function
  (#any-of? @_test "test_expect_success" "test_expect_failure" "test_perf" "test_size")
  (#set! flag test))
((command
  name: (_) @_test
  argument: [(string) (raw_string) (concatenation)] @name
  .
  argument: [(string) (raw_string) (concatenation) (word)] @body .) @definition.function
  (#any-of? @_test "test_expect_success" "test_expect_failure" "test_perf" "test_size")
  (#set! flag test))

; What a loop or a subshell sets is as local as a function's variables.
((do_group) @body (#set! scope function))
((subshell) @body (#set! scope function))
((command_substitution) @body (#set! scope function))

(comment) @doc
