; Types.
(class_declaration "class" . (identifier) @name . "{" @body "}" @body) @definition.class
(class_declaration "class" . (identifier) @name . "extends" "{" @body "}" @body) @definition.class
(class_declaration "class" . (identifier) @container "." . (identifier) @name "{" @body "}" @body) @definition.class
(enum_declaration . (identifier) @name "{" @body "}" @body) @definition.enum
(enum_declaration "{" (identifier) @name @definition.enumMember)
(member_declaration (identifier) @name . "=") @definition.field
(member_declaration "constructor" @name (block) @body) @definition.constructor

; Functions; `function A::b` is a method of `A`.
(function_declaration "function" . (identifier) @name . "(" (block) @body) @definition.function
(function_declaration (identifier) @container . "::" . (identifier) @name (block) @body) @definition.method

; Values: `<-` makes a slot of the root table, or of another one.
(const_declaration . (identifier) @name) @definition.constant
(local_declaration "local" . (identifier) @name . ["=" ","]) @definition.variable
(local_declaration "," . (identifier) @name) @definition.variable
(local_declaration (identifier) @name . "=" . (table) @body) @definition.variable
(local_declaration (identifier) @name . "=" . [(anonymous_function) (lambda_expression)] @body) @definition.function
(update_expression left: [(identifier) @name (global_variable (identifier) @name)] operator: "<-") @definition.variable
(update_expression left: (identifier) @name operator: "<-" right: (table) @body) @definition.variable
(update_expression
  left: [(identifier) @name (global_variable (identifier) @name)] operator: "<-" right: (anonymous_function (block) @body))
  @definition.function
(update_expression
  left: (deref_expression (identifier) @container (identifier) @name)
  operator: "<-" right: (anonymous_function (block) @body)) @definition.method

((anonymous_function (block) @body) (#set! scope function))
(comment) @doc
