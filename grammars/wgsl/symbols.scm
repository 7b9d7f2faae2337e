(struct_declaration name: (identifier) @name "{" @body "}" @body) @definition.struct
(struct_member (variable_identifier_declaration name: (identifier) @name)) @definition.field
(type_alias_declaration . (identifier) @name) @definition.type

; Constants and variables of the file, with and without a type.
(global_constant_declaration ["let" "override"] . (identifier) @name) @definition.constant
(global_constant_declaration (variable_identifier_declaration name: (identifier) @name)) @definition.constant
(global_variable_declaration (variable_declaration (identifier) @name)) @definition.variable
(global_variable_declaration (variable_declaration (variable_identifier_declaration name: (identifier) @name))) @definition.variable

(function_declaration name: (identifier) @name) @definition.function

(line_comment) @doc
(block_comment) @doc
