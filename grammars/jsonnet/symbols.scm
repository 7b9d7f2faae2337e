; Local values and functions of the file.
((local_bind (bind . (id) @name) @definition.variable)
  (#set! visibility private))
((bind function: (id) @name body: (_) @body) @definition.function
  (#set! visibility private))
((bind . (id) @name (anonymous_function body: (_) @body)) @definition.function
  (#set! visibility private))
((bind . (id) @name (object) @body) @definition.variable
  (#set! visibility private))

; Fields; one with parameters is a method.
(field . (fieldname) @name (object)? @body) @definition.field
(field function: (fieldname) @name (params) . (_) @body .) @definition.method
(field . (fieldname) @name (anonymous_function body: (_) @body)) @definition.method
((anonymous_function body: (_) @body) (#set! scope function))

(comment) @doc
