; Attributes and what `let` binds. One with a function is a function; one with a set has its attributes as members.
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)) @definition.variable
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: [(attrset_expression) (rec_attrset_expression) (let_attrset_expression)] @body) @definition.variable
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: (let_expression body: [(attrset_expression) (rec_attrset_expression)] @body)) @definition.variable
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: (apply_expression argument: [(attrset_expression) (rec_attrset_expression)] @body)) @definition.variable
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: (function_expression body: (_) @body)) @definition.function
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: (function_expression body: (function_expression body: (_) @body))) @definition.function
(binding attrpath: (attrpath . ((_) @container ".")* . (_) @name .)
  expression: (function_expression body: (function_expression body: (function_expression body: (_) @body)))) @definition.function

; What is handed to a function is its arguments, unless the call is what the file is; and what `let` binds is local, unless it is
; the first of a file.
((apply_expression argument: (_) @body) (#set! scope function))
((let_expression (binding_set) @body) (#set! scope function))
((source_code expression: (apply_expression argument: (_) @body)) (#set! scope open))
((source_code expression: (let_expression (binding_set) @body)) (#set! scope open))
((source_code expression: (let_expression body: (apply_expression argument: (_) @body))) (#set! scope open))
((source_code expression: (function_expression body: (apply_expression argument: (_) @body))) (#set! scope open))
((source_code expression: (function_expression body: (let_expression (binding_set) @body))) (#set! scope open))
((source_code expression: (function_expression body: (let_expression body: (apply_expression argument: (_) @body))))
  (#set! scope open))
((source_code expression: (function_expression body: (with_expression body: (let_expression (binding_set) @body))))
  (#set! scope open))

(comment) @doc
