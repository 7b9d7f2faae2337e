; Types. One declared alone is ranged with its keyword, one of a group (the second pattern of each pair) without.
(type_declaration (_ name: (type_identifier) @name)) @definition.type
(type_declaration "(" (_ name: (type_identifier) @name) @definition.type)
; `type Rows []struct{...}`: the fields belong to the type. `map[string]struct{}` has none, and keeps its whole signature.
(type_declaration
  (_ name: (type_identifier) @name
    type: [
      (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body))
      (_ (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body)))
    ])) @definition.type
(type_declaration
  "(" (_ name: (type_identifier) @name
    type: [
      (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body))
      (_ (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body)))
    ]) @definition.type)
(type_declaration
  (_ name: (type_identifier) @name type: (struct_type (field_declaration_list) @body))) @definition.struct
(type_declaration
  "(" (_ name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct)
(type_declaration
  (_ name: (type_identifier) @name type: (interface_type "{" @body "}" @body))) @definition.interface
(type_declaration
  "(" (_ name: (type_identifier) @name type: (interface_type "{" @body "}" @body)) @definition.interface)

; Fields; an embedded one goes by the name of its type.
(field_declaration name: (field_identifier) @name) @definition.field
(field_declaration !name
  type: [
    (type_identifier) @name
    (_ name: (type_identifier) @name)
    (_ type: [(type_identifier) @name (_ name: (type_identifier) @name)])
  ]) @definition.field
(field_declaration
  name: (field_identifier) @name
  type: [
    (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body)
    (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body))
    (_ (_ (struct_type (field_declaration_list . [(comment) (field_declaration)]) @body)))
    (_ "{" @body . [(comment) (method_elem) (type_elem)] "}" @body)
  ]) @definition.field

; A variable's value is nobody's: the fields of a table's rows and what a function literal declares are local. So are the
; fields of unnamed structs in its type and in parameters.
((var_spec value: (_) @body) (#set! scope function))
((var_spec
  type: [
    (_ (struct_type (field_declaration_list) @body))
    (_ (_ (struct_type (field_declaration_list) @body)))
  ]) (#set! scope function))
((parameter_declaration
  type: [
    (struct_type (field_declaration_list) @body)
    (_ (struct_type (field_declaration_list) @body))
    (_ (_ (struct_type (field_declaration_list) @body)))
  ]) (#set! scope function))

; Methods of named interfaces only: `x.(interface{ Unwrap() error })` declares nothing.
(type_declaration (_ type: (interface_type (method_elem name: (field_identifier) @name) @definition.method)))
(field_declaration type: (interface_type (method_elem name: (field_identifier) @name) @definition.method))

; Functions. A method's container is the type of its receiver.
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration
    type: [
      (type_identifier) @container
      (_ type: (type_identifier) @container)
      (pointer_type [
        (type_identifier) @container
        (_ type: (type_identifier) @container)
        (parenthesized_type (type_identifier) @container)
      ])
      (parenthesized_type [
        (type_identifier) @container
        (pointer_type (type_identifier) @container)
      ])
    ]))
  name: (field_identifier) @name) @definition.method
(short_var_declaration
  left: (_ . (identifier) @name .)
  right: (_ . (func_literal body: (_) @body) .)) @definition.function

; Constants and variables; those inside functions are dropped as local.
(const_declaration (const_spec (identifier) @name)) @definition.constant
(const_declaration "(" (const_spec (identifier) @name) @definition.constant)
; A constant of a type belongs to it, and so do those behind it that repeat the type without naming it.
((const_declaration (const_spec (identifier) @name type: (type_identifier) @container)) @definition.constant
  (#not-match? @container "^(bool|string|byte|rune|any|error|uintptr|u?int(8|16|32|64)?|float(32|64)|complex(64|128))$"))
((const_declaration "(" (const_spec (identifier) @name type: (type_identifier) @container) @definition.constant)
  (#not-match? @container "^(bool|string|byte|rune|any|error|uintptr|u?int(8|16|32|64)?|float(32|64)|complex(64|128))$"))
((const_declaration
  (const_spec type: (type_identifier) @container value: (_))
  . [(comment) (const_spec !type !value)]*
  . (const_spec !type !value (identifier) @name) @definition.constant)
  (#not-match? @container "^(bool|string|byte|rune|any|error|uintptr|u?int(8|16|32|64)?|float(32|64)|complex(64|128))$"))
([
  (var_spec_list (var_spec name: (identifier) @name) @definition.variable)
  (ERROR (var_spec name: (identifier) @name) @definition.variable)
])
(var_declaration (var_spec name: (identifier) @name)) @definition.variable
(var_spec
  name: (identifier) @name
  [
    type: (struct_type (field_declaration_list) @header)
    value: (_ . (_
      type: (_ (field_declaration_list) @header) body: (literal_value) @body))
  ]) @definition.variable
(var_spec
  . name: (identifier) @name . type: (_)? . "="
  . value: (_ . (func_literal body: (_) @body) .)) @definition.function
(var_declaration
  (var_spec
    . name: (identifier) @name . type: (_)? . "="
    . value: (_ . (func_literal body: (_) @body) .))) @definition.function

((func_literal body: (block) @body) (#set! scope function))

; Subtests, and the suites and cases of Ginkgo and GoConvey, by the text that names them.
((call_expression
  function: (_ field: (field_identifier) @_call)
  arguments: (_
    .
    [(_ . (interpreted_string_literal_content) @name .)
     (raw_string_literal (raw_string_literal_content) @name)]
    .
    (_
      parameters: (_
        . (parameter_declaration type: (pointer_type [
            (_ package: (package_identifier) @_package)
            (type_identifier) @_package
          ])) .)
      body: (block) @body)
    .)) @definition.function
  (#eq? @_call "Run")
  (#match? @_package "^(testing|[TBF])$")
  (#set! flag test)
  (#set! visibility container))
((call_expression
  function: [(identifier) @_call (_ field: (field_identifier) @_call)]
  arguments: (_
    . (_ . (interpreted_string_literal_content) @name .)
    (_ body: (block) @body) .)) @definition.module
  (#any-of? @_call "Describe" "Context" "When" "DescribeTable" "DescribeTableSubtree" "SIGDescribe" "Convey"
    "FDescribe" "FContext" "FWhen" "PDescribe" "PContext" "PWhen" "XDescribe" "XContext" "XWhen")
  (#set! flag test)
  (#set! visibility container))
((call_expression
  function: [(identifier) @_call (_ field: (field_identifier) @_call)]
  arguments: (_
    . (_ . (interpreted_string_literal_content) @name .)
    (_ body: (block) @body) .)) @definition.function
  (#any-of? @_call "It" "Specify" "ConformanceIt" "FIt" "PIt" "XIt" "FSpecify" "PSpecify" "XSpecify")
  (#set! flag test)
  (#set! visibility container))

(comment) @doc
