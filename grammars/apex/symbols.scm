(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_constant name: (identifier) @name) @definition.enumMember
((trigger_declaration name: (identifier) @name) @definition.event (#set! visibility exported))

(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(field_declaration declarator: (variable_declarator name: (identifier) @name) (accessor_list) @body) @definition.property
(field_declaration
  (modifiers (modifier (static)) (modifier (final)))
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers (modifier (final)) (modifier (static)))
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(constructor_declaration name: (identifier) @name) @definition.constructor
(method_declaration name: (identifier) @name) @definition.method

(line_comment) @doc
(block_comment) @doc
