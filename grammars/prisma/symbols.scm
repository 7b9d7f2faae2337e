(model_block . (identifier) @name . "{" @body "}" @body) @definition.struct
(model_field . field_name: (identifier) @name) @definition.field
(enum_block . "enum" . (identifier) @name . "{" @body "}" @body) @definition.enum
(enum_block "{" (identifier) @name @definition.enumMember)
; Settings: of the database, and of what is generated from this file.
(key_value_block . (identifier) @name . "{" @body "}" @body) @definition.object
(key_value . (key) @name) @definition.key

[(comment) (document_comment)] @doc
