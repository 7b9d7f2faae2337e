; Types. An extension adds to a type that is defined elsewhere.
(object_type_definition (name) @name) @definition.class
(object_type_definition (name) @name (fields_definition) @body) @definition.class
(interface_type_definition (name) @name) @definition.interface
(interface_type_definition (name) @name (fields_definition) @body) @definition.interface
(input_object_type_definition (name) @name (input_fields_definition) @body) @definition.struct
(enum_type_definition (name) @name (enum_values_definition) @body) @definition.enum
(union_type_definition (name) @name) @definition.type
(scalar_type_definition (name) @name) @definition.type
(object_type_extension (name) @name (fields_definition) @body) @definition.class
(interface_type_extension (name) @name (fields_definition) @body) @definition.interface
(input_object_type_extension (name) @name (input_fields_definition) @body) @definition.struct
(enum_type_extension (name) @name (enum_values_definition) @body) @definition.enum

; Their members; the same nodes are arguments of fields.
(field_definition (name) @name) @definition.field
(input_fields_definition (input_value_definition (name) @name) @definition.field)
(enum_value_definition (enum_value) @name) @definition.enumMember
((field_definition (name) @name (directives (directive (name) @_name))) @definition.field
  (#eq? @_name "deprecated") (#set! flag deprecated))
((enum_value_definition (enum_value) @name (directives (directive (name) @_name))) @definition.enumMember
  (#eq? @_name "deprecated") (#set! flag deprecated))

(directive_definition (name) @name) @definition.macro

; What clients ask: an operation is what is run, a fragment is a part of others.
(operation_definition (name) @name (selection_set) @body) @definition.function
(fragment_definition (fragment_name) @name (selection_set) @body) @definition.function

(comment) @doc
