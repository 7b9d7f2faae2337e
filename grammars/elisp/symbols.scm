; What a library's own `def...` makes is a variable, as long as nothing else is known of it.
((list . (symbol) @_def . (symbol) @name . ")") @definition.variable
  (#match? @_def "^(cl-|pcase-)?def(?!ault|aults|ine-key|un|macro|method|generic|struct|class|subst|advice)"))
((list . (symbol) @_def . (symbol) @name . (_) . (string)? @body ")") @definition.variable
  (#match? @_def "^(cl-|pcase-)?def(?!ault|aults|ine-key|un|macro|method|generic|struct|class|subst|advice)"))
((special_form "defvar" @_def . (symbol) @name . (_) . (string)? @body ")") @definition.variable (#eq? @_def "defvar"))
((special_form "defvar" @_def . (symbol) @name . ")") @definition.variable (#eq? @_def "defvar") (#set! role declaration))
((special_form "defconst" @_def . (symbol) @name . (_) . (string)? @body ")") @definition.constant (#eq? @_def "defconst"))

; Functions and macros.
(function_definition name: (symbol) @name parameters: (_) . (_)? @body ")" @body) @definition.function
(macro_definition name: (symbol) @name parameters: (_) . (_)? @body ")" @body) @definition.macro
((list . (symbol) @_def . (symbol) @name . (_) . (_)? @body ")" @body) @definition.function
  (#match? @_def "^(cl-defun|cl-defsubst|cl-defgeneric|defgeneric|iter-defun|cl-iter-defun|define-inline|transient-define-.*|ert-deftest|define-(derived|minor|globalized-minor|global|generic|compilation)-?(minor-)?mode)$"))
((list . (symbol) @_def . (symbol) @name . (string) @body ")" @body) @definition.function
  (#eq? @_def "define-minor-mode"))
((list . (symbol) @_def . (symbol) @name . (_) . (_) . (string) @body ")" @body) @definition.function
  (#eq? @_def "define-derived-mode"))
((list . (symbol) @_def . (symbol) @name (list) . (_)? @body ")" @body) @definition.method
  (#any-of? @_def "cl-defmethod" "defmethod"))
((list . (symbol) @_def . (symbol) @name . (list) . (_)? @body ")" @body) @definition.macro
  (#any-of? @_def "cl-defmacro" "pcase-defmacro"))
((list . (symbol) @_def . (list (list . (symbol) @name . (list) . (_)? @body ")" @body) @definition.function))
  (#any-of? @_def "cl-flet" "cl-labels" "cl-macrolet" "cl-flet*"))

; Other names of functions and variables. Errors are events.
((list . (symbol) @_def . (quote (symbol) @name) . (_) . (string)? @body ")") @definition.function
  (#eq? @_def "defalias"))
((list . (symbol) @_def . (quote (symbol) @name)) @definition.function
  (#eq? @_def "define-obsolete-function-alias"))
((list . (symbol) @_def . (quote (symbol) @name)) @definition.variable
  (#any-of? @_def "defvaralias" "define-obsolete-variable-alias" "define-fringe-bitmap" "define-widget" "define-button-type"))
((list . (symbol) @_def . (quote (symbol) @name)) @definition.event
  (#eq? @_def "define-error"))
((list . (symbol) @_def . (symbol) @name . (_) . (string)? @body ")") @definition.module
  (#eq? @_def "defgroup"))

; Types and their fields.
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)] . (_)? @body ")" @body) @definition.struct
  (#any-of? @_def "cl-defstruct" "defstruct"))
((list . (symbol) @_def . (_) [(symbol) @name @definition.field (list . (symbol) @name) @definition.field])
  (#any-of? @_def "cl-defstruct" "defstruct"))
((list . (symbol) @_def . (symbol) @name . (_) . (list) @body ")" @body) @definition.class
  (#eq? @_def "defclass"))
((list . (symbol) @_def . (symbol) . (_) . (list (list . (symbol) @name) @definition.field))
  (#eq? @_def "defclass"))
((list . (symbol) @_def . (symbol) . (_) . (list (list (symbol) @_key . (symbol) @name @definition.property)))
  (#eq? @_def "defclass")
  (#any-of? @_key ":accessor" ":reader" ":writer"))

(comment) @doc
((function_definition docstring: (string) @doc) (#set! doc body))
((macro_definition docstring: (string) @doc) (#set! doc body))
((special_form ["defvar" "defconst"] @_def . (symbol) . (_) . (string) @doc) (#any-of? @_def "defvar" "defconst") (#set! doc body))
((list . (symbol) @_def . [(symbol) (list) (quote)] . (string) @doc) (#match? @_def "^(cl-|cl-iter-|ert-|iter-|pcase-|transient-)?def") (#set! doc body))
((list . (symbol) @_def . [(symbol) (quote)] . (_) . (string) @doc) (#match? @_def "^(cl-|cl-iter-|ert-|iter-|pcase-|transient-)?def(?!ine-derived)") (#set! doc body))
((list . (symbol) @_def . (symbol) . (_) . (_) . (string) @doc) (#eq? @_def "define-derived-mode") (#set! doc body))
