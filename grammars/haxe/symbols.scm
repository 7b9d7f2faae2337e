(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(typedef_declaration name: (_) @name) @definition.type
; The grammar knows no enums: their keyword is a word among others, and what follows is an expression or an error.
(((keyword) @_word . [(identifier) @name @definition.enum (ERROR . (identifier) @name) @definition.enum] . (block) @body)
  (#eq? @_word "enum"))
(((keyword) @_word . [(identifier) (ERROR)] . (block (identifier) @name @definition.enumMember))
  (#eq? @_word "enum"))
(((keyword) @_word . [(identifier) (ERROR)] . (block (call_expression object: (identifier) @name) @definition.enumMember))
  (#eq? @_word "enum"))

(function_declaration name: _ @name) @definition.function
(variable_declaration name: (_) @name) @definition.variable

(comment) @doc
