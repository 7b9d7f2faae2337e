; What C++ has, and constants on the device.
(declaration
  (type_qualifier "__constant__")
  declarator: [
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    (init_declarator declarator: [
      (identifier) @name
      (array_declarator declarator: (identifier) @name)
      (array_declarator declarator: (array_declarator declarator: (identifier) @name))
    ])
  ]) @definition.constant
(declaration
  (type_qualifier "__constant__")
  declarator: (_
    declarator: [
      (_ declarator: (identifier) @name "[")
      (_ declarator: (_ declarator: (identifier) @name "[") "[")
    ]
    value: (initializer_list) @body)) @definition.constant
