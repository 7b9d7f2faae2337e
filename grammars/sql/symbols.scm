; Tables and their columns; a table made by a query has none that it names.
(create_table (object_reference schema: (_)? @container name: (identifier) @name) (column_definitions)? @body) @definition.struct
(column_definition name: (_) @name) @definition.field
((column_definition name: (_) @name custom_type: (object_reference name: (identifier) @_is) (keyword_default) @body) @definition.field
  (#match? @_is "^x")
  (#set! body empty))
(column_definition name: (_) @name type: (keyword_oid)) @definition.constant
(column_definition name: (_) @name type: (keyword_name)) @definition.type
; What `repair` makes of packages: its columns are routines, constants and types.
((create_table
  (object_reference schema: (_)? @container name: (identifier) @name)
  (column_definitions . (column_definition name: (identifier) @_is)) @body) @definition.module
  (#any-of? @_is "IS_" "is_" "AS_" "as_" "Is_" "As_"))
(alter_table (object_reference schema: (_)? @container name: (_) @container)
  (add_column (column_definition name: (_) @name) @definition.field))

; Views: the signature ends before the query.
(create_view . (keyword_create) (object_reference schema: (_)? @container name: (identifier) @name) (keyword_as) @body) @definition.struct
(create_materialized_view
  (object_reference schema: (_)? @container name: (identifier) @name) (keyword_as) @body) @definition.struct

; Types. Without members it is a base type or a domain.
(create_type (object_reference schema: (_)? @container name: (identifier) @name)) @definition.type
(create_type
  (object_reference schema: (_)? @container name: (identifier) @name) (column_definitions) @body) @definition.struct
(create_type
  (object_reference schema: (_)? @container name: (identifier) @name) (keyword_enum) (enum_elements) @body) @definition.enum
(enum_elements enum_element: (literal) @name @definition.enumMember)

; Routines.
(create_function (object_reference schema: (_)? @container name: (identifier) @name) (function_body) @body) @definition.function
; A trigger and an index belong to their table.
(create_trigger
  (keyword_trigger) . (object_reference name: (identifier) @name)
  (keyword_on) . (object_reference schema: (_)? @container name: (_) @container)) @definition.event

; What `repair` in language.toml makes of routines, triggers with code, and packages.
((create_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (keyword_as) @body
  (create_query (select (select_expression (term value: (unary_expression (keyword_not) (literal))))))) @definition.function
  (#set! body empty))
((create_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (keyword_as) @body
  (create_query (select (select_expression (term value: (parameter)))))) @definition.function
  (#set! body empty))
(statement . (keyword_compute) (object_reference schema: (_)? @container name: (identifier) @name)) @definition.function
((alter_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (rename_object (keyword_rename) @body (object_reference name: (identifier) @_is))) @definition.function
  (#match? @_is "^y+$"))
((alter_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (rename_object (keyword_rename) @body (object_reference name: (identifier) @_is))) @definition.struct
  (#match? @_is "^z+$"))
((create_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (identifier)? @container
  (keyword_as) @body
  (create_query (select (select_expression (term value: (unary_expression (op_unary_other) (literal))))))) @definition.event
  (#set! body empty))
((create_view
  (object_reference schema: (_)? @container name: (identifier) @name)
  (keyword_as) @body
  (create_query (select (select_expression (term value: (literal "-")))))) @definition.module
  (#set! body empty))

(create_index
  column: [(identifier) (literal)] @name
  (object_reference schema: (_)? @container name: (_) @container)) @definition.property
(create_sequence (object_reference schema: (_)? @container name: (identifier) @name)) @definition.variable
(create_schema (identifier) @name) @definition.namespace
((create_schema (identifier) (keyword_authorization) (identifier) @name) @definition.namespace (#set! name none))
(create_database (identifier) @name) @definition.namespace

[(comment) (marginalia)] @doc
