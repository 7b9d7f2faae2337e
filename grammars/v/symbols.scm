; Types.
(struct_declaration
  name: [(type_identifier) @name (generic_type . (type_identifier) @name)]
  (struct_field_declaration_list) @body) @definition.struct
(struct_declaration
  name: (binded_type language: _ @container name: (_) @name) (struct_field_declaration_list) @body) @definition.struct
(interface_declaration
  name: [(type_identifier) @name (generic_type . (type_identifier) @name)]
  (interface_spec_list) @body) @definition.interface
(enum_declaration name: (type_identifier) @name (enum_member_declaration_list) @body) @definition.enum
((enum_member name: (identifier) @name) @definition.enumMember (#set! visibility container))
(type_declaration name: [(type_identifier) (builtin_type)] @name) @definition.type

; Fields: private up to a line that says otherwise; those of an interface are as visible as that.
(struct_field_declaration name: (field_identifier) @name) @definition.field
((struct_field_scope) @name (#match? @name "pub|global") (#set! visibility exported))
((struct_field_scope) @name (#eq? @name "mut:") (#set! visibility private))
((interface_spec_list (struct_field_declaration name: (field_identifier) @name) @definition.field)
  (#set! visibility container))
((interface_spec name: (field_identifier) @name) @definition.method (#set! visibility container))

; Functions; a method belongs to the type of its receiver.
((function_declaration name: [(identifier) @name (overloadable_operator) @name]) @definition.function (#set! name path))
((function_declaration name: (binded_identifier language: _ @container name: (identifier) @name)) @definition.function
  (#set! name path))
(function_declaration
  receiver: (parameter_list (parameter_declaration
    type: [
      (type_identifier) @container
      (builtin_type) @container
      (pointer_type [(type_identifier) (builtin_type)] @container)
      (generic_type . (type_identifier) @container)
      (pointer_type (generic_type . (type_identifier) @container))
    ]))
  name: [(identifier) @name (overloadable_operator) @name]) @definition.method

; Values.
(const_spec name: (identifier) @name) @definition.constant
(global_var_spec name: (identifier) @name) @definition.variable
(global_var_type_initializer name: (identifier) @name) @definition.variable

((fn_literal body: (_) @body) (#set! scope function))
(comment) @doc
