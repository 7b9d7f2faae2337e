; Types. A record's components are private fields with public accessors: as visible as the record.
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration
  name: (identifier) @name parameters: (formal_parameters) @header body: (_) @body) @definition.class
((record_declaration
  parameters: (_ (_ name: (identifier) @name) @definition.field))
  (#set! visibility container))
((record_declaration
  parameters: (_
    (spread_parameter (variable_declarator name: (identifier) @name)) @definition.field))
  (#set! visibility container))

; Enum constants are always public members; the enum's constructors are always private.
((enum_constant name: (identifier) @name) @definition.enumMember (#set! visibility container))

(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor
((enum_body_declarations
  (constructor_declaration name: (identifier) @name) @definition.constructor)
  (#set! visibility private))

(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method

; Fields. The value belongs to the signature, but not the body of a lambda or an anonymous class.
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration
  declarator: (_
    name: (identifier) @name
    value: [
      (_ body: (block) @body)
      (_ (class_body) @body)
      (method_invocation
        arguments: (argument_list [
          (_ body: (block) @body)
          (_ (class_body) @body)
        ]))
    ])) @definition.field
(field_declaration
  (_ ["static" "final"] ["static" "final"])
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (_ ["static" "final"] ["static" "final"])
  declarator: (_
    name: (identifier) @name
    value: [
      (_ body: (block) @body)
      (_ (class_body) @body)
      (method_invocation
        arguments: (argument_list [
          (_ body: (block) @body)
          (_ (class_body) @body)
        ]))
    ])) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration
  declarator: (_
    name: (identifier) @name
    value: [
      (_ body: (block) @body)
      (_ (class_body) @body)
      (method_invocation
        arguments: (_ [
          (_ body: (block) @body)
          (_ (class_body) @body)
        ]))
    ])) @definition.constant

; A file without a class declares the fields of an unnamed one.
(program
  (local_variable_declaration
    declarator: (variable_declarator name: (identifier) @name)) @definition.variable)
(program
  (local_variable_declaration
    (_ ["static" "final"] ["static" "final"])
    declarator: (variable_declarator name: (identifier) @name)) @definition.constant)

(module_declaration
  name: [(identifier) (scoped_identifier)] @name body: (_) @body) @definition.module

; What stands here is local: its methods and classes are found last.
((object_creation_expression (class_body) @body) (#set! scope function))
((static_initializer (block) @body) (#set! scope function))
((class_body (block) @body) (#set! scope function))
((lambda_expression body: (block) @body) (#set! scope function))

(block_comment) @doc
(line_comment) @doc
