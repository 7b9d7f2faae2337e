; Constants: in assignments of all sorts, never inside methods. `A::B = 1` belongs to `A`, `self::B = 1` to the class around it.
(assignment
  left: [
    (constant) @name
    (_ scope: [(constant) (scope_resolution)] @container name: (constant) @name)
    (_ scope: (self) name: (constant) @name)
    (_ !object [("," . (constant) @name) ((constant) @name . ",")])
  ]) @definition.constant
(operator_assignment
  left: [
    (constant) @name
    (_ scope: [(constant) (scope_resolution)] @container name: (constant) @name)
  ]) @definition.constant

; Globals, and the variables of classes.
(assignment left: (global_variable) @name) @definition.variable
(operator_assignment left: (global_variable) @name) @definition.variable
(assignment left: (class_variable) @name) @definition.field
(operator_assignment left: (class_variable) @name) @definition.field

; Modules and classes. Without a body, the signature ends before `end`.
(module name: (constant) @name) @definition.module
(module name: (constant) @name !body "end" @body) @definition.module
(module name: (_ scope: (_)? @container name: (constant) @name)) @definition.module
(module name: (_ scope: (_)? @container name: (constant) @name) !body "end" @body) @definition.module
(class name: (constant) @name) @definition.class
(class name: (constant) @name !body "end" @body) @definition.class
(class name: (_ scope: (_)? @container name: (constant) @name)) @definition.class
(class name: (_ scope: (_)? @container name: (constant) @name) !body "end" @body) @definition.class
; What is defined in `class << self` belongs to the class around it, with sections of visibility of its own.
((singleton_class value: (self) body: (_) @body) (#set! scope open))
(singleton_class value: [(constant) (identifier)] @container body: (_) @body)
(program (singleton_class value: (scope_resolution) @container body: (_) @body))
; Within the class itself its name says what `self` does.
(([
  (class name: (constant) @_class body: (_ (singleton_class value: (constant) @_value body: (_) @body)))
  (module name: (constant) @_class body: (_ (singleton_class value: (constant) @_value body: (_) @body)))
]) (#eq? @_class @_value) (#set! scope open))
((call method: (_) @_refine arguments: (_ . (_) @container) block: (_) @body)
  (#eq? @_refine "refine"))

; Classes made by a call: of any class that takes methods, and of those of the language. A struct's members are named in its header.
([
  (assignment
    left: [(_ scope: (_) @container name: (constant) @name) (constant) @name]
    right: (_
      receiver: [(constant) (scope_resolution)]
      block: (_ body: (_ [(method) (singleton_method) (call arguments: (_ . (method)))])) @body))
  (operator_assignment
    left: [(_ scope: (_) @container name: (constant) @name) (constant) @name]
    right: (_ receiver: [(constant) (scope_resolution)] block: (_ body: (_ (method))) @body))
] @definition.class)
([
  (assignment
    left: [(_ scope: (_) @container name: (constant) @name) (constant) @name]
    right: (_ receiver: (_) @_class method: (identifier) @_new block: (_) @body?))
  (operator_assignment
    left: (constant) @name
    right: (_ receiver: (_) @_class method: (identifier) @_new block: (_) @body?))
] @definition.class
  (#any-of? @_class "Class" "::Class")
  (#eq? @_new "new"))
((assignment
  left: [(_ scope: (_) @container name: (constant) @name) (constant) @name]
  right: (_ receiver: (_) @_class method: (identifier) @_new block: (_) @body?)) @definition.module
  (#any-of? @_class "Module" "::Module")
  (#eq? @_new "new"))
((assignment
  left: [(_ scope: (_) @container name: (constant) @name) (constant) @name]
  right: (_
    receiver: (_) @_class method: (identifier) @_new arguments: (_)? @header block: (_) @body?)) @definition.struct
  (#any-of? @_class "Struct" "::Struct" "Data" "::Data")
  (#any-of? @_new "new" "define"))
((class
  name: [(constant) @name (_ scope: (_)? @container name: (constant) @name)]
  superclass: (superclass (_ receiver: (_) @_class method: (identifier) @_new arguments: (_) @header))
  body: (_) @body) @definition.struct
  (#any-of? @_class "Struct" "::Struct" "Data" "::Data")
  (#any-of? @_new "new" "define"))
((class
  name: [(constant) @name (_ scope: (_)? @container name: (constant) @name)]
  superclass: (_ (_ receiver: (_) @_class method: (identifier) @_new arguments: (_) @header))
  !body
  "end" @body) @definition.struct
  (#any-of? @_class "Struct" "::Struct" "Data" "::Data")
  (#any-of? @_new "new" "define"))
((call
  receiver: (_) @_class
  method: (identifier) @_new
  arguments: (_ (simple_symbol) @name @definition.property))
  (#any-of? @_class "Struct" "::Struct" "Data" "::Data")
  (#any-of? @_new "new" "define"))

; Methods; those of a file are functions. An endless one has any expression as its body; where there is none, the signature
; ends before `end`.
(method name: (_) @name) @definition.method
(method name: (_) @name !body "end" @body) @definition.method
(program [
  (_ !object "def" name: (_) @name) @definition.function
  (_ [
    (_ !object "def" name: (_) @name) @definition.function
    (then (_ !object "def" name: (_) @name) @definition.function)
    (else (_ !object "def" name: (_) @name) @definition.function)
  ])
])
(program [
  (_ !object !body "def" name: (_) @name "end" @body) @definition.function
  (_ [
    (_ !object !body "def" name: (_) @name "end" @body) @definition.function
    (then (_ !object !body "def" name: (_) @name "end" @body) @definition.function)
    (else (_ !object !body "def" name: (_) @name "end" @body) @definition.function)
  ])
])
(method name: (operator) @name) @definition.operator
(method name: (operator) @name !body "end" @body) @definition.operator
(singleton_method name: (_) @name) @definition.method
; `def obj.x` belongs to the object; `def A.x` as well, where it does not stand in `class A`.
(_ object: (identifier) @container name: (_) @name) @definition.method
(singleton_method
  object: [
    (identifier) @container
    (self) (constant) (instance_variable) (class_variable) (global_variable)
  ]
  name: (_) @name
  !body
  "end" @body) @definition.method
(program (_ object: (constant) @container name: (_) @name) @definition.method)
(program (_ object: (constant) @container name: (_) @name !body "end" @body) @definition.method)

; Methods made without `def`.
(alias name: [(identifier) (simple_symbol) (constant) (operator) (setter)] @name) @definition.method
(alias name: (global_variable) @name) @definition.variable
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [(simple_symbol) (string . (string_content) .)] @name)) @definition.method
  (#any-of? @_call "define_method" "define_singleton_method" "alias_method"))
; What is handed on to another object can be called like any method; with a prefix it has another name.
((call
  !receiver
  method: (_) @_call
  arguments: (_ (simple_symbol) @name (pair key: (hash_key_symbol) @_key)) @_arguments) @definition.method
  (#eq? @_call "delegate")
  (#eq? @_key "to")
  (#not-match? @_arguments "\\bprefix:"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . (_) (simple_symbol) @name)) @definition.method
  (#any-of? @_call "def_delegators" "def_instance_delegators"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . (_) . (simple_symbol) . (simple_symbol) @name .)) @definition.method
  (#any-of? @_call "def_delegator" "def_instance_delegator"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . (_) . (simple_symbol) @name .)) @definition.method
  (#any-of? @_call "def_delegator" "def_instance_delegator"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [(simple_symbol) (string . (string_content) .)] @name)
  block: (_) @body) @definition.method
  (#any-of? @_call "define_method" "define_singleton_method"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ [
    (simple_symbol) @name
    (parenthesized_statements (simple_symbol) @name)
    (string . (string_content) .) @name
    (splat_argument (symbol_array (bare_symbol) @name))
  ])) @definition.property
  (#any-of? @_call "attr_reader" "attr_writer" "attr_accessor" "attr" "cattr_reader" "cattr_writer" "cattr_accessor"
    "mattr_reader" "mattr_writer" "mattr_accessor" "thread_mattr_accessor" "thread_cattr_accessor" "class_attribute"
    "attr_internal" "attr_internal_accessor" "attr_internal_reader"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . (simple_symbol) @name)) @definition.property
  (#any-of? @_call "attribute" "alias_attribute"))

; `private def x` and the like.
((_ arguments: (argument_list . (_ "def") @part .)) @whole (#set! header whole))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . (_ method: (identifier) @_attr) @part .)) @whole
  (#any-of? @_call "private" "protected" "public")
  (#set! header whole))

; Sections of visibility, and the same for single names. Protected methods can be called from elsewhere no more than private ones.
((body_statement (_ !name !method !left) @name) (#any-of? @name "private" "protected") (#set! visibility private))
((body_statement (_ !name !method !left) @name) (#any-of? @name "public" "module_function") (#set! visibility exported))
((call
  !receiver
  method: (_) @_call
  arguments: (_ [
    (simple_symbol) @name
    (array (simple_symbol) @name)
    (symbol_array (bare_symbol) @name)
    (splat_argument (symbol_array (bare_symbol) @name))
  ]))
  (#any-of? @_call "private" "protected" "private_class_method" "private_constant")
  (#set! visibility private)
  (#set! scope name))
((call
  !receiver
  method: (_) @_call
  arguments: (_ (simple_symbol) @name))
  (#any-of? @_call "public" "public_class_method" "module_function" "public_constant")
  (#set! visibility exported)
  (#set! scope name))

; Tests: suites, by what they describe, and cases.
((call
  method: (_) @_call
  arguments: (_ . [
    (string) @name
    (constant) @name
    (simple_symbol) @name
    (scope_resolution scope: (_)? @container name: (_) @name)
  ])
  block: (_) @body) @definition.module
  (#any-of? @_call "describe" "context" "feature" "fdescribe" "xdescribe" "fcontext" "xcontext" "shared_examples"
    "shared_examples_for" "shared_context" "example_group")
  (#set! flag test))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [(string) @name (chained_string . (_ . (string_content) @name))])
  block: (_) @body) @definition.function
  (#any-of? @_call "it" "test" "specify" "example" "scenario" "should" "fit" "xit" "fspecify" "xspecify" "fexample" "xexample"
    "fscenario" "xscenario" "its")
  (#set! flag test))

; Tasks: of Rake, Capistrano, Fastlane.
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [
    (simple_symbol) @name
    (string) @name
    (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)
  ])) @definition.function
  (#any-of? @_call "task" "multitask" "lane" "private_lane"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [
    (simple_symbol) @name
    (string) @name
    (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)
  ])
  block: (_) @body) @definition.function
  (#any-of? @_call "task" "multitask" "lane" "private_lane"))
((call
  !receiver
  method: (_) @_call
  arguments: (_ . [(simple_symbol) (string)] @name)
  block: (_) @body) @definition.namespace
  (#eq? @_call "namespace"))

; Comments, the description of a task, and the types of Sorbet, which stand between a comment and its method.
(comment) @doc
((call !receiver method: (_) @_call arguments: (_ . (string) .) !block) @doc (#eq? @_call "desc"))
((call !receiver method: (_) @_call !arguments block: (_)) @doc (#eq? @_call "sig") (#set! doc attribute))
