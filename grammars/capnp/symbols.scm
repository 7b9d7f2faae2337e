(struct . "struct" . (type_identifier) @name "{" @body "}" @body) @definition.struct
(field (field_identifier) @name) @definition.field
(field (union . (type_identifier) @name "{" @body "}" @body)) @definition.struct
(field (group . (type_identifier) @name "{" @body "}" @body)) @definition.struct
(union_field (field_identifier) @name) @definition.field

(interface . "interface" . (type_identifier) @name "{" @body "}" @body) @definition.interface
(method (method_identifier) @name) @definition.method

(enum (enum_identifier) @name "{" @body "}" @body) @definition.enum
(enum_field (enum_member) @name) @definition.enumMember

(const (const_identifier) @name) @definition.constant
(annotation (annotation_definition_identifier) @name) @definition.macro
(using_directive (replace_using (type_definition) @name)) @definition.type

(comment) @doc
