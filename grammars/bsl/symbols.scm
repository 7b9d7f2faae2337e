(var_definition var_name: (identifier) @name) @definition.variable
((var_definition var_name: (identifier) @name export: (_)) @definition.variable (#set! visibility exported))

; Procedures and functions: what stands behind the parameters, or behind `Export`, begins the body.
(function_definition name: (identifier) @name parameters: (_) . (_) @body) @definition.function
(procedure_definition name: (identifier) @name parameters: (_) . (_) @body) @definition.function
((function_definition name: (identifier) @name export: (_) . (_) @body) @definition.function (#set! visibility exported))
((procedure_definition name: (identifier) @name export: (_) . (_) @body) @definition.function (#set! visibility exported))

; `&AtServer`
((preprocessor (annotation)) @doc (#set! doc attribute))
(line_comment) @doc
