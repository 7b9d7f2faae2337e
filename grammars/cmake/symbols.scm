; Functions and macros. What a function sets is local to it; the body has no field.
(function_def (function_command (argument_list . (argument (_) @name))) (body) @body) @definition.function
(macro_def (macro_command (argument_list . (argument (_) @name))) (body) @body) @definition.macro

; Variables: set, asked of the user, or found. Names of commands have no case.
((normal_command
  . (identifier) @_command
  (argument_list . (argument (unquoted_argument) @name))) @definition.variable
  (#match? @_command "^(?i:set|option|cmake_dependent_option|find_(library|path|program|file))$")
  (#match? @name "^[A-Za-z_][A-Za-z0-9_.-]*$"))

; Targets; `add_library(Shop::core ALIAS core)` is another name for one.
((normal_command
  . (identifier) @_command
  (argument_list . (argument [(unquoted_argument) (quoted_argument)] @name))) @definition.function
  (#match? @_command "^(?i:add_(library|executable|custom_target)|externalproject_add)$"))
((normal_command
  . (identifier) @_command
  (argument_list . (argument [(unquoted_argument) (quoted_argument)] @name))) @definition.module
  (#match? @_command "^(?i:project)$"))

; Tests: `add_test(NAME n COMMAND c)` and `add_test(n c)`.
((normal_command
  . (identifier) @_command
  (argument_list . (argument [(unquoted_argument) (quoted_argument)] @name))) @definition.function
  (#match? @_command "^(?i:add_test)$")
  (#not-eq? @name "NAME")
  (#set! flag test))
((normal_command
  . (identifier) @_command
  (argument_list . (argument (unquoted_argument) @_keyword) . (argument [(unquoted_argument) (quoted_argument)] @name)))
  @definition.function
  (#match? @_command "^(?i:add_test)$")
  (#eq? @_keyword "NAME")
  (#set! flag test))

[(line_comment) (bracket_comment)] @doc
