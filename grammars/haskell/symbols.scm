; With a list of exports, only what is in it can be seen.
((header module: (module) @name) @definition.module (#set! visibility exported))
((header exports: (exports) @name) (#set! visibility private) (#set! scope container))
((export [(variable) (name)] @name) (#set! visibility exported) (#set! scope name))
((export (prefix_id (_) @name)) (#set! visibility exported) (#set! scope name))

; Types. Those with one constructor are structs. What follows `data instance` is no new name, but its constructors are.
(declarations (data_type name: (name) @name) @definition.type)
(declarations (data_type name: (name) @name constructors: (_) @body) @definition.enum)
(declarations (data_type
  name: (name) @name
  constructors: (data_constructors . (data_constructor) .) @body) @definition.struct)
(declarations (data_type
  [(infix operator: (_) @name) (parens (infix operator: (_) @name))] constructors: (_)? @body) @definition.enum)
(newtype name: (name) @name constructor: (_) @body) @definition.type
(newtype [(infix operator: (_) @name) (parens (infix operator: (_) @name))] constructor: (_) @body) @definition.type
(data_instance (data_type name: (name) @container constructors: (_) @body))
(type_synomym name: (name) @name) @definition.type
(type_synomym (infix operator: (_) @name)) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type

; Constructors and fields; these belong to the type, as they may stand in several constructors.
(data_constructor (prefix name: (constructor) @name)) @definition.enumMember
(data_constructor (record name: (constructor) @name)) @definition.enumMember
(data_constructor (infix operator: (_) @name)) @definition.enumMember
(newtype_constructor name: (constructor) @name) @definition.constructor
(gadt_constructor name: (constructor) @name) @definition.enumMember
(gadt_constructor names: (binding_list name: (constructor) @name)) @definition.enumMember
(field name: (field_name (variable) @name)) @definition.field

; An equation `C x y <- ...`.
(equation synonym: (constructor) @name) @definition.constructor
(equation synonym: (apply function: (constructor) @name)) @definition.constructor
(equation synonym: (apply function: (apply function: (constructor) @name))) @definition.constructor
(equation synonym: (record constructor: (constructor) @name)) @definition.constructor
(pattern_synonym (signature synonym: (constructor) @name)) @definition.constructor

; Classes. An instance qualifies its methods with its type.
(class name: (name) @name) @definition.trait
(class name: (name) @name declarations: (_) @body) @definition.trait
((instance patterns: (_) @container declarations: (_) @body) (#set! scope signature))
((instance
  patterns: (type_patterns . (parens type: (apply constructor: (name) @container argument: (variable))) .)
  declarations: (_) @body) (#set! scope signature))

; Functions and values: the first of several equations is the symbol (`once`).
(function name: (variable) @name patterns: (_) . [(comment) (haddock)]* . (match) @body (_)? @body .) @definition.function
(function name: (prefix_id (operator) @name) patterns: (_) . [(comment) (haddock)]* . (match) @body (_)? @body .) @definition.operator
(function (infix operator: (operator) @name) . (match) @body (_)? @body .) @definition.operator
(function (infix operator: (infix_id (variable) @name)) . (match) @body (_)? @body .) @definition.function
(bind name: (variable) @name . (match) @body (_)? @body .) @definition.variable
(bind name: (variable) @name . (match expression: [(do) (lambda) (lambda_case)]) @body) @definition.function
(bind name: (prefix_id (operator) @name) . (match) @body (_)? @body .) @definition.operator
(instance_declarations (function name: (variable) @name patterns: (_) . [(comment) (haddock)]* . (match) @body (_)? @body .) @definition.method)
(instance_declarations (bind name: (variable) @name . (match) @body (_)? @body .) @definition.method)
(declarations (bind pattern: (tuple (variable) @name)) @definition.variable)
(foreign_import signature: (signature name: (variable) @name)) @definition.function

; The same with the type before it: what has an arrow is a function.
((signature) @definition.operator . [(pragma) (haddock) (comment)]* .
  (function (infix operator: (operator) @name) . (match) @body (_)? @body .))
((signature) @definition.variable . [(pragma) (haddock) (comment)]* .
  (bind name: (variable) @name . (match) @body (_)? @body .))
((signature) @definition.function . [(pragma) (haddock) (comment)]* . [
  (function name: (variable) @name patterns: (_) . [(comment) (haddock)]* . (match) @body (_)? @body .)
  (bind name: (variable) @name . (match expression: [(do) (lambda) (lambda_case)]) @body)
])
((signature type: [(function) (_ type: (function)) (_ type: (_ type: (function)))]) @definition.function
  . [(pragma) (haddock) (comment)]* .
  (bind name: (variable) @name . (match) @body (_)? @body .))
(class_declarations (signature name: (variable) @name) @definition.method)
(class_declarations (signature names: (binding_list (variable) @name)) @definition.method)
(class_declarations (signature name: (prefix_id (operator) @name)) @definition.operator)

((local_binds) @body (#set! scope function))

; Tests of hspec, tasty and HUnit: suites and cases, `it "logs in" $ ...`.
((infix
  left_operand: (apply function: (variable) @_call argument: (literal (string) @name))
  right_operand: (_) @body) @definition.module
  (#any-of? @_call "describe" "context" "testGroup")
  (#set! flag test))
((infix
  left_operand: (apply function: (variable) @_call argument: (literal (string) @name))
  right_operand: (_) @body) @definition.function
  (#any-of? @_call "it" "specify" "prop" "testCase" "testProperty")
  (#set! flag test))

[(comment) (haddock)] @doc
((pragma) @doc (#match? @doc "DEPRECATED") (#set! doc attribute))
