; An alternative `(MISSING)` finds nothing: with it the rest of a list compiles at once (`../README.md`).

; Namespaces, named as they are written. A file's own reaches to its end.
((namespace_declaration name: (_) @name) @definition.namespace (#set! visibility exported))
((file_scoped_namespace_declaration name: (_) @name) @definition.namespace
  (#set! visibility exported) (#set! extent rest))

; Types. A record's parameters are its properties, always public.
(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.enumMember
(delegate_declaration name: (identifier) @name) @definition.type
(record_declaration
  [
    name: (identifier) @name
    ([name: (identifier) @name] (parameter_list) @header body: (_)? @body)
  ]) @definition.class
(record_declaration
  [
    name: (MISSING)
    ("struct" name: (identifier) @name)
    ("struct" name: (identifier) @name (parameter_list) @header body: (_)? @body)
  ]) @definition.struct
((record_declaration
  [name: (MISSING) (parameter_list (_ name: (identifier) @name) @definition.property)])
  (#set! visibility container))

; Methods. What implements an interface by name is seen through that interface.
(method_declaration name: (identifier) @name) @definition.method
((method_declaration (explicit_interface_specifier) name: (identifier) @name) @definition.method
  (#set! visibility container))
(constructor_declaration name: (identifier) @name) @definition.constructor
((destructor_declaration "~" @name name: (identifier) @name) @definition.method (#set! name span))
((operator_declaration "operator" @name operator: _ @name) @definition.operator (#set! name span))
((conversion_operator_declaration "operator" @name type: (_) @name) @definition.operator (#set! name span))
((operator_declaration (explicit_interface_specifier) "operator" @name operator: _ @name) @definition.operator
  (#set! name span) (#set! visibility container))
((conversion_operator_declaration
  (explicit_interface_specifier) "operator" @name type: (_) @name) @definition.operator
  (#set! name span) (#set! visibility container))

; Local functions, and those of a program without a class, which no other file sees.
(local_function_statement name: (identifier) @name) @definition.function
((global_statement (local_function_statement name: (identifier) @name) @definition.function) (#set! visibility private))
((global_statement
  (local_declaration_statement
    (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
  (#set! visibility private))
((global_statement
  (local_declaration_statement
    (modifier "const")
    (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant)
  (#set! visibility private))

; Properties. Accessors without code belong to the signature: `{ get; set; }`.
(property_declaration name: (identifier) @name) @definition.property
(property_declaration
  name: (identifier) @name
  [accessors: (_ (_ body: (_))) @body value: (arrow_expression_clause) @body]) @definition.property
((property_declaration
  (explicit_interface_specifier)
  name: (identifier) @name
  [accessors: (_ (_ body: (_))) @body value: (arrow_expression_clause) @body]?) @definition.property
  (#set! visibility container))
(indexer_declaration "this" @name) @definition.property
(indexer_declaration
  "this" @name
  [accessors: (_ (_ body: (_))) @body value: (arrow_expression_clause) @body]) @definition.property
((indexer_declaration
  (explicit_interface_specifier)
  "this" @name
  [accessors: (_ (_ body: (_))) @body value: (arrow_expression_clause) @body]?) @definition.property
  (#set! visibility container))

; Events.
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
(event_declaration name: (identifier) @name accessors: (_) @body) @definition.event
((event_declaration (explicit_interface_specifier) name: (identifier) @name accessors: (_) @body) @definition.event
  (#set! visibility container))

; Fields. The value belongs to the signature, but not the body of a lambda.
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name (_ body: (block) @body)?))) @definition.field
(field_declaration
  [
    ((_ ["static" "readonly"])
      (_ ["static" "readonly"])
      (variable_declaration (variable_declarator name: (identifier) @name (_ body: (block) @body)?)))
    ((modifier "const") (variable_declaration (variable_declarator name: (identifier) @name)))
  ]) @definition.constant

; What stands here is local.
((lambda_expression [parameters: (MISSING) body: (block) @body]) (#set! scope function))
((anonymous_method_expression [parameters: (MISSING) (block) @body]) (#set! scope function))
((global_statement
  [(_ ["if" "for" "foreach" "while" "using" "try"] (block) @body)
   (block) @body]) (#set! scope function))

(comment) @doc
((preproc_pragma) @doc (#set! doc attribute))
