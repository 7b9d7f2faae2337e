; A variable of an inner form is local.
(source_file [
  (def name: (symbol) @name) @definition.variable
  (var name: (symbol) @name) @definition.variable
])
(source_file
  (_ name: [
    (sqr_tuple (symbol) @name)
    (tuple (symbol) @name)
    (struct value: (symbol) @name)
  ] value: (_)) @definition.variable)
(source_file [
  (def name: (symbol) @name metadata: (metadata) @body) @definition.variable
  (var name: (symbol) @name metadata: (metadata) @body) @definition.variable
])
(def name: (symbol) @name value: [(fn body: (_) @body) (short_fn) @body]) @definition.function
; Forms that are no words of the grammar.
((tuple . item: (symbol) @_def . item: (symbol) @name) @definition.variable
  (#any-of? @_def "def-" "var-" "defglobal" "varglobal"))
((tuple . item: (symbol) @_def . item: (symbol) @name . item: (str_literal)? @body ")") @definition.variable
  (#eq? @_def "defdyn"))

; Functions and macros. The doc stands before the parameters, and ends the signature then.
(extra_defs . ["defn" "defn-" "varfn"] name: (symbol) @name) @definition.function
(extra_defs . ["defn" "defn-" "varfn"] name: (symbol) @name . metadata: (metadata) @body ")" @body) @definition.function
(extra_defs . ["defmacro" "defmacro-"] name: (symbol) @name) @definition.macro
(extra_defs . ["defmacro" "defmacro-"] name: (symbol) @name . metadata: (metadata) @body ")" @body) @definition.macro

((tuple . item: (symbol) @_def . item: [(symbol) (str_literal)] @name) @definition.function
  (#eq? @_def "deftest"))

; What is tried out by hand is local.
((tuple . item: (symbol) @_comment) @body
  (#eq? @_comment "comment")
  (#set! scope function))

(line_comment) @doc
((metadata [(str_literal) (long_str_literal)] @doc) (#set! doc body))
((tuple . item: (symbol) . item: (symbol) . item: (str_literal) @doc) (#set! doc body))
