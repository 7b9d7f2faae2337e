; All code is lists, and a definition is a list whose first word says so; with the namespace of another (`schema/defn`) as well.
; What a project's own `def...` makes is a variable, as long as nothing else is known of it.
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name)) @definition.variable
  (#match? @_def "^>?def(?!ault|er$|erred$|late|ined|lated)[a-z!>-]*$"))
((list_lit
  . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (str_lit) @body . (_)) @definition.variable
  (#any-of? @_def "def" "defonce"))
((list_lit
  . (sym_lit name: (sym_name) @_def)
  . (sym_lit name: (sym_name) @name)
  . (list_lit . (sym_lit name: (sym_name) @_fn) (vec_lit) . (_) @body)) @definition.function
  (#any-of? @_def "def" "defonce")
  (#eq? @_fn "fn"))

; A namespace qualifies the names of the file.
((list_lit . (sym_lit name: (sym_name) @_ns) . (sym_lit name: (sym_name) @name) . (str_lit)? @body ")") @definition.namespace
  (#eq? @_ns "ns")
  (#set! extent rest))

; Functions. The doc stands before the parameters, and ends the signature then.
((list_lit
  . (sym_lit name: (sym_name) @_def)
  . (sym_lit name: (sym_name) @name)
  . [(str_lit) @body (list_lit) @body ((vec_lit) . (_) @body)]?
  ")" @body) @definition.function
  (#any-of? @_def "defn" "defn-" "defmulti" "definline" "deftest"))
((list_lit
  . (sym_lit name: (sym_name) @_def)
  . (sym_lit name: (sym_name) @name)
  . [(str_lit) @body (list_lit) @body ((vec_lit) . (_) @body)]?
  ")" @body) @definition.macro
  (#eq? @_def "defmacro"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) . (vec_lit) . (_) @body ")" @body)
  @definition.method
  (#eq? @_def "defmethod"))
((list_lit . (sym_lit name: (sym_name) @_def) (sym_lit name: (sym_name) @name @definition.function))
  (#eq? @_def "declare")
  (#not-eq? @name "declare")
  (#set! role declaration))

; Types, their fields and their methods. What extends a type is no symbol.
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @name) . (_) @body ")" @body) @definition.interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit
  . (sym_lit name: (sym_name) @_def)
  . (sym_lit name: (sym_name) @name)
  . (vec_lit) @header
  . (_)? @body
  ")" @body) @definition.class
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit) . (vec_lit (sym_lit name: (sym_name) @name) @definition.field))
  (#any-of? @_def "defrecord" "deftype"))
((list_lit
  . (sym_lit name: (sym_name) @_def)
  (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_)? @body ")" @body) @definition.method)
  (#any-of? @_def "defprotocol" "definterface" "defrecord" "deftype" "extend-type" "extend-protocol"))
((list_lit . (sym_lit name: (sym_name) @_def) . (sym_lit name: (sym_name) @container)) @body
  (#any-of? @_def "extend-type" "extend-protocol"))

; Specs go by keywords.
((list_lit . (sym_lit namespace: (_) name: (sym_name) @_def) . (kwd_lit name: (kwd_name) @name)) @definition.type
  (#eq? @_def "def"))

; What is tried out by hand is local.
((list_lit . (sym_lit name: (sym_name) @_comment)) @body
  (#eq? @_comment "comment")
  (#set! scope function))

; What the reader discards is not defined.
((dis_expr (_) @body) (#set! scope function))
((dis_expr (list_lit . (sym_lit) . (sym_lit name: (sym_name) @name)) @definition.function) (#set! name none))

(comment) @doc
((list_lit . (sym_lit) . (sym_lit) . (str_lit) @doc) (#set! doc body))
