; The package; imports.
(package_header (identifier) @package)
(import_header (identifier) @path .)
(import_header (identifier) @path (import_alias (type_identifier) @alias))
(import_header (identifier) @path (wildcard_import) @all)

; Bases. A companion without a name is no symbol, and an object of an expression neither.
(class_declaration (delegation_specifier [
  (user_type) @inherits
  (constructor_invocation (user_type) @inherits)
  (explicit_delegation . (user_type) @inherits)
]))
(object_declaration (delegation_specifier [
  (user_type) @inherits
  (constructor_invocation (user_type) @inherits)
  (explicit_delegation . (user_type) @inherits)
]))
(companion_object (type_identifier) (delegation_specifier [
  (user_type) @inherits
  (constructor_invocation (user_type) @inherits)
  (explicit_delegation . (user_type) @inherits)
]))

; Type parameters, aliases.
(type_parameter (type_identifier) @parameter [(user_type) (nullable_type)]? @type)
(type_alias (type_identifier) @declared (user_type) @type)

; Parameters, properties and variables with types. Those of a primary constructor are seen in the whole class.
(primary_constructor
  (class_parameter (simple_identifier) @declared [(user_type) (nullable_type)] @type) @primary)
(parameter (simple_identifier) @declared [(user_type) (nullable_type)] @type)
(variable_declaration (simple_identifier) @declared [(user_type) (nullable_type)] @type)
(catch_block . (simple_identifier) @declared (user_type) @type)

; Variables with values.
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . [(call_expression) (navigation_expression) (simple_identifier) (string_literal) (boolean_literal) (integer_literal) (elvis_expression)] @value)
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . (postfix_expression . [(call_expression) (navigation_expression) (simple_identifier)] @value . "!!"))
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . (as_expression [(user_type) (nullable_type)] @type))
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . (call_expression
    (navigation_expression (_) @value . (navigation_suffix (simple_identifier) @_own))
    (call_suffix (annotated_lambda)))
  (#any-of? @_own "apply" "also"))
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . (property_delegate (call_expression
    . (simple_identifier) @_lazy
    (call_suffix (annotated_lambda (lambda_literal (statements . (_) @value .))))))
  (#eq? @_lazy "lazy"))
(property_declaration
  (variable_declaration (simple_identifier) @declared .)
  . (getter (function_body "=" . (_) @value)))
(call_expression
  (navigation_expression (_) @value . (navigation_suffix (simple_identifier) @_own))
  (call_suffix (annotated_lambda (lambda_literal
    (lambda_parameters . (variable_declaration (simple_identifier) @declared .) .))))
  (#any-of? @_own "let" "also"))

; Elements.
(for_statement (variable_declaration (simple_identifier) @declared .) . (_) @element)
(call_expression
  (navigation_expression (_) @element . (navigation_suffix (simple_identifier) @_method))
  (call_suffix (annotated_lambda (lambda_literal
    (lambda_parameters . (variable_declaration (simple_identifier) @declared .) .))))
  (#any-of? @_method "forEach" "filter" "filterNot" "map" "mapNotNull" "flatMap" "any" "all" "none" "find" "first" "firstOrNull" "last" "lastOrNull" "single" "singleOrNull" "count" "sortedBy" "associateBy" "groupBy" "associate" "partition" "onEach" "takeWhile" "dropWhile" "joinToString" "removeAll" "removeIf"))

; Local names of which no more is known; a test of a name's type may give it another.
(parameter (simple_identifier) @declared)
(variable_declaration (simple_identifier) @declared)
(check_expression . (simple_identifier) @declared)
(when_subject (simple_identifier) @declared)

; The bodies of types, and code whose `this` is another value: objects without a name, lambdas and functions with a
; receiver. What calls any other lambda tells whether it has one.
(class_declaration [(class_body) (enum_class_body)] @self)
(object_declaration (class_body) @self)
(companion_object (class_body) @self)
(object_literal (delegation_specifier [
  (user_type) @type
  (constructor_invocation (user_type) @type)
  (explicit_delegation . (user_type) @type)
]) (class_body) @self)
(object_literal . (class_body) @unbound)
(class_body (function_declaration receiver: (receiver_type (_) @type) (function_body) @self))
(anonymous_function . (type_identifier) @type (function_body) @self)
(property_declaration
  (variable_declaration [
    (function_type receiver: (receiver_type (_) @type))
    (nullable_type (parenthesized_type (function_type receiver: (receiver_type (_) @type))))
  ])
  (lambda_literal) @self)
(statements (function_declaration receiver: (receiver_type (_) @type) (function_body) @self))
(call_expression
  (navigation_expression (_) @value . (navigation_suffix (simple_identifier) @_own))
  (call_suffix (annotated_lambda (lambda_literal) @self))
  (#any-of? @_own "apply" "run"))
(call_expression
  . (simple_identifier) @_with
  (call_suffix (value_arguments . (value_argument (_) @value)) (annotated_lambda (lambda_literal) @self))
  (#eq? @_with "with"))
(call_expression
  . (navigation_expression) @called
  (call_suffix (annotated_lambda (lambda_literal) @block)))
(call_expression
  . [(navigation_expression) (simple_identifier)] @called
  (call_suffix (value_arguments (value_argument (lambda_literal) @block) @argument)))
(call_expression
  . (simple_identifier) @called
  (call_suffix (annotated_lambda (lambda_literal) @block))
  (#not-match? @called "^(?:with|run|apply|also|let|lazy|repeat|require|requireNotNull|check|checkNotNull|error|synchronized|thread|runCatching|assertThrows|assertFailsWith|List|MutableList|Array)$"))

; Results.
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @returns)
(property_declaration (variable_declaration [(user_type) (nullable_type)] @returns))
(function_declaration
  (function_value_parameters) . (function_body "=" @returns . [(call_expression) (navigation_expression) (simple_identifier)] @value))
(function_declaration
  (function_value_parameters) . (function_body "=" @returns . (call_expression . (simple_identifier) @value (call_suffix (annotated_lambda))))
  (#any-of? @value "apply" "also"))

; Arguments that give a member its value: of a constructor, and of a copy.
(call_expression
  . (_) @called
  (call_suffix (value_arguments (value_argument . (simple_identifier) @key . "=")))
  (#match? @called "^([a-zA-Z0-9_]+\\.)*[A-Z][a-zA-Z0-9_]*$"))
(constructor_invocation
  (user_type) @called
  (value_arguments (value_argument . (simple_identifier) @key . "=")))
(call_expression
  . (navigation_expression (_) @value . (navigation_suffix (simple_identifier) @_copy))
  (call_suffix (value_arguments (value_argument . (simple_identifier) @key . "=")))
  (#eq? @_copy "copy"))

; Members of a companion without a name, which are symbols of the class around it.
(companion_object "object" . (class_body [
  (function_declaration (simple_identifier) @static)
  (property_declaration (variable_declaration (simple_identifier) @static))
]))
