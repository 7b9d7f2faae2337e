; What a project's own `def...` makes is a variable, as long as nothing else is known of it.
((list_lit . [(sym_lit) @_def (package_lit symbol: (sym_lit) @_def)] . (sym_lit) @name) @definition.variable
  (#match? @_def "^(def|Def|DEF)(?!ault|erred|late|ine-test|test|package|system|struct|class|type|un$)"))
((list_lit . (sym_lit) @_def . (sym_lit) @name . (_) . (str_lit) @body . ")") @definition.variable
  (#any-of? @_def "defvar" "defparameter" "defglobal"))
((list_lit . [(sym_lit) @_def (package_lit symbol: (sym_lit) @_def)] . (sym_lit) @name) @definition.constant
  (#any-of? @_def "defconstant" "define-constant"))
((list_lit . [(sym_lit) @_def (package_lit symbol: (sym_lit) @_def)] . (sym_lit) @name . (_) . (str_lit) @body ")") @definition.constant
  (#any-of? @_def "defconstant" "define-constant"))

; Functions. `(setf name)` is a function, too, and goes by the name in it.
(defun
  (defun_header
    keyword: (defun_keyword ["defun" "defgeneric"])
    function_name: [
      (sym_lit) @name
      (package_lit symbol: (sym_lit) @name)
      (list_lit (sym_lit) . [(sym_lit) @name (package_lit symbol: (sym_lit) @name)])
    ])
  . (_)? @body
  ")" @body) @definition.function
(defun
  (defun_header keyword: (defun_keyword "defgeneric") function_name: (sym_lit) @name)
  (list_lit . (kwd_lit) . (str_lit) @body .)
  ")" @body) @definition.function
(defun
  (defun_header
    keyword: (defun_keyword "defmethod")
    function_name: [
      (sym_lit) @name
      (package_lit symbol: (sym_lit) @name)
      (list_lit (sym_lit) . [(sym_lit) @name (package_lit symbol: (sym_lit) @name)])
    ])
  . (_)? @body
  ")" @body) @definition.method
(defun (defun_header keyword: (defun_keyword "defmacro") function_name: (sym_lit) @name) . (_)? @body ")" @body) @definition.macro
((list_lit . (sym_lit) @_def . (sym_lit) @name . (_) . (_)? @body ")") @definition.macro
  (#any-of? @_def "define-compiler-macro" "define-modify-macro" "define-symbol-macro" "defsetf" "define-setf-expander"))
((list_lit . (sym_lit) @_def . (list_lit (list_lit . (sym_lit) @name . (list_lit) . (_)? @body ")" @body) @definition.function))
  (#any-of? @_def "flet" "labels" "macrolet"))

; Types, their slots, and the functions that read these.
((list_lit . (sym_lit) @_def . (sym_lit) @name . (list_lit) . (list_lit) @body ")" @body) @definition.class
  (#any-of? @_def "defclass" "define-condition"))
((list_lit . (sym_lit) @_def . (sym_lit) . (list_lit) . (list_lit [
    (list_lit . (sym_lit) @name) @definition.field
    (sym_lit) @name @definition.field
  ]))
  (#any-of? @_def "defclass" "define-condition"))
((list_lit . (sym_lit) @_def . (sym_lit) . (list_lit) . (list_lit
    (list_lit (kwd_lit (kwd_symbol) @_key) . (sym_lit) @name @definition.property)))
  (#any-of? @_def "defclass" "define-condition")
  (#any-of? @_key "accessor" "reader" "writer"))
((list_lit . (sym_lit) @_def . [(sym_lit) @name (list_lit . (sym_lit) @name)] . (_)? @body ")" @body) @definition.struct
  (#eq? @_def "defstruct"))
((list_lit . (sym_lit) @_def . (_) [(sym_lit) @name @definition.field (list_lit . (sym_lit) @name) @definition.field])
  (#eq? @_def "defstruct"))
((list_lit . (sym_lit) @_def . (sym_lit) @name . (_) . (_)? @body ")") @definition.type
  (#eq? @_def "deftype"))

; Packages and systems.
((list_lit
  . [(sym_lit) @_def (package_lit symbol: (sym_lit) @_def)]
  . "#"?
  . [(sym_lit) @name (str_lit) @name (kwd_lit (kwd_symbol) @name)]
  . (_)? @body
  ")") @definition.namespace
  (#any-of? @_def "defpackage" "define-package" "defsystem"))

; Tests. `test` is a function's name as well, further in.
((list_lit . (sym_lit) @_def . (sym_lit) @name . (_)? @body ")" @body) @definition.function
  (#any-of? @_def "deftest" "def-test" "define-test")
  (#set! flag test))
((source (list_lit . (sym_lit) @_def . (sym_lit) @name . (_)? @body ")" @body) @definition.function)
  (#eq? @_def "test")
  (#set! flag test))

(comment) @doc
(block_comment) @doc
((defun (defun_header) . (str_lit) @doc . (_)) (#set! doc body))
((defun (defun_header) (list_lit . (kwd_lit) . (str_lit) @doc .)) (#set! doc body))
((list_lit . (sym_lit) @_def . (_) . (str_lit) @doc) (#eq? @_def "defstruct") (#set! doc body))
((list_lit . (sym_lit) @_def . (sym_lit) . (_) . (str_lit) @doc) (#match? @_def "^(def|Def|DEF)") (#set! doc body))
((list_lit . (package_lit) @_def . (sym_lit) . (_) . (str_lit) @doc) (#match? @_def "def") (#set! doc body))
