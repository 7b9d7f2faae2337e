; Types. An Enum's class is an enum; its members are told from fields below.
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(decorated_definition
  (class_definition name: (identifier) @name body: (_) @body) @definition.class) @definition.class
(class_definition
  name: (identifier) @name
  superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (_) @body
  (#match? @_base "(^|\\.)(Int|Str|Re)?(Enum|Flag)$")) @definition.enum
(type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @definition.type

; Functions; decorators belong to the range, not to the signature.
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(decorated_definition
  (function_definition name: (identifier) @name body: (_) @body) @definition.function) @definition.function
(decorated_definition
  (decorator [(identifier) (attribute)] @_decorator)
  (function_definition name: (identifier) @name body: (_) @body) @definition.property
  (#match? @_decorator "(^|\\.)((cached_|abstract)?property|setter|getter|deleter)$")) @definition.property

; Assignments: those inside functions are dropped as local, those in a class become fields.
(assignment left: (identifier) @name) @definition.variable
(assignment
  left: [
    (pattern_list [
      (identifier) @name
      (list_splat_pattern (identifier) @name)
      (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
      (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])])
    (tuple_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])
    (list_pattern [(identifier) @name (list_splat_pattern (identifier) @name)])]) @definition.variable
(assignment
  left: (identifier) @name
  right: (lambda body: (_) @body)) @definition.function
(assignment
  left: (identifier) @name
  type: (type [(identifier) (attribute)] @_type)
  (#match? @_type "(^|\\.)TypeAlias$")) @definition.type
(class_definition
  superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (_ (assignment left: (identifier) @name !type) @definition.enumMember)
  (#match? @_base "(^|\\.)(Int|Str|Re)?(Enum|Flag)$"))

; Docs: comments above, and the string that opens a body.
(comment) @doc
((block . (string) @doc) (#set! doc body))
