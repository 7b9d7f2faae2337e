; A namespace with a body, or for the rest of the file.
(namespace_declaration name: (_) @name body: (_)) @definition.namespace
((namespace_declaration name: (_) @name !body) @definition.namespace (#set! extent rest))

(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (identifier) @name "{" @body "}" @body) @definition.enum
(enum_class_declaration name: (identifier) @name "{" @body "}" @body) @definition.enum
(enumerator . (identifier) @name) @definition.enumMember
(alias_declaration ["type" "newtype"] . (identifier) @name) @definition.type
(type_const_declaration name: (identifier) @name) @definition.type

(const_declaration (const_declarator name: (identifier) @name)) @definition.constant
(context_const_declaration name: (identifier) @name) @definition.constant
(property_declaration (property_declarator name: (variable) @name)) @definition.property
(xhp_attribute_declaration (xhp_class_attribute name: (_) @name) @definition.property)

(function_declaration name: (identifier) @name) @definition.function
(method_declaration name: (identifier) @name) @definition.method
; Parameters with a visibility are properties.
(parameter (visibility_modifier) name: (variable) @name) @definition.property

(comment) @doc
