; Variables. What only names a module that is required is an import, and what is taken out of a table is no definition.
((local . (binding (symbol) @name)) @definition.variable
  (#not-match? @definition.variable "^\\(local \\S+\\s+\\((require|autoload|import) "))
(var . (binding (symbol) @name)) @definition.variable
(global . (binding (symbol) @name)) @definition.variable
(local . (multi_value_binding (binding (symbol) @name))) @definition.variable

; Functions: by name, of a table, bound to a name or a field.
(fn name: (symbol) @name (parameters) . (_)? @body ")" @body) @definition.function
(lambda name: (symbol) @name (parameters) . (_)? @body ")" @body) @definition.function
(fn name: (multi_symbol . (symbol) @container (symbol)? @container "." . (symbol) @name .) (parameters) . (_)? @body ")" @body)
  @definition.method
(lambda name: (multi_symbol . (symbol) @container "." . (symbol) @name .) (parameters) . (_)? @body ")" @body) @definition.method
(local . (binding (symbol) @name) [
  (fn (parameters) . (_)? @body)
  (lambda (parameters) . (_)? @body)
  (hashfn) @body
]) @definition.function
(set (assignment (multi_symbol . (symbol) @container "." . (symbol) @name .)) (fn (parameters) . (_)? @body)) @definition.method

; Macros, and what those of libraries define.
((list . (symbol) @_def . (symbol) @name . (sequential_table) . (_) @body ")" @body) @definition.macro
  (#eq? @_def "macro"))
((list . (symbol) @_def . (table (table_pair key: (string) @name value: (fn)) @definition.macro))
  (#eq? @_def "macros"))
((list . (symbol) @_def . (symbol) @name) @definition.variable
  (#any-of? @_def "def" "def-" "defonce" "defonce-"))
((list . (symbol) @_def . (symbol) @name . (string)? . (sequential_table) . (_)? @body ")" @body) @definition.function
  (#any-of? @_def "defn" "defn-"))
((list . (symbol) @_def . (symbol) @name . (_)? @body ")" @body) @definition.function
  (#eq? @_def "deftest")
  (#set! flag test))

; The table at the end is what others see.
((program (table (table_pair (binding (symbol) @name))) .) (#set! visibility exported) (#set! scope name))
((program (table (table_pair key: (string) value: (symbol) @name)) .) (#set! visibility exported) (#set! scope name))

(comment) @doc
((fn docstring: (string) @doc) (#set! doc body))
((lambda docstring: (string) @doc) (#set! doc body))
