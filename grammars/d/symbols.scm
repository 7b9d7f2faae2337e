(module_declaration (module_fqn) @name) @definition.module

; Types; templates are what they hold.
(class_declaration (identifier) @name) @definition.class
(class_declaration (identifier) @name (aggregate_body) @body) @definition.class
(interface_declaration (identifier) @name) @definition.interface
(interface_declaration (identifier) @name (aggregate_body) @body) @definition.interface
(struct_declaration (identifier) @name) @definition.struct
(struct_declaration (identifier) @name (aggregate_body) @body) @definition.struct
(union_declaration (identifier) @name) @definition.struct
(union_declaration (identifier) @name (aggregate_body) @body) @definition.struct
(enum_declaration (identifier) @name) @definition.enum
(enum_declaration (identifier) @name "{" @body "}" @body) @definition.enum
((enum_member . (identifier) @name) @definition.enumMember (#set! visibility container))
((enum_member . (at_attribute)+ . (identifier) @name) @definition.enumMember (#set! visibility container))
((anonymous_enum_member (type) . (identifier) @name) @definition.enumMember (#set! visibility container))
(template_declaration (identifier) @name "{" @body "}" @body) @definition.trait
(alias_declaration (alias_initializer . (identifier) @name)) @definition.type
(alias_declaration (type) . (identifier) @name) @definition.type

; Functions.
(function_declaration (identifier) @name (function_body) @body) @definition.function
(auto_declaration variable: (identifier) @name) @definition.variable
(auto_declaration variable: (identifier) @name value: (function_literal) @body) @definition.function
(constructor (this) @name (function_body) @body) @definition.constructor
((destructor "~" @name . (this) @name (function_body) @body) @definition.method (#set! name span))
(postblit . (this) @name (function_body) @body) @definition.method

; Values.
(variable_declaration (declarator . (identifier) @name)) @definition.variable
(variable_declaration (type (type_ctor [(immutable) (const)])) (declarator . (identifier) @name)) @definition.constant
(manifest_constant (manifest_declarator . (identifier) @name)) @definition.constant

; Sections of visibility.
((attribute_declaration (private) @name) (#set! visibility private))
((attribute_declaration [(public) (protected)] @name) (#set! visibility exported))

; What stands here is local.
((function_literal) @body (#set! scope function))
((unittest_declaration (block_statement) @body) (#set! scope function))
((invariant_declaration (block_statement) @body) (#set! scope function))

(comment) @doc
