; Types.
(type_declaration . (identifier) @name) @definition.type
(type_declaration . (identifier) @name (struct_type "{" @body "}" @body)) @definition.struct
(type_declaration . (identifier) @name (union_type "{" @body "}" @body)) @definition.struct
(type_declaration . (identifier) @name (enum_type "{" @body "}" @body)) @definition.enum
((field . (identifier) @name) @definition.field (#set! visibility container))
((enum_field . (identifier) @name) @definition.enumMember (#set! visibility container))

; Functions; without a body they are defined elsewhere.
(function_declaration name: (identifier) @name) @definition.function
((function_declaration name: (identifier) @name !body) @definition.function (#set! role declaration))

; Values.
(constant_declaration . (identifier) @name) @definition.constant
(constant_declaration "," . (identifier) @name) @definition.constant
(global_binding . (identifier) @name) @definition.variable
(global_declaration "const" (global_binding . (identifier) @name) @definition.constant)

; `export` stands beside the declaration: it counts up to the end of that.
((declarations "export" @name) (#set! visibility exported))
((declarations ";" @name) (#set! visibility private))

(comment) @doc
