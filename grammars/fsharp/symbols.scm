; Namespaces and modules hold the rest of the file, or what stands under them.
(namespace name: (long_identifier) @name . (_) @body (_)? @body .) @definition.namespace
(named_module
  name: (long_identifier . ((identifier) @container ".")* . (identifier) @name .)
  . (_) @body (_)? @body .) @definition.module
(module_defn (identifier) @name "=" . (_) @body (_)? @body .) @definition.module
(module_abbrev . (identifier) @name) @definition.module

; Types. One declared alone is ranged with its keyword, one of a group (the first pattern of each pair) without.
(record_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) @definition.struct
(type_definition "type" . (record_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) .) @definition.struct
(union_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) @definition.enum
(type_definition "type" . (union_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) .) @definition.enum
(enum_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) @definition.enum
(type_definition "type" . (enum_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) .) @definition.enum
; A class with nothing but a name, and one that begins with what is abstract and takes nothing: an interface.
(anon_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)])) @definition.class
(anon_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) @definition.class
(type_definition "type" . (anon_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) .) @definition.class
(type_definition "type" . (anon_type_defn . (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (type_extension_elements . (member_defn "abstract")) @body (_)? @body .) .) @definition.interface
(interface_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) @definition.interface
(type_definition "type" . (interface_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)]) "=" . (_) @body (_)? @body .) .) @definition.interface
(type_definition "type" . (type_abbrev_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)])) .) @definition.type
(type_definition "type" . (delegate_type_defn (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)])) .) @definition.type
; `type Name = string` is to the grammar a type of one case.
(type_definition "type" . (union_type_defn
  (type_name type_name: [(identifier) @name (long_identifier . (identifier) @name .)])
  "=" . (union_type_cases . (union_type_case . (_) .) .) .) .) @definition.type
(type_extension
  (type_name type_name: [(identifier) @container (long_identifier (identifier) @container .)])
  (type_extension_elements) @body)
(exception_definition exception_name: (long_identifier) @name) @definition.event

; Cases and fields.
(union_type_cases "|" (union_type_case . (identifier) @name) @definition.enumMember)
(union_type_cases (union_type_case . (identifier) @name) @definition.enumMember "|")
(union_type_case . (identifier) @name (union_type_fields)) @definition.enumMember
(enum_type_case . (identifier) @name) @definition.enumMember
(record_field (identifier) @name) @definition.field

; Members: what takes arguments is a method.
(member_defn (method_or_prop_defn name: (property_or_ident method: (identifier) @name))) @definition.property
(member_defn (method_or_prop_defn name: (property_or_ident . (identifier) @name .))) @definition.property
(member_defn
  (method_or_prop_defn name: (property_or_ident method: (identifier) @name) "=" . (_) @body)) @definition.property
(member_defn
  (method_or_prop_defn name: (property_or_ident . (identifier) @name .) "=" . (_) @body)) @definition.property
(member_defn
  (method_or_prop_defn name: (property_or_ident method: (identifier) @name) args: (_) "=" . (_) @body)) @definition.method
(member_defn
  (method_or_prop_defn name: (property_or_ident . (identifier) @name .) args: (_) "=" . (_) @body)) @definition.method
(member_defn (method_or_prop_defn name: (property_or_ident (op_identifier) @name) "=" . (_) @body)) @definition.operator
(member_defn (additional_constr_defn "new" @name "=" . (_) @body)) @definition.constructor
(member_defn "val" (property_or_ident . (identifier) @name)) @definition.property
(member_defn "val" (identifier) @name) @definition.field
(member_defn (member_signature . (identifier) @name)) @definition.property
(member_defn (member_signature . (identifier) @name (curried_spec (arguments_spec)))) @definition.method

; Functions and values; a name of an active pattern can be used like a function. Several bound by `and` are one node.
(function_or_value_defn . (function_declaration_left (identifier) @name) body: (_) @body) @definition.function
(function_or_value_defn (function_declaration_left (identifier) @name) @definition.function "=" . (_) @body . "and")
(function_or_value_defn "and" . (function_declaration_left (identifier) @name) @definition.function "=" . (_) @body)
(function_or_value_defn . (function_declaration_left (op_identifier) @name) body: (_) @body) @definition.operator
(function_or_value_defn
  . (function_declaration_left (active_pattern (active_pattern_op_name) @name)) body: (_) @body) @definition.function
(function_or_value_defn . (value_declaration_left (identifier_pattern (long_identifier_or_op (identifier) @name)))) @definition.variable
((function_or_value_defn
  . (value_declaration_left (identifier_pattern (long_identifier_or_op (identifier) @name)))
  body: (const)) @definition.variable
  (#set! body none))
(function_or_value_defn
  . (value_declaration_left (identifier_pattern (long_identifier_or_op (identifier) @name)))
  body: [(fun_expression) (function_expression)] @body) @definition.function
(function_or_value_defn
  (value_declaration_left (_ (repeat_pattern (identifier_pattern (long_identifier_or_op (identifier) @name)))))) @definition.variable
(function_or_value_defn
  (value_declaration_left (repeat_pattern (identifier_pattern (long_identifier_or_op (identifier) @name))))) @definition.variable
(function_or_value_defn
  . (value_declaration_left (attribute_pattern (identifier_pattern (long_identifier_or_op (identifier) @name))))) @definition.variable
((function_or_value_defn
  . (value_declaration_left (attribute_pattern
    (attributes (attribute) @_attribute)
    (identifier_pattern (long_identifier_or_op (identifier) @name))))) @definition.constant
  (#any-of? @_attribute "Literal" "Literal()"))
((attributes (attribute) @_attribute) .
  (function_or_value_defn
    (value_declaration_left (identifier_pattern (long_identifier_or_op (identifier) @name)))) @definition.constant
  (#any-of? @_attribute "Literal" "Literal()")
  (#set! body none))
; What a class binds for itself can be seen by nobody else. What is bound in a value is local.
((type_extension_elements
  (function_or_value_defn . (function_declaration_left (identifier) @name) body: (_) @body) @definition.method)
  (#set! visibility private))
((type_extension_elements
  (function_or_value_defn
    . (value_declaration_left (identifier_pattern (long_identifier_or_op (identifier) @name)))) @definition.field)
  (#set! visibility private))
((function_or_value_defn (value_declaration_left) body: (_) @body) (#set! scope function))

; Tests of Expecto, by the text that names them.
((application_expression
  (application_expression (long_identifier_or_op) @_call . (const (string) @name))
  . (list_expression) @body) @definition.module
  (#eq? @_call "testList")
  (#set! flag test))
((infix_expression
  . (application_expression (long_identifier_or_op) @_call . (const (string) @name))
  (fun_expression) @body .) @definition.function
  (#any-of? @_call "testCase" "testCaseAsync" "testProperty" "ftestCase" "ptestCase")
  (#set! flag test))
((ce_expression
  . (application_expression (long_identifier_or_op) @_call . (const (string) @name)) (_) @body) @definition.function
  (#any-of? @_call "test" "testAsync" "testTask" "ftest" "ptest")
  (#set! flag test))

[(line_comment) (block_comment)] @doc
((attributes) @doc (#set! doc attribute))

; What `repair` makes of a measure without a body.
((import_decl (long_identifier . (identifier) @_measure . (identifier) @name .)) @definition.type
  (#eq? @_measure "Measure_"))
