; Bases: superclasses, what is mixed in, also from outside, and those of classes that a call makes.
(superclass [(constant) (scope_resolution)] @inherits)
(superclass (element_reference object: [(constant) (scope_resolution)] @inherits))
((call
  !receiver
  method: (identifier) @_mixes
  arguments: (argument_list [(constant) (scope_resolution)] @inherits))
  (#any-of? @_mixes "include" "extend" "prepend"))
((call
  receiver: [(constant) (scope_resolution)] @owner
  method: (identifier) @_mixes
  arguments: (argument_list [(constant) (scope_resolution)] @inherits))
  (#any-of? @_mixes "include" "extend" "prepend"))
((assignment left: [(constant) (scope_resolution)] right: (call
  receiver: (constant) @_class
  method: (identifier) @_new
  arguments: (argument_list . [(constant) (scope_resolution)] @inherits)))
  (#eq? @_class "Class")
  (#eq? @_new "new"))
(assignment left: [(constant) (scope_resolution)] right: (call
  receiver: [(constant) (scope_resolution)] @inherits
  block: (_ body: (_ [(method) (singleton_method)]))))

; Values of variables and constants; exceptions.
(assignment
  left: [(identifier) (constant)] @declared
  right: [(call) (constant) (scope_resolution) (identifier) (instance_variable) (string) (array) (hash) (integer) (unary operand: (string))] @value)
(operator_assignment left: [(identifier) (constant)] @declared right: [(call) (constant) (scope_resolution)] @value)
(rescue
  exceptions: (exceptions . [(constant) (scope_resolution)] @type .)
  variable: (exception_variable (identifier) @declared))

; The bodies of types, and blocks whose `self` is another value.
(class body: (body_statement) @self)
(module body: (body_statement) @self)
(singleton_class body: (body_statement) @self)
(assignment left: (constant) right: (call block: (_ body: (_) @self)))
(call
  receiver: (constant) @_class
  method: (identifier) @_new
  arguments: (argument_list . [(constant) (scope_resolution)] @type)
  block: (_) @self
  (#eq? @_class "Class")
  (#eq? @_new "new"))
(call
  receiver: (_) @value
  method: (identifier) @_eval
  block: (_) @self
  (#any-of? @_eval "instance_eval" "instance_exec"))
(call
  receiver: [(constant) (scope_resolution)] @type
  method: (identifier) @_eval
  block: (_) @self
  (#any-of? @_eval "class_eval" "class_exec" "module_eval"))

; Values that tests share: `let(:cart) { Cart.new }`, and variables that are set before each.
((call
  method: (identifier) @_let
  arguments: (argument_list . (simple_symbol) @declared)
  block: (_ body: (_ . (_) @value .)))
  (#any-of? @_let "let" "let!" "subject" "subject!"))
((call method: (identifier) @declared block: (_ body: (_ . (_) @value .)))
  (#eq? @declared "subject"))
((call
  method: (identifier)
  block: (do_block body: (body_statement (call
    method: (identifier) @_before
    block: (_ body: (_ (assignment left: (instance_variable) @declared right: (_) @value))))))) @within
  (#any-of? @_before "before" "setup"))

; Local names of which no more is known.
(assignment left: (identifier) @declared)
(operator_assignment left: (identifier) @declared)
(left_assignment_list (identifier) @declared)
(destructured_left_assignment (identifier) @declared)
(rest_assignment (identifier) @declared)
(method_parameters (identifier) @declared)
(block_parameters (identifier) @declared)
(lambda_parameters (identifier) @declared)
(destructured_parameter (identifier) @declared)
(optional_parameter name: (identifier) @declared)
(keyword_parameter name: (identifier) @declared)
(splat_parameter name: (identifier) @declared)
(hash_splat_parameter name: (identifier) @declared)
(block_parameter name: (identifier) @declared)
(for pattern: (identifier) @declared)
(exception_variable (identifier) @declared)
(as_pattern name: (identifier) @declared)
(keyword_pattern value: (identifier) @declared)
(array_pattern (identifier) @declared)

; Methods of a class itself.
(singleton_method name: (_) @static)
(singleton_class body: (body_statement (method name: (_) @static)))
