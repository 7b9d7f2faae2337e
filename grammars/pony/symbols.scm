; Types; a docstring ends the header.
(class_definition (identifier) @name (members)? @body) @definition.class
(class_definition (identifier) @name (string) @body (members) @body) @definition.class
(actor_definition (identifier) @name (members)? @body) @definition.class
(actor_definition (identifier) @name (string) @body (members) @body) @definition.class
(primitive_definition (identifier) @name (members)? @body) @definition.class
(primitive_definition (identifier) @name (string) @body (members) @body) @definition.class
(struct_definition (identifier) @name (members)? @body) @definition.struct
(struct_definition (identifier) @name (string) @body (members) @body) @definition.struct
(trait_definition (identifier) @name (members)? @body) @definition.trait
(trait_definition (identifier) @name (string) @body (members) @body) @definition.trait
(interface_definition (identifier) @name (members)? @body) @definition.interface
(interface_definition (identifier) @name (string) @body (members) @body) @definition.interface
(type_alias (identifier) @name) @definition.type
(type_alias (identifier) @name (string) @body) @definition.type

; Members.
(field name: (identifier) @name) @definition.field
(field name: (identifier) @name (string "\"\"\"") @body .) @definition.field
(constructor (identifier) @name (block)? @body) @definition.constructor
(constructor (identifier) @name (string) @body .) @definition.constructor
(method (identifier) @name (block)? @body) @definition.method
(method (identifier) @name (string) @body .) @definition.method
(behavior (identifier) @name (block)? @body) @definition.method
(behavior (identifier) @name (string) @body .) @definition.method

((class_definition (string) @doc) (#set! doc body))
((actor_definition (string) @doc) (#set! doc body))
((primitive_definition (string) @doc) (#set! doc body))
((trait_definition (string) @doc) (#set! doc body))
((struct_definition (string) @doc) (#set! doc body))
((interface_definition (string) @doc) (#set! doc body))
([(method (string) @doc .) (constructor (string) @doc .) (behavior (string) @doc .)] (#set! doc body))
((type_alias (string) @doc) (#set! doc body))
((field (string "\"\"\"") @doc .) (#set! doc body))
((block . (string "\"\"\"") @doc) (#set! doc body))
[(line_comment) (block_comment)] @doc
