; A file is a class. The parts of its name in front of the last are its package.
((class_directive (class_identifier . "L" . ((identifier) @container . "/")* . (identifier) @name . ";")) @definition.class
  (#set! extent rest))
((class_directive
  (access_modifiers (access_modifier "interface"))
  (class_identifier . "L" . ((identifier) @container . "/")* . (identifier) @name . ";")) @definition.interface
  (#set! extent rest))
((class_directive
  (access_modifiers (access_modifier "enum"))
  (class_identifier . "L" . ((identifier) @container . "/")* . (identifier) @name . ";")) @definition.enum
  (#set! extent rest))

(field_definition (field_identifier) @name) @definition.field
(field_definition
  (access_modifiers (access_modifier "static") (access_modifier "final")) (field_identifier) @name) @definition.constant
(field_definition (access_modifiers (access_modifier "enum")) (field_identifier) @name) @definition.enumMember

(method_definition (method_signature (method_identifier) @name) ".end method" @body) @definition.method
(method_definition (method_signature (method_identifier) @name) . (_) @body) @definition.method

(comment) @doc
