; TypeScript and TSX build on this file: a wildcard stands where their grammars name a node otherwise.

; Values; in functions they are dropped as local.
(variable_declarator name: (identifier) @name) @definition.variable
((lexical_declaration "const" (variable_declarator) @part) (#set! kind constant))

; Destructured, two levels deep within another.
(variable_declarator
  name: (_ [
    (shorthand_property_identifier_pattern) @name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (pair_pattern value: [
      (identifier) @name
      (assignment_pattern left: (identifier) @name)
      (assignment_pattern left: (_ [
        (shorthand_property_identifier_pattern) @name
        (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
        (pair_pattern value: (identifier) @name)
      ]))
      (_ [
        (shorthand_property_identifier_pattern) @name
        (_ left: (shorthand_property_identifier_pattern) @name)
        (_ value: [
          (identifier) @name
          (_ left: (identifier) @name)
          (_ (shorthand_property_identifier_pattern) @name)
        ])
        (rest_pattern (identifier) @name)
      ])
      (array_pattern (identifier) @name)
    ])
    (rest_pattern (identifier) @name)
  ])) @definition.variable
(variable_declarator
  name: (_ [
    (identifier) @name
    (_ left: (identifier) @name)
    (rest_pattern [(identifier) @name (array_pattern (identifier) @name)])
    (array_pattern (identifier) @name)
    (_ [
      (shorthand_property_identifier_pattern) @name
      (_ value: (identifier) @name)
    ])
  ])) @definition.variable

; An object encloses its members, also one in parentheses.
(variable_declarator
  name: (identifier) @name value: [(object) (parenthesized_expression (object))] @header) @definition.variable
; One with functions ends the signature, too; the block of a callback ends the signature as well. `(_ body: (_))` stands for the
; three sorts of functions, and for a class.
(variable_declarator
  name: (identifier) @name "="
  value: [
    (_ [(method_definition) (pair value: (_ body: (_))) @_pair]) @body
    (parenthesized_expression (_ [(method_definition) (pair value: (_ body: (_))) @_pair]) @body)
    (_ function: (_) arguments: (arguments [
      (_ [
        (method_definition)
        (pair value: (_ body: (_)))
        (pair value: (_ [(method_definition) (pair value: (_ body: (_)))] @_inner))
      ] @_pair) @body
      (_ body: (statement_block) @body)
    ]))
  ]) @definition.variable

; So does a function that is called where it stands, which encloses nothing; what stands behind `||` is the function.
((variable_declarator
  name: (identifier) @name "="
  value: [
    (_ function: [
      (function_expression body: (_) @body)
      (parenthesized_expression (_ body: (statement_block) @body))
    ])
    (parenthesized_expression (_ function: (function_expression body: (_) @body)))
    (_ operator: _ right: [
      (_ function: (parenthesized_expression (_ body: (statement_block) @body)))
      (parenthesized_expression (_ function: (_ body: (statement_block) @body)))
    ])
  ]) @definition.variable (#set! body empty))
(variable_declarator
  name: (identifier) @name
  value: (_
    operator: ["||" "??"]
    right: [
      (_ body: (_) @body)
      (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
    ])) @definition.function

; The members of a frozen object are what an enum's are elsewhere.
((variable_declarator
  name: (identifier) @name
  value: (_
    function: (_ property: (property_identifier) @_freeze)
    arguments: (arguments . (object) @body))) @definition.variable
  (#eq? @_freeze "freeze"))
((variable_declarator
  name: (identifier)
  value: (_
    function: (_ property: (property_identifier) @_freeze)
    arguments: (arguments . (object (pair key: [(property_identifier) (string)] @name) @definition.property))))
  (#eq? @_freeze "freeze"))

; Classes and functions. Those that are the value of a name have that name, not their own.
(class_declaration name: (_) @name) @definition.class
(class_declaration decorator: (_) "class" @definition.class name: (_) @name body: (_) @body) @definition.class
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(variable_declarator name: (identifier) @name value: (_ body: (_) @body)) @definition.function
((variable_declarator name: (identifier) @name value: (_ "class" @_class body: (_) @body)) @definition.class (#eq? @_class "class"))
; A function in parentheses is one, too.
(variable_declarator
  name: (identifier) @name
  value: (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])) @definition.function
; One that is assigned to a name.
(assignment_expression
  left: (identifier) @name
  right: (_ [
    body: (_) @body
    ("(" [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])
  ])) @definition.function
((assignment_expression left: (identifier) @name right: (_ "class" @_class body: (_) @body)) @definition.class
  (#eq? @_class "class"))
; One that is handed on or given back has a name of its own, by which traces of calls call it.
(expression_statement (_
  function: (_) arguments: (_ (function_expression name: (identifier) @name) @definition.function)))
(export_statement value: (_
  function: (_) arguments: (arguments . (function_expression name: (identifier) @name) @definition.function)))
((export_statement value: (_ function: (_) arguments: (arguments . (_ "class" @_class name: (_) @name) @definition.class)))
  (#eq? @_class "class"))
(return_statement (function_expression name: (identifier) @name) @definition.function)
((return_statement (_ "class" @_class name: (_) @name) @definition.class) (#eq? @_class "class"))
((parenthesized_expression (_ "class" @_class name: (_) @name) @definition.class) (#eq? @_class "class"))
((arrow_function body: (_ "class" @_class name: (_) @name) @definition.class) (#eq? @_class "class"))

; A function in a wrapper that gives back such a function (`memo(forwardRef(...))`).
((variable_declarator
  name: (identifier) @name
  value: (_
    function: [(identifier) @_wrapper (_ property: (property_identifier) @_wrapper)]
    arguments: (arguments . [
      (_ body: (_) @body)
      (_ function: (_) arguments: (arguments . (_ body: (_) @body)))
    ]))) @definition.function
  (#any-of? @_wrapper "memo" "forwardRef" "observer" "lazy" "useCallback" "debounce" "throttle" "memoize" "memoizeOne"
    "once" "curry" "cache" "promisify" "asyncHandler" "catchAsync" "expressAsyncHandler"))

; `export default` of what has no name defines the name `default`.
(export_statement "default" @name value: (_ body: (_) @body)) @definition.function
((export_statement "default" @name value: (_ "class" @_class body: (_) @body)) @definition.class (#eq? @_class "class"))
(export_statement "default" @name value: (object) @body) @definition.constant
(export_statement
  "default" @name
  value: (_ function: (_) arguments: (_ [(object) @body (_ body: (_) @body)]))) @definition.constant

; Members of classes. Fields are told by the sort of their name; what has a body is matched below.
(class_body
  (_ !body [(property_identifier) (private_property_identifier) (computed_property_name)] @name) @definition.field)
(class_body
  (_
    !body
    [(property_identifier) (private_property_identifier)] @name
    value: [
      (_ body: (_) @body)
      (parenthesized_expression (_ body: (statement_block) @body))
    ]) @definition.method)
(class_body (_ name: (computed_property_name) @name body: (_)) @definition.method)
(class_body (_ ["get" "set"] name: (computed_property_name) @name body: (_)) @definition.property)
; Those of objects as well.
(method_definition name: [(property_identifier) (private_property_identifier) (string)] @name) @definition.method
([
  (class_body (_ ["get" "set"] name: [(property_identifier) (private_property_identifier) (string)] @name body: (_)) @definition.property)
  (object (_ ["get" "set"] name: [(property_identifier) (string)] @name body: (_)) @definition.property)
  (ERROR (_ ["get" "set"] name: [(property_identifier) (private_property_identifier) (string)] @name body: (_)) @definition.property)
])

; Data of an object that has a name (two levels deep where it is a variable). In functions it is local.
((variable_declarator
  name: (identifier)
  value: [
    (_ (pair key: [(property_identifier) (string)] @name) @definition.key)
    (parenthesized_expression (_ (pair key: [(property_identifier) (string)] @name) @definition.key))
  ])
  (#set! local none))
((variable_declarator
  name: (identifier) value: (object (pair value: (_ (pair key: [(property_identifier) (string)] @name) @definition.key))))
  (#set! local none))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name) @definition.key))
((assignment_expression left: (member_expression) right: (_ (pair key: [(property_identifier) (string)] @name) @definition.key))
  (#set! local none))
; Functions of objects, also of those without a name. A member that is an object qualifies what it holds.
(pair key: [(property_identifier) (string)] @name value: (_ body: (_) @body)) @definition.method
(pair
  key: [(property_identifier) (string)] @name
  value: (parenthesized_expression [(_ body: (statement_block) @body) (_ "=>" body: (_) @body)])) @definition.method
((pair key: [(property_identifier) (string)] @name value: (_ "class" @_class body: (_) @body)) @definition.class
  (#eq? @_class "class"))
((pair key: [(property_identifier) (string)] @container value: (object) @body) (#set! scope data))
(class_body (_ !body [(property_identifier) (private_property_identifier)] @container value: (object) @body))
((decorator) @body (#set! scope function))
; An object that is assigned to a member has its path for a name, one of a prototype that of the class.
((assignment_expression
  left: [
    (_ object: (this) property: (_) @container)
    (_
      object: [(identifier) (_ !index object: [(identifier) (this)])] @container @_path
      property: (property_identifier) @container @_path)
  ]
  right: (object) @body)
  (#set! scope data)
  (#not-eq? @_path "module"))
((assignment_expression
  left: (_
    object: [(identifier) @_exports (_ object: (identifier) property: (_) @_exports)]
    property: (property_identifier) @container)
  right: (object) @body)
  (#set! scope data)
  (#eq? @_exports "exports"))
((assignment_expression
  left: (_
    object: [(identifier) (_ !index object: (identifier))] @container
    property: (property_identifier) @_prototype)
  right: (object) @body)
  (#set! scope data)
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (_
    object: (_ object: (_) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @container)
  right: (object) @body)
  (#set! scope data)
  (#eq? @_prototype "prototype"))
; What is given to `extend` of something belongs to that.
((expression_statement (_
  function: (_ object: (_) @container property: (property_identifier) @_extend)
  arguments: (_ . (object) @body .)))
  (#eq? @_extend "extend"))
((expression_statement (_
  function: (_ property: (property_identifier) @_extend)
  arguments: (_ . [(identifier) (member_expression)] @container . (object) @body .)))
  (#any-of? @_extend "extend" "assign"))
((expression_statement (_
  function: (_ property: (property_identifier) @_extend)
  arguments: (_
    . (_ object: (_) @container property: (property_identifier) @_prototype) . (object) @body .)))
  (#any-of? @_extend "extend" "assign")
  (#eq? @_prototype "prototype"))

; What is assigned to a member of a class or of a namespace, and an object that is assigned to any.
((expression_statement (_ !operator
  left: (_
    object: [(identifier) (_ !index object: (identifier))] @container property: (property_identifier) @name)
  right: (_ !body)) @definition.variable)
  (#set! visibility container)
  (#match? @container "^[A-Z$]")
  (#not-eq? @name "prototype"))
((expression_statement (_ !operator
  left: (_
    object: [(identifier) (_ !index object: (identifier))] @container property: (property_identifier) @name)
  right: (object)) @definition.variable)
  (#set! visibility container)
  (#not-eq? @container "module")
  (#not-eq? @container "exports")
  (#not-eq? @name "prototype"))
((expression_statement (_ !operator
  left: (_
    object: (_ object: (_) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: (_ !body)) @definition.variable)
  (#set! visibility container)
  (#eq? @_prototype "prototype"))
((call_expression
  function: (_ property: (property_identifier) @_define)
  arguments: (_ . [(identifier) (member_expression)] @container . (string) @name . (object) @body .))
  @definition.property
  (#set! visibility container)
  (#set! local none)
  (#eq? @_define "defineProperty")
  (#not-eq? @container "exports"))
((call_expression
  function: (_ property: (property_identifier) @_define)
  arguments: (_
    . (_ object: (_) @container property: (property_identifier) @_prototype) . (string) @name . (object) @body .))
  @definition.property
  (#set! visibility container)
  (#set! local none)
  (#eq? @_define "defineProperty")
  (#eq? @_prototype "prototype"))

; Functions assigned to members: of an object, of a prototype, of `this`.
((assignment_expression
  left: (_
    object: [
      (identifier) @container
      (_ !index object: [(identifier) (_ !index object: [(identifier) (this)])]) @container
      (_ object: (this) property: (_) @container)
    ]
    property: [(property_identifier) (private_property_identifier)] @name)
  right: (_ [
    body: (_) @body
    ("(" (_ body: (statement_block) @body))
  ])) @definition.method
  (#not-eq? @name "exports")
  (#set! visibility container))
((assignment_expression
  left: (_
    object: [
      (identifier) @container
      (_ !index object: [(identifier) (_ !index object: [(identifier) (this)])]) @container
      (_ object: (this) property: (_) @container)
    ]
    property: [(property_identifier) (private_property_identifier)] @name)
  right: (class body: (_) @body)) @definition.class
  (#not-eq? @name "exports")
  (#set! visibility container))
((assignment_expression
  left: (_
    object: (_ object: (_) @container property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: (_ [
    body: (_) @body
    ("(" (_ body: (statement_block) @body))
  ])) @definition.method
  (#eq? @_prototype "prototype")
  (#not-eq? @container "this")
  (#set! visibility container))
(assignment_expression
  left: (_ object: (this) property: [(property_identifier) (private_property_identifier)] @name)
  right: (_ [
    body: (_) @body
    ("(" (_ body: (statement_block) @body))
  ])) @definition.method
(assignment_expression
  left: (_ object: (this) property: [(property_identifier) (private_property_identifier)] @name)
  right: (class body: (_) @body)) @definition.class

; CommonJS. `void 0` and names only prepare or pass on.
((assignment_expression
  left: (_
    object: [(identifier) @_exports (_ object: (identifier) property: (_) @_exports)]
    property: (property_identifier) @name)
  right: [
    (_ function: (_) @_call)
    (new_expression) (string) (template_string) (number) (array) (object) (regex) (true) (false) (binary_expression)
  ]) @definition.variable
  (#eq? @_exports "exports")
  (#not-eq? @_call "require")
  (#set! visibility exported))
((assignment_expression
  left: (_
    object: [(identifier) @_exports (_ object: (identifier) property: (_) @_exports)]
    property: (property_identifier) @name)
  right: [
    (_ body: (_) @body)
    (parenthesized_expression (_ body: (statement_block) @body))
  ]) @definition.function
  (#eq? @_exports "exports")
  (#set! visibility exported))
((assignment_expression
  left: (_
    object: [(identifier) @_exports (_ object: (identifier) property: (_) @_exports)]
    property: (property_identifier) @name)
  right: (class body: (_) @body)) @definition.class
  (#eq? @_exports "exports")
  (#set! visibility exported))
((assignment_expression
  left: (_
    object: [(identifier) @_exports (_ object: (identifier) property: (_) @_exports)]
    property: (property_identifier) @name)
  right: [
    (call_expression arguments: (arguments (_ body: (statement_block) @body)))
    (_ function: (parenthesized_expression (_ body: (statement_block) @body)))
    (parenthesized_expression (_ function: (function_expression body: (_) @body)))
  ]) @definition.variable
  (#eq? @_exports "exports")
  (#set! visibility exported)
  (#set! body empty))
((assignment_expression
  left: (_ !index object: (identifier) @_module) right: (object (pair key: [(property_identifier) (string)] @name) @definition.key))
  (#eq? @_module "module")
  (#set! visibility exported))
((assignment_expression
  left: (_
    object: (_ object: (identifier) @_exports property: (property_identifier) @container)
    property: (property_identifier) @name)
  right: (_ body: (_) @body)) @definition.method
  (#eq? @_exports "exports")
  (#set! visibility container))
; The whole of a module has the name `exports`, unless it brings one.
((assignment_expression
  left: (_ object: (identifier) @_module property: (property_identifier) @name)
  right: (_ !name body: (_) @body)) @definition.function
  (#eq? @_module "module")
  (#set! visibility exported))
((assignment_expression
  left: (_ !index object: (identifier) @_module)
  right: (_ name: (_) @name body: (_) @body)) @definition.function
  (#eq? @_module "module")
  (#set! visibility exported))
((assignment_expression
  left: (_ object: (identifier) @_module property: (property_identifier) @name)
  right: (class !name body: (_) @body)) @definition.class
  (#eq? @_module "module")
  (#set! visibility exported))
((assignment_expression
  left: (_ !index object: (identifier) @_module)
  right: (class name: (_) @name body: (_) @body)) @definition.class
  (#eq? @_module "module")
  (#set! visibility exported))
((assignment_expression
  left: (_ !index object: (identifier) @_module)
  right: (object [
    (_ name: [(property_identifier) (string)] @name) @definition.function
    (pair key: [(property_identifier) (string)] @name value: (_ body: (_) @body)) @definition.function
  ]))
  (#eq? @_module "module")
  (#set! visibility exported))

; Tests: suites, and cases.
((call_expression
  function: [
    (_ !index object: [(identifier) @_call (_ !index object: (identifier) @_call)])
    (identifier) @_call
    (_ property: (property_identifier) @_call)
    (_ function: (_ !index
      object: [(identifier) @_call (_ !index object: (identifier) @_call)]))
  ]
  arguments: (_ . [(string) (template_string)] @name (_ body: (_) @body))) @definition.function
  (#any-of? @_call "it" "test" "specify" "fit" "xit" "xtest" "ftest" "xspecify")
  (#set! flag test)
  (#set! visibility container))
((call_expression
  function: [
    (_ object: [(identifier) @_call (_ !index object: (identifier) @_call)] property: (_) @_how)
    (identifier) @_call
    (_ property: (property_identifier) @_call)
    (_ function: (_ !index
      object: [(identifier) @_call (_ !index object: (identifier) @_call)]))
  ]
  arguments: (_ . [(string) (template_string)] @name (_ body: (_) @body))) @definition.module
  (#any-of? @_call "describe" "suite" "context" "fdescribe" "xdescribe" "fcontext" "xcontext" "ddescribe")
  (#not-eq? @_how "add")
  (#not-eq? @_how "on")
  (#set! flag test)
  (#set! visibility container))

; `export` and the words before the name belong to a definition; the signature begins after `export`.
(export_statement declaration: (_) @part) @whole
((program [
  (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)
] @whole) (#set! header whole))
((export_statement declaration: [
  (lexical_declaration . (variable_declarator) @part .)
  (variable_declaration . (variable_declarator) @part .)
] @whole) (#set! header whole))
([
  (lexical_declaration . (_ value: (_ body: (_))) @part .)
  (variable_declaration . (_ value: (_ body: (_))) @part .)
] @whole (#set! header whole))

; A file that imports or exports is a module: what it does not export is its own.
([(import_statement) (export_statement)] @name (#set! visibility private) (#set! scope container))
((program (_ (variable_declarator value: [
  (_ function: (identifier) @name)
  (_ !index object: (_ function: (identifier) @name))
])))
  (#eq? @name "require")
  (#set! visibility private)
  (#set! scope container))
((program (expression_statement (_ !operator
  left: (_ !index object: [(identifier) @name (_ !index object: (identifier) @name)]))))
  (#any-of? @name "exports" "module")
  (#set! visibility private)
  (#set! scope container))

; Exported by name.
((export_statement !source (export_clause (export_specifier name: (identifier) @name)))
  (#set! visibility exported) (#set! scope name))
((export_statement value: (identifier) @name) (#set! visibility exported) (#set! scope name))
((export_statement declaration: [
  (lexical_declaration (variable_declarator name: (identifier) @name))
  (variable_declaration (variable_declarator name: (identifier) @name))
])
  (#set! visibility exported) (#set! scope name))
((program (expression_statement (_ !operator
  left: (_ !index object: [
    (identifier) @_module
    (_ !index object: (identifier) @_module)
  ])
  right: [
    (identifier) @name
    (_ [(shorthand_property_identifier) @name (pair value: (identifier) @name)])
  ])))
  (#any-of? @_module "exports" "module")
  (#set! visibility exported)
  (#set! scope name))

; What is imported is no symbol, nor what a loop declares: both are as local as a function's variables.
((variable_declarator value: [
  (_ function: (identifier) @_require)
  (_ !index object: [
    (_ function: (identifier) @_require)
    (_ !index object: (_ function: (identifier) @_require))
  ])
]) @body
  (#eq? @_require "require")
  (#set! scope function))
; Compilers wrap it.
((variable_declarator value: (_
  function: [(identifier) @_wrapper (_ property: (_) @_wrapper)]
  arguments: (arguments . (_ function: (identifier) @_require)))) @body
  (#eq? @_require "require")
  (#match? @_wrapper "^_*(interopRequire|interopNamespace|importDefault|importStar|toESM)")
  (#set! scope function))
((variable_declarator value: (await_expression (_ function: (import)))) @body (#set! scope function))
((for_statement initializer: (_) @body) (#set! scope function))
((for_statement body: (statement_block) @body) (#set! scope function))
((for_in_statement body: (statement_block) @body) (#set! scope function))
((while_statement body: (statement_block) @body) (#set! scope function))
((class_static_block body: (_) @body) (#set! scope function))
((arrow_function body: (statement_block) @body) (#set! scope function))
((function_expression body: (statement_block) @body) (#set! scope function))
((generator_function body: (statement_block) @body) (#set! scope function))
((object (_ body: (_) @body)) (#set! scope function))
; A class without a name is of what gets it.
((arguments (class !name body: (_) @body)) (#set! scope function))
((new_expression constructor: (parenthesized_expression (class !name body: (_) @body))) (#set! scope function))

; But a function that is called where it stands is only a fence: what it declares is as the file's own.
((call_expression function: [
  (function_expression body: (_) @body)
  (parenthesized_expression (_ body: (statement_block) @body))
  (_ !index object: (function_expression body: (_) @body))
  (_ !index object: (parenthesized_expression (_ body: (statement_block) @body)))
]) (#set! scope open) (#set! visibility private))
; Where it gives a field its value, its variables are local.
((class_body (_ !body value: (_ function: (parenthesized_expression (_ body: (statement_block) @body)))))
  (#set! scope function))
; Such a fence is, too, the function that is handed to it, or to a loader.
((call_expression
  function: [(function_expression) (parenthesized_expression (_ body: (_))) (identifier) @_loader]
  arguments: (_ [
    (_ body: (statement_block) @body)
    (parenthesized_expression (_ body: (statement_block) @body))
  ]))
  (#any-of? @_loader "define" "require" "requirejs" "jQuery" "$")
  (#set! scope open)
  (#set! visibility private))

(comment) @doc
