(package_declaration name: (_) @name) @definition.namespace
(namespace_declaration name: (identifier) @name) @definition.namespace
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name "{" @body "}" @body) @definition.interface

(constant_declaration name: (identifier) @name) @definition.constant
(variable_declaration name: (identifier) @name) @definition.variable
(function_declaration name: (identifier) @name) @definition.function
(function_declaration (accessor) name: (identifier) @name) @definition.property
(method_declaration name: (identifier) @name) @definition.method
(method_declaration (accessor) name: (identifier) @name) @definition.property
(variable_declaration name: (identifier) @name value: (anonymous_function body: (_) @body)) @definition.function

((anonymous_function body: (_) @body) (#set! scope function))

(line_comment) @doc
(block_comment) @doc
