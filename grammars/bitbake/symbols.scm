; Variables: the first assignment of a name. What appends to one or sets a flag of it is no definition.
(variable_assignment . (identifier) @name . operator: _) @definition.variable
(export_statement (variable_assignment . (identifier) @name . operator: _)) @definition.variable

; Tasks and functions in shell and in Python. `do_install:append` goes by the name of the task it changes.
(function_definition (identifier) @name "{" @body "}" @body) @definition.function
(anonymous_python_function (identifier) @name (block) @body) @definition.function
(python_function_definition name: (python_identifier) @name) @definition.function

(comment) @doc
