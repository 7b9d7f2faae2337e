; What C++ has, and what an interrupt runs, which goes by the name of the interrupt.
((function_definition
  !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))) @definition.function
  (#eq? @_macro "ISR"))
