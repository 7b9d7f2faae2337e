(const_definition (identifier) @name) @definition.constant
(typedef_definition (typedef_identifier) @name) @definition.type

(enum_definition type: (identifier) @name "{" @body "}" @body) @definition.enum
(enum_definition "{" (identifier) @name @definition.enumMember)
(senum_definition type: (identifier) @name "{" @body) @definition.enum

(struct_definition type: (identifier) @name . (comment)* . "{" @body "}" @body) @definition.struct
(union_definition type: (identifier) @name . (comment)* . "{" @body "}" @body) @definition.struct
(exception_definition . "exception" . (identifier) @name "{" @body "}" @body) @definition.class
(field (identifier) @name) @definition.field

(service_definition . "service" . (identifier) @name "{" @body "}" @body) @definition.interface
(function_definition (identifier) @name) @definition.method

(comment) @doc
