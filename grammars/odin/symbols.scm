; Types.
(struct_declaration (identifier) @name "{" @body "}" @body) @definition.struct
(enum_declaration (identifier) @name . "::" "{" @body "}" @body) @definition.enum
(union_declaration (identifier) @name . "::" "{" @body "}" @body) @definition.enum
(bit_field_declaration (identifier) @name . "::" "{" @body "}" @body) @definition.struct
((enum_declaration "{" (identifier) @name @definition.enumMember) (#set! visibility container))
((field (identifier) @name) @definition.field (#set! visibility container))

; Procedures; a procedure type is written as one without a body.
(procedure_declaration (identifier) @name) @definition.function
(procedure_declaration (identifier) @name (procedure (block) @body)) @definition.function
(overloaded_procedure_declaration (identifier) @name . "::") @definition.function

; Values. What else is bound with `::` may be a type as well.
(const_declaration (identifier) @name . ["::" ","]) @definition.constant
(const_declaration (identifier) @name . "::" . [(distinct_type) (bit_set_type)]) @definition.type
(const_type_declaration (identifier) @name . ":") @definition.constant
(source_file (var_declaration (identifier) @name) @definition.variable)
(source_file (variable_declaration (identifier) @name . [":=" ","]) @definition.variable)

[(comment) (block_comment)] @doc
