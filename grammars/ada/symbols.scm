; Packages, with their members. A child unit goes by its whole name.
(package_declaration
  . name: (_) @name . [(aspect_specification) (comment) (ERROR)]* . "is" @body "end" @body) @definition.namespace
(package_body
  name: (_) @name . [(aspect_specification) (comment) (ERROR)]* . "is" @body "end" @body) @definition.namespace
((generic_package_declaration (package_declaration) @part) @whole)
(generic_instantiation "package" name: (_) @name) @definition.namespace
(generic_instantiation ["function" "procedure"] name: (_) @name) @definition.function
(package_renaming_declaration name: (_) @name) @definition.namespace
(generic_renaming_declaration "package" defining_program_unit_name: (_) @name) @definition.namespace
((package_body_stub (identifier) @name) @definition.namespace (#set! role declaration))

; Subprograms: declarations, those that need no body, and bodies. What stands between `is` and `begin` is local.
((subprogram_declaration (_ name: (_) @name)) @definition.function (#set! role declaration))
((generic_subprogram_declaration (_ name: (_) @name)) @definition.function (#set! role declaration))
((subprogram_body_stub (_ name: (_) @name)) @definition.function (#set! role declaration))
(subprogram_declaration (_ name: (_) @name) is_abstract: "abstract") @definition.function
(null_procedure_declaration (_ name: (_) @name)) @definition.function
(subprogram_renaming_declaration (_ name: (_) @name)) @definition.function
(generic_renaming_declaration ["procedure" "function"] defining_program_unit_name: (_) @name) @definition.function
(expression_function_declaration (_ name: (_) @name) "is" @body (_) @body .) @definition.function
(subprogram_body
  . (overriding_indicator)? . (_ name: (_) @name) . [(aspect_specification) (comment) (ERROR)]*
  . "is" @body "end" @body) @definition.function

; Types.
(full_type_declaration "type" . (identifier) @name) @definition.type
(full_type_declaration . "type" . (identifier) @name "is" @body (enumeration_type_definition) @body) @definition.enum
(full_type_declaration . "type" . (identifier) @name (record_type_definition (_) @body)) @definition.struct
(full_type_declaration
  . "type" . (identifier) @name (derived_type_definition (record_extension_part) @body)) @definition.struct
(full_type_declaration . "type" . (identifier) @name (interface_type_definition)) @definition.interface
(subtype_declaration "subtype" . (identifier) @name) @definition.type
((private_type_declaration "type" . (identifier) @name) @definition.type (#set! role declaration))
((private_extension_declaration "type" . (identifier) @name) @definition.type (#set! role declaration))
((incomplete_type_declaration "type" . (identifier) @name) @definition.type (#set! role declaration))
(enumeration_type_definition [(identifier) (character_literal)] @name @definition.enumMember)
(component_declaration (identifier) @name) @definition.field
(full_type_declaration
  . "type" . (identifier) @name
  (known_discriminant_part) @header (record_type_definition (_) @body)) @definition.struct
(full_type_declaration
  (known_discriminant_part
    (discriminant_specification_list (discriminant_specification . (identifier) @name) @definition.field)))

; Tasks and protected objects, with their entries.
(task_type_declaration (identifier) @name) @definition.class
(task_type_declaration "type" . (identifier) @name "is" @body (task_definition) @body) @definition.class
(single_task_declaration "task" . (identifier) @name) @definition.class
(single_task_declaration "task" . (identifier) @name "is" @body (task_definition) @body) @definition.class
(protected_type_declaration "type" . (identifier) @name "is" @body (protected_definition) @body) @definition.class
(single_protected_declaration "protected" . (identifier) @name "is" @body (protected_definition) @body) @definition.class
(task_body "body" . (identifier) @name "is" @body "end" @body) @definition.class
(protected_body "body" . (identifier) @name "is" @body "end" @body) @definition.class
((entry_declaration entry_name: (_) @name) @definition.method (#set! role declaration))
(entry_body "entry" . (identifier) @name "is" @body "end" @body) @definition.method

; Objects.
(object_declaration (identifier) @name . [":" ","]) @definition.variable
(object_declaration (identifier) @name . [":" ","] "constant") @definition.constant
(number_declaration (identifier) @name) @definition.constant
(exception_declaration (identifier) @name) @definition.event
(exception_renaming_declaration . (identifier) @name) @definition.event
((package_body
  name: (_) . [(aspect_specification) (comment) (ERROR)]*
  . (non_empty_declarative_part (object_declaration (identifier) @name . [":" ","]) @definition.variable))
  (#set! visibility private))
((package_body
  name: (_) . [(aspect_specification) (comment) (ERROR)]*
  . (non_empty_declarative_part (object_declaration (identifier) @name . [":" ","] "constant") @definition.constant))
  (#set! visibility private))
(object_renaming_declaration . (identifier) @name) @definition.variable

; Statements have variables of their own.
((block_statement (_) @body) (#set! scope function))
((task_body (non_empty_declarative_part) @body) (#set! scope function))

; What stands behind `private` is seen by no one else.
((package_declaration "private" @name) (#set! visibility private))
((protected_definition "private" @name) (#set! visibility private))

(comment) @doc
