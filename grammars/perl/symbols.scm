; Packages do not nest. One without a block encloses what follows it. `main` qualifies nothing, and ends the one before: it goes by the
; word `package`, which is blank.
((package_statement name: (package) @name (block) @body) @definition.namespace (#set! place file))
((package_statement name: (package) @name ";") @definition.namespace
  (#not-eq? @name "main")
  (#set! extent rest)
  (#set! place file))
((package_statement "package" @name name: (package) @_name ";") @definition.namespace
  (#eq? @_name "main")
  (#set! extent rest)
  (#set! place file))
((class_statement name: (package) @name (block) @body) @definition.class (#set! place file))
((class_statement name: (package) @name ";") @definition.class (#set! extent rest) (#set! place file))
((role_statement name: (package) @name (block) @body) @definition.trait (#set! place file))

; Variables: of packages anywhere, lexical ones where no block encloses them. `field` belongs to a class.
((variable_declaration "our" (_ (varname) @name)) @definition.variable (#set! local none))
(source_file (expression_statement (variable_declaration "my" (_ (varname) @name)) @definition.variable))
(source_file
  (expression_statement (assignment_expression (variable_declaration "my" (_ (varname) @name))) @definition.variable))
(variable_declaration "field" (_ (varname) @name)) @definition.field

; Subroutines; those bound to the name of a variable or a glob, too.
((subroutine_declaration_statement name: (bareword) @name) @definition.function (#set! name path))
(method_declaration_statement name: (bareword) @name) @definition.method
(assignment_expression
  (variable_declaration (scalar (varname) @name)) (anonymous_subroutine_expression (block) @body)) @definition.function
(assignment_expression (glob (varname) @name) (anonymous_subroutine_expression (block) @body)) @definition.function
(assignment_expression (glob (varname) @name) (refgen_expression)) @definition.function

; Constants.
((use_statement
  (package) @_module
  (list_expression . [(autoquoted_bareword) (string_literal)] @name)) @definition.constant
  (#eq? @_module "constant"))
((use_statement
  (package) @_module
  (anonymous_hash_expression (list_expression [(autoquoted_bareword) (string_literal)] @name . "=>")))
  @definition.constant
  (#eq? @_module "constant"))
((ambiguous_function_call_expression (function) @_call . (variable_declaration (_ (varname) @name))) @definition.constant
  (#any-of? @_call "Readonly" "const"))

; Attributes of Moose, Moo and Mojo.
((ambiguous_function_call_expression
  (function) @_call . [(autoquoted_bareword) (string_literal)] @name . "=>") @definition.property
  (#eq? @_call "has"))
((ambiguous_function_call_expression
  (function) @_call . (anonymous_array_expression (list_expression [(string_literal) (bareword)] @name))) @definition.property
  (#eq? @_call "has"))

; Tests with names.
((ambiguous_function_call_expression
  (function) @_call
  . [(string_literal) (interpolated_string_literal)] @name
  (anonymous_subroutine_expression (block) @body)) @definition.function
  (#any-of? @_call "subtest" "describe" "it")
  (#set! flag test))

((anonymous_subroutine_expression (block) @body) (#set! scope function))
((phaser_statement (block) @body) (#set! scope function))

(comment) @doc
(pod) @doc
