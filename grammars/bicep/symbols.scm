(parameter_declaration . (identifier) @name) @definition.variable
(output_declaration . (identifier) @name) @definition.variable
(variable_declaration . (identifier) @name) @definition.constant
(type_declaration . (identifier) @name) @definition.type
(user_defined_function name: (identifier) @name) @definition.function

; Resources, with those that are nested in them; modules. A loop or a condition stands before the object.
(resource_declaration . (identifier) @name (object) @body) @definition.struct
(module_declaration . (identifier) @name (object) @body) @definition.module
(module_declaration . (identifier) @name [(for_statement) (if_statement)] @body) @definition.module
(resource_declaration . (identifier) @name [(for_statement) (if_statement)] @body) @definition.struct

[(comment) (diagnostic_comment) (decorators)] @doc
