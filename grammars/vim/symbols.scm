; Functions; one of a dictionary belongs to it.
(function_definition
  (bang)? . (function_declaration name: [(identifier) (scoped_identifier)] @name) (body)? @body "endfunction" @body) @definition.function
(function_definition
  (bang)? . (function_declaration name: (field_expression value: (_) @container field: (identifier) @name))
  (body)? @body "endfunction" @body) @definition.method

; Variables. What a function assigns to the script or to all is no local variable.
(let_statement . [(identifier) (scoped_identifier)] @name) @definition.variable
((let_statement . (scoped_identifier (scope) @_scope) @name) @definition.variable
  (#any-of? @_scope "s:" "g:")
  (#set! place file))
(let_statement . (list_assignment [(identifier) (scoped_identifier)] @name)) @definition.variable
(let_statement . [(identifier) (scoped_identifier)] @name (lambda_expression "->" @body)) @definition.function
(const_statement . [(identifier) (scoped_identifier)] @name) @definition.constant
(const_statement . (list_assignment [(identifier) (scoped_identifier)] @name)) @definition.constant

; What a user calls: commands, and keys. Groups of events.
(command_statement name: (command_name) @name repl: (_) @body) @definition.function
((map_statement lhs: (map_side) @name rhs: (_) @body) @definition.event
  (#not-match? @name "\\(")
  (#set! local none))
((augroup_statement (augroup_name) @name) @definition.event
  (#not-eq? @name "END"))

; Vim 9's types, of which `mend` makes abbreviated loops, and the names in an enumeration, which are commands then.
((while_loop "while" @_word condition: (identifier) @name (body)? @body "endwhile" @body) @definition.class
  (#eq? @_word "whil"))
((while_loop "while" @_word condition: (identifier) @name (body)? @body "endwhile" @body) @definition.interface
  (#eq? @_word "whi"))
((while_loop "while" @_word condition: (identifier) @name (body)? @body "endwhile" @body) @definition.enum
  (#eq? @_word "wh"))
((while_loop "while" @_word (body (user_command (command_name) @name) @definition.enumMember))
  (#eq? @_word "wh"))
((unknown_builtin_statement
  (unknown_command_name) @_def (arguments . (command_argument) @name)) @definition.type
  (#eq? @_def "type"))

; Functions without a body: words.
((unknown_builtin_statement
  (unknown_command_name) @_def (arguments . (command_argument) @name)) @definition.function
  (#any-of? @_def "def" "dex"))

; Scripts in other languages.
((python_statement (script (body) @source)) (#set! language python))
((lua_statement (script (body) @source)) (#set! language lua))

(comment) @doc
