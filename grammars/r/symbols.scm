; Variables of the file, and of a condition there. `x <- y <- 1` and what stands in `local` are left out.
(program (binary_operator lhs: [(identifier) (string)] @name ["<-" "<<-" "="]) @definition.variable)
(program (if_statement
  (braced_expression (binary_operator lhs: [(identifier) (string)] @name ["<-" "<<-" "="]) @definition.variable)))
(program (binary_operator ["->" "->>"] rhs: (identifier) @name) @definition.variable)

; Functions are values with a name; operators as well.
(binary_operator
  lhs: [(identifier) (string)] @name ["<-" "<<-" "="] rhs: (function_definition body: (_) @body)) @definition.function
(binary_operator
  lhs: (extract_operator lhs: (_) @container rhs: (identifier) @name)
  rhs: (function_definition body: (_) @body)) @definition.method

; Classes of R6, S7 and ggplot2 go by the variable they are bound to.
((program
  (binary_operator
    lhs: (identifier) @name
    rhs: (call
      function: [(identifier) @_call (namespace_operator rhs: (identifier) @_call)]
      arguments: (arguments . (argument) . (comma) @body ")" @body))) @definition.class)
  (#any-of? @_call "R6Class" "new_class" "ggproto"))
((program
  (binary_operator
    rhs: (call
      function: [(identifier) @_call (namespace_operator rhs: (identifier) @_call)]
      arguments: (arguments
        (argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.method))))
  (#eq? @_call "ggproto"))

; Those of S4 and reference classes by their text; generics.
((program (call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name))) @definition.class)
  (#any-of? @_call "setClass" "setRefClass" "setClassUnion"))
((program [
  (call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name) . (comma) @body ")" @body))
  (binary_operator rhs: (call
    function: (identifier) @_call
    arguments: (arguments . (argument value: (string) @name) . (comma) @body ")" @body)))
  ] @definition.class)
  (#any-of? @_call "setClass" "setRefClass"))
((program
  (call function: (identifier) @_call arguments: (arguments . (argument value: (string) @name))) @definition.function)
  (#eq? @_call "setGeneric"))

; Members stand in lists.
((argument
  name: (identifier) @_list
  value: (call
    arguments: (arguments
      (argument name: [(identifier) (string)] @name value: (function_definition body: (_) @body)) @definition.method)))
  (#any-of? @_list "public" "private" "methods"))
((argument
  name: (identifier) @_list
  value: (call
    arguments: (arguments
      (argument name: (identifier) @name value: (function_definition body: (_) @body)) @definition.property)))
  (#eq? @_list "active"))
((argument
  name: (identifier) @_list
  value: (call arguments: (arguments (argument name: (identifier) @name value: [
    (null) (float) (integer) (string) (true) (false) (identifier) (call) (namespace_operator) (extract_operator) (na)
  ]) @definition.field)))
  (#any-of? @_list "public" "private" "fields" "slots" "properties"))
((argument
  value: (call
    function: (identifier) @_call
    arguments: (arguments (argument name: (identifier) @name) @definition.field)))
  (#eq? @_call "representation"))
((argument name: (identifier) @_list value: (call arguments: (arguments) @body))
  (#eq? @_list "private")
  (#set! scope open)
  (#set! visibility private))

; Methods of classes, S4 and S7.
((program
  (call
    function: (identifier) @_call
    arguments: (arguments
      . (argument value: (string) @name)
      . (comma) . (argument value: [
        (string) @container
        (call arguments: (arguments . (argument value: (string) @container)))
      ])
      (argument value: (function_definition body: (_) @body)))) @definition.method)
  (#any-of? @_call "setMethod" "setReplaceMethod"))
((binary_operator
  lhs: (call
    function: (identifier) @_call
    arguments: (arguments
      . (argument value: (identifier) @name)
      . (comma) . (argument value: (identifier) @container)))
  rhs: (function_definition body: (_) @body)) @definition.method
  (#eq? @_call "method"))

; Tests, by what they say.
((call
  function: (identifier) @_call
  arguments: (arguments
    . (argument value: (string) @name) . (comma) . (argument value: (braced_expression) @body))) @definition.function
  (#any-of? @_call "test_that" "it")
  (#set! flag test))
((call
  function: (identifier) @_call
  arguments: (arguments
    . (argument value: (string) @name) . (comma) . (argument value: (braced_expression) @body))) @definition.module
  (#eq? @_call "describe")
  (#set! flag test))

((function_definition body: (_) @body) (#set! scope function))

(comment) @doc
