; Types; functions and variables are those of Lua.
(type_definition name: (identifier) @name) @definition.type
(type_definition name: (generic_type . (identifier) @name)) @definition.type
