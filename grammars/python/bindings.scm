; Imports.
(import_statement name: (dotted_name) @path)
(import_statement name: (aliased_import name: (dotted_name) @path alias: (identifier) @alias))
(import_from_statement module_name: (_) @path name: (dotted_name) @name)
(import_from_statement
  module_name: (_) @path
  name: (aliased_import name: (dotted_name) @name alias: (identifier) @alias))
(import_from_statement module_name: (_) @path (wildcard_import) @all)

; Bases.
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @inherits))

; A metaclass may give its classes more members.
(class_definition
  superclasses: (argument_list
    (keyword_argument name: (identifier) @declared value: (_) @type) @primary)
  (#eq? @declared "metaclass"))

; Named arguments, which may set fields of a new value.
(call function: [(identifier) (attribute)] @called arguments: (argument_list (keyword_argument name: (identifier) @key)))

; Type parameters.
(class_definition
  superclasses: (argument_list (subscript value: (identifier) @_generic subscript: (identifier) @parameter))
  (#any-of? @_generic "Generic" "Protocol"))
(class_definition type_parameters: (type_parameter (type (identifier) @parameter)))

; Types and values of what is declared; results.
(typed_parameter . (identifier) @declared type: (type) @type)
(typed_default_parameter name: (identifier) @declared type: (type) @type)
(assignment left: [(identifier) (attribute)] @declared type: (type) @type)
(assignment left: [(identifier) (attribute)] @declared right: [(call) (identifier) (attribute) (await) (conditional_expression) (boolean_operator) (string) (list) (dictionary) (set) (integer) (list_comprehension) (dictionary_comprehension)] @value)
; A type variable stands for its bound or constraints, and a new type for the one that it is made of.
(assignment
  left: (identifier) @declared
  right: (call
    function: [(identifier) @_make (attribute attribute: (identifier) @_make)]
    arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (_) @type)))
  (#eq? @_make "TypeVar")
  (#eq? @_bound "bound"))
(assignment
  left: (identifier) @declared
  right: (call
    function: [(identifier) @_make (attribute attribute: (identifier) @_make)]
    arguments: (argument_list . (string) [(identifier) (attribute) (subscript) (string)] @type))
  (#any-of? @_make "TypeVar" "NewType"))
(named_expression name: (identifier) @declared value: (call) @value)
(with_item value: (as_pattern . [(call) (identifier) (attribute)] @entered alias: (as_pattern_target (identifier) @declared)))
(for_statement left: (identifier) @declared right: (_) @element)
(for_in_clause left: (identifier) @declared right: (_) @element)
(for_statement
  left: (pattern_list . (_) . (identifier) @declared .)
  right: (call function: (attribute object: (_) @indexed attribute: (identifier) @_items))
  (#eq? @_items "items"))
(for_in_clause
  left: (pattern_list . (_) . (identifier) @declared .)
  right: (call function: (attribute object: (_) @indexed attribute: (identifier) @_items))
  (#eq? @_items "items"))
(for_statement
  left: (pattern_list . (_) . (identifier) @declared .)
  right: (call function: (identifier) @_enumerate arguments: (argument_list . (_) @element))
  (#eq? @_enumerate "enumerate"))
(for_in_clause
  left: (pattern_list . (_) . (identifier) @declared .)
  right: (call function: (identifier) @_enumerate arguments: (argument_list . (_) @element))
  (#eq? @_enumerate "enumerate"))
(for_statement
  left: (identifier) @declared
  right: (call function: (identifier) @_same arguments: (argument_list . (_) @element))
  (#any-of? @_same "sorted" "reversed" "list" "tuple" "set" "iter"))
(for_in_clause
  left: (identifier) @declared
  right: (call function: (identifier) @_same arguments: (argument_list . (_) @element))
  (#any-of? @_same "sorted" "reversed" "list" "tuple" "set" "iter"))
(module (function_definition return_type: (type) @returns))
(block (function_definition return_type: (type) @returns))
(decorated_definition
  (decorator)+ @_decorator
  definition: (function_definition return_type: (type) @returns)
  (#not-match? @_decorator "contextmanager"))
(decorated_definition
  (decorator)+ @_decorator
  definition: (function_definition return_type: (type [
    (generic_type (type_parameter . (type) @returns))
    (subscript . (_) . (_) @returns)]))
  (#any-match? @_decorator "contextmanager"))

; The methods of types, and functions whose `self` is any argument.
(class_definition body: (block) @self)
(class_definition body: (block [
  (function_definition body: (block) @self)
  (decorated_definition definition: (function_definition body: (block) @self))
  (assignment right: (lambda body: (_) @self))
  (if_statement consequence: (block [
    (function_definition body: (block) @self)
    (decorated_definition definition: (function_definition body: (block) @self))]))
  (if_statement alternative: (else_clause body: (block [
    (function_definition body: (block) @self)
    (decorated_definition definition: (function_definition body: (block) @self))])))
  (try_statement body: (block [
    (function_definition body: (block) @self)
    (decorated_definition definition: (function_definition body: (block) @self))]))
]))
((function_definition parameters: (parameters [
  (identifier) @_self
  (typed_parameter . (identifier) @_self)])) @unbound
  (#any-of? @_self "self" "cls"))
((lambda parameters: (lambda_parameters (identifier) @_self)) @unbound
  (#any-of? @_self "self" "cls"))
(decorated_definition
  (decorator (identifier) @_static)
  definition: (function_definition parameters: (parameters [
    (identifier) @_self
    (typed_parameter . (identifier) @_self)]) body: (block) @unbound)
  (#eq? @_static "staticmethod")
  (#any-of? @_self "self" "cls"))

; Members in patterns.
(class_pattern (dotted_name) @type (case_pattern (keyword_pattern . (identifier) @key)))

; Names that mean one of the file, or of the function around.
(global_statement (identifier) @global)
(nonlocal_statement (identifier) @outer)

; Local names of which no more is known.
(parameters (identifier) @declared)
(default_parameter name: (identifier) @declared)
(lambda_parameters (identifier) @declared)
(list_splat_pattern (identifier) @declared)
(dictionary_splat_pattern (identifier) @declared)
(assignment left: (identifier) @declared)
(augmented_assignment left: (identifier) @declared)
(pattern_list (identifier) @declared)
(tuple_pattern (identifier) @declared)
(for_statement left: (identifier) @declared)
(for_in_clause left: (identifier) @declared)
(as_pattern_target (identifier) @declared)
(named_expression name: (identifier) @declared)
