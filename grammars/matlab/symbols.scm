; Variables of a script; a function handle with a name is a function.
(source_file (assignment left: (identifier) @name) @definition.variable)
(source_file (assignment left: (multioutput_variable (identifier) @name)) @definition.variable)
(source_file (global_operator (identifier) @name) @definition.variable)
(assignment left: (identifier) @name right: (lambda expression: (_) @body)) @definition.function

; Classes: the signature ends with the line, or before the help.
(class_definition name: (identifier) @name . "\n" @body "end" @body) @definition.class
(class_definition name: (identifier) @name . (comment) @body "end" @body) @definition.class
(class_definition name: (identifier) @name (superclasses) . "\n" @body "end" @body) @definition.class
(class_definition name: (identifier) @name (superclasses) . (comment) @body "end" @body) @definition.class
(property name: (identifier) @name) @definition.property
((properties (attributes (attribute . (identifier) @_name)) (property name: (identifier) @name) @definition.constant)
  (#eq? @_name "Constant"))
(events (identifier) @name @definition.event)
(enum . (identifier) @name) @definition.enumMember
((function_signature name: (identifier) @name) @definition.method (#set! role declaration))
((properties (attributes (attribute (identifier) (identifier) @_access))) @body
  (#any-of? @_access "private" "protected")
  (#set! scope open)
  (#set! visibility private))
((methods (attributes (attribute (identifier) (identifier) @_access))) @body
  (#any-of? @_access "private" "protected")
  (#set! scope open)
  (#set! visibility private))

; Functions. The comment behind the first line is the help.
(function_definition name: (identifier) @name) @definition.function
(function_definition name: (identifier) @name (block) @body) @definition.function
(function_definition name: (identifier) @name . (comment) @body (block) @body) @definition.function
(function_definition
  name: (identifier) @name . (function_arguments) . (comment) @body (block) @body) @definition.function
(function_definition ["get." "set."] (identifier) @name (block) @body) @definition.property

((function_definition (comment) @doc) (#set! doc body))
(source_file (comment) @doc)
((class_definition (comment) @doc) (#set! doc body))
(methods (comment) @doc)
(properties (comment) @doc)
(enumeration (comment) @doc)
(events (comment) @doc)
