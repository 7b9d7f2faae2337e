; An object is named by its id, by which others reach its properties.
((ui_object_definition
  initializer: (ui_object_initializer
    (ui_binding name: (identifier) @_id value: (expression_statement (identifier) @name))) @body) @definition.variable
  (#eq? @_id "id"))
(ui_inline_component
  name: (identifier) @name component: (ui_object_definition initializer: (_) @body)) @definition.class

; Members. The value belongs to the signature, but no code and no object.
(ui_property name: (identifier) @name) @definition.property
(ui_property name: (identifier) @name value: (statement_block) @body) @definition.property
((ui_property name: (identifier) @name value: (ui_object_definition) @body) @definition.property (#set! body empty))
(ui_signal name: (identifier) @name) @definition.event
(enum_declaration name: (identifier) @name) @definition.enum
(enum_body name: (identifier) @name @definition.enumMember)
(enum_assignment name: (identifier) @name) @definition.enumMember

; Functions; handlers of signals have no name of their own.
(function_declaration name: (identifier) @name) @definition.function

((ui_binding value: (statement_block) @body) (#set! scope function))
(comment) @doc
