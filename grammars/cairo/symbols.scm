(mod_item name: (identifier) @name body: (_)) @definition.module
(struct_item name: (type_identifier) @name) @definition.struct
(field_declaration name: (field_identifier) @name) @definition.field
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.enumMember
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant

; Implementations have names.
(impl_item "impl" . (type_identifier) @name) @definition.class
(impl_item "impl" . (type_identifier) @name (block) @body) @definition.class
(impl_item "impl" . (generic_type type: (type_identifier) @name)) @definition.class
(impl_item "impl" . (generic_type type: (type_identifier) @name) (block) @body) @definition.class

(extern_type_statement name: (identifier) @name) @definition.type
(extern_function_statement "fn" . (identifier) @name) @definition.function
(function_signature "fn" . (identifier) @name) @definition.function
(function_definition "fn" . (identifier) @name (block) @body) @definition.function

; Cairo Zero hides nothing.
((namespace_definition . "namespace" . (identifier) @name "{" @body "}" @body) @definition.namespace (#set! visibility exported))
((struct_definition . "struct" . (identifier) @name "{" @body "}" @body) @definition.struct (#set! visibility exported))
((struct_definition (typed_identifier . (identifier) @name) @definition.field) (#set! visibility exported))
((const_var_declaration . "const" . (identifier) @name) @definition.constant (#set! visibility exported))
((type_definition . "using" . (identifier) @name) @definition.type (#set! visibility exported))
((function_definition "func" . (identifier) @name "{" @body "}" @body) @definition.function (#set! visibility exported))
(decorated_definition definition: (_) @part) @whole

((attribute_item) @doc (#set! doc attribute))
(comment) @doc
