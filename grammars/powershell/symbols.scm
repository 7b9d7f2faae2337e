; Variables of the file: what is assigned to, if it is no more than a variable (perhaps with a scope); with a type, the variable in it.
((program
  (statement_list (pipeline (assignment_expression . (left_assignment_expression) @name) @definition.variable)))
  (#match? @name "^\\$((script|global|Script|Global):)?\\w+$")
  (#set! name last))
((program
  (statement_list (pipeline (assignment_expression
    . (left_assignment_expression (_ (_ (_ (_ (_ (_ (_ (_ (_ (_ (cast_expression (unary_expression (variable) @name)))))))))))))) @definition.variable)))
  (#match? @name "^\\$((script|global|Script|Global):)?\\w+$")
  (#set! name last))

; Functions. The signature goes on to the end of `param (...)`, unless the help stands before that.
((function_statement . [(comment) (ERROR)] (function_name) @name "{" @body "}" @body) @definition.function (#set! name last))
((function_statement
  . (function_name) @name . [(function_parameter_declaration) (comment) (ERROR)]* . "{" @body "}" @body) @definition.function (#set! name last))
((function_statement
  . (function_name) @name . [(function_parameter_declaration) (comment) (ERROR)]*
  . (script_block . (param_block) . (script_block_body) @body)) @definition.function (#set! name last))
((function_statement
  . (function_name) @name . [(function_parameter_declaration) (comment) (ERROR)]*
  . "{" @body . (comment) "}" @body) @definition.function (#set! name last))

; Classes and enumerations.
(class_statement . (simple_name) @name "{" @body "}" @body) @definition.class
(class_property_definition (variable) @name) @definition.property
(class_method_definition (simple_name) @name "{" @body "}" @body) @definition.method
(enum_statement (simple_name) @name "{" @body "}" @body) @definition.enum
(enum_member (simple_name) @name) @definition.enumMember

; Other names for a command.
((command
  command_name: (_) @_call
  command_elements: (command_elements . (command_argument_sep) . (generic_token) @name)) @definition.function
  (#any-of? @_call "Set-Alias" "New-Alias"))
((command
  command_name: (_) @_call
  command_elements: (command_elements (command_parameter) @_name . (command_argument_sep) . (generic_token) @name))
  @definition.function
  (#any-of? @_call "Set-Alias" "New-Alias")
  (#eq? @_name "-Name"))

; Suites and cases of Pester, by the text that names them.
((command
  command_name: (_) @_call
  command_elements: (command_elements
    . (command_argument_sep)
    . (array_literal_expression (unary_expression (string_literal) @name))
    (array_literal_expression (unary_expression (script_block_expression) @body)) .)) @definition.module
  (#any-of? @_call "Describe" "Context" "describe" "context")
  (#set! flag test))
((command
  command_name: (_) @_call
  command_elements: (command_elements
    . (command_argument_sep)
    . (array_literal_expression (unary_expression (string_literal) @name))
    (array_literal_expression (unary_expression (script_block_expression) @body)) .)) @definition.function
  (#any-of? @_call "It" "it")
  (#set! flag test))

; Comments; those that stand first in a function are its help.
((function_statement (comment) @doc) (#set! doc body))
(program (comment) @doc)
(statement_list (comment) @doc)
(class_statement (comment) @doc)
(enum_statement (comment) @doc)
