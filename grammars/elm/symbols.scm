; Without a list of what is exposed, or with `..`, everything can be seen.
((module_declaration name: (upper_case_qid) @name) @definition.module (#set! visibility exported))
((module_declaration exposing: (exposing_list [(exposed_value) (exposed_type) (exposed_operator)]) @name)
  (#set! visibility private)
  (#set! scope container))
((module_declaration exposing: (exposing_list [
    (exposed_value (lower_case_identifier) @name)
    (exposed_type (upper_case_identifier) @name)
    (exposed_operator (operator_identifier) @name)
  ]))
  (#set! visibility exported)
  (#set! scope name))

; Types. Fields are those of aliases and of constructors, not those of records in types of functions.
(type_alias_declaration name: (upper_case_identifier) @name) @definition.type
(type_alias_declaration
  name: (upper_case_identifier) @name
  typeExpression: (type_expression . (record_type) @body .)) @definition.struct
(type_alias_declaration
  typeExpression: (type_expression . (record_type (field_type name: (lower_case_identifier) @name) @definition.field) .))
(type_declaration
  name: (upper_case_identifier) @name
  (eq) . [(line_comment) (block_comment)]* . (union_variant) @body (union_variant)? @body .) @definition.enum
(union_variant name: (upper_case_identifier) @name) @definition.enumMember
(union_variant name: (upper_case_identifier) @name (record_type) @body) @definition.enumMember
(union_variant (record_type (field_type name: (lower_case_identifier) @name) @definition.field))

; Values and functions, each with its type before it, if it has one: what takes arguments or has an arrow is a function.
(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name .)) @definition.variable
(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name . (_))) @definition.function
(value_declaration
  functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name .)
  body: (anonymous_function_expr)) @definition.function
((type_annotation) @definition.variable .
  (value_declaration
    functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name .) body: (_) @body))
((type_annotation typeExpression: (type_expression (arrow))) @definition.function .
  (value_declaration
    functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name) body: (_) @body))
((type_annotation) @definition.function .
  (value_declaration
    functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name . (_)) body: (_) @body))
((let_in_expr) @body (#set! scope function))
(port_annotation name: (lower_case_identifier) @name) @definition.function
(infix_declaration operator: (operator_identifier) @name) @definition.operator

; Tests of elm-test, by the text that names them.
((function_call_expr
  target: (value_expr) @_call
  arg: (string_constant_expr) @name
  arg: (list_expr) @body) @definition.module
  (#eq? @_call "describe")
  (#set! flag test))
((bin_op_expr
  . (function_call_expr target: (value_expr) @_call (string_constant_expr) @name)
  (anonymous_function_expr) @body) @definition.function
  (#any-of? @_call "test" "fuzz" "fuzz2" "fuzz3")
  (#set! flag test))

[(line_comment) (block_comment)] @doc
