(const_var_declarations name: (identifier) @name) @definition.constant
(global_var_declarations name: (identifier) @name) @definition.variable
(function_definition name: (function_name) @name) @definition.function
(function_definition name: (function_name) @name asm_body: (_) @body) @definition.function
((function_definition name: (function_name) @name !body !asm_body) @definition.function (#set! role declaration))
(comment) @doc
