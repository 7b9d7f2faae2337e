; Types. A library is a module: it groups functions and has no instances.
(contract_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(library_declaration name: (identifier) @name) @definition.module
(struct_declaration name: (identifier) @name) @definition.struct
(struct_member name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name) @definition.enum
(enum_value) @definition.enumMember @name
(user_defined_type_definition name: (identifier) @name) @definition.type

(event_definition name: (identifier) @name) @definition.event
(error_declaration name: (identifier) @name) @definition.event

; Functions; their visibility stands behind the parameters.
(function_definition name: (identifier) @name) @definition.function
((function_definition name: (identifier) @name (visibility "private")) @definition.function (#set! visibility private))
(modifier_definition name: (identifier) @name) @definition.function
(constructor_definition "constructor" @name) @definition.constructor
(fallback_receive_definition ["fallback" "receive"] @name) @definition.function
(yul_function_definition . (yul_identifier) @name (yul_block) @body) @definition.function

; State. What is immutable is still a variable: the constructor sets it.
(state_variable_declaration name: (identifier) @name) @definition.variable
(state_variable_declaration "constant" name: (identifier) @name) @definition.constant
(constant_variable_declaration name: (identifier) @name) @definition.constant

(comment) @doc
