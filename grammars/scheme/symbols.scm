; Whatever begins with `define` defines: with a name a variable, with a list of name and parameters a function.
((list . (symbol) @_def . (symbol) @name) @definition.variable
  (#match? @_def "^def(?!ault|er|late|ine-values|ine-module|ine-library|ined)"))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_lambda . (_) . (_) @body)) @definition.function
  (#any-of? @_def "define" "define-public" "define*")
  (#any-of? @_lambda "lambda" "lambda*" "case-lambda" "case-lambda*" "λ"))
((list . (symbol) @_def . (list . [(symbol) @name (list . (symbol) @name)]) . (_)? @body ")" @body) @definition.function
  (#match? @_def "^def(?!ault|er|late|ine-values|ine-module|ine-library|ined|ine-record)"))
((list . (symbol) @_def . (list (symbol) @name @definition.variable))
  (#eq? @_def "define-values"))

((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)] . (_) @body) @definition.macro
  (#match? @_def "^(define-syntax|define-syntax-rule|define-syntax-parameter|define-syntax-public|define-syntax-rule-public|define-macro|defmacro)$"))

; The parameters of what is itself called `define-...`, which the patterns above take for what it defines.
((list . (symbol) @_outer . (list . (symbol) @_def . (symbol) @name) @definition.variable)
  (#any-of? @_outer "define" "define-syntax-rule" "define-public" "define-syntax-rule-public" "define*" "define-inlinable" "define-macro")
  (#match? @_def "^def")
  (#set! name none))
((list . (symbol) @_outer . (list . (symbol) @_def . (list . (symbol) @name)) @definition.function)
  (#any-of? @_outer "define" "define-syntax-rule" "define-public" "define-syntax-rule-public" "define*" "define-inlinable" "define-macro")
  (#match? @_def "^def")
  (#set! name none))

; Types, their fields, and the functions that make, know and read them.
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)] . (_) @body ")" @body) @definition.struct
  (#match? @_def "^define-(record-type|structure|record)$"))
((list . (symbol) @_def . (_) . [(list . (symbol) @name) (symbol) @name] @definition.constructor . (symbol))
  (#eq? @_def "define-record-type"))
((list . (symbol) @_def . (_) . (_) . (symbol) @name @definition.function)
  (#eq? @_def "define-record-type"))
((list . (symbol) @_def . (_) . (_) . (_) (list . (symbol) @name) @definition.field)
  (#eq? @_def "define-record-type"))
((list . (symbol) @_def . (_) . (_) . (_) (list . (symbol) (symbol) @name @definition.property))
  (#eq? @_def "define-record-type"))
((list . (symbol) @_def . (symbol) @name . (list) . (_)? @body ")" @body) @definition.class
  (#eq? @_def "define-class"))
((list . (symbol) @_def . (symbol) . (list) (list . (symbol) @name) @definition.field)
  (#eq? @_def "define-class"))
((list . (symbol) @_def . (list . (symbol) @name) . (_)? @body ")" @body) @definition.method
  (#eq? @_def "define-method"))
((list . (symbol) @_def . (symbol) @name) @definition.function
  (#eq? @_def "define-generic"))

; Libraries enclose; a module of Guile's stands at the top of its file, and its names are not qualified.
((list . (symbol) @_def . [
    (list . (symbol) @name [(symbol) (number)]? @name .)
    (list . (symbol) @name [(symbol) (number)]? @name . (list) .)
  ] . (_) @body ")" @body) @definition.module
  (#any-of? @_def "define-library" "library")
  (#set! name span))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name [(symbol) (number)]? @name .)] ")") @definition.module
  (#eq? @_def "define-module")
  (#set! name span))
((program (list (list . (symbol) @_export (symbol) @name)))
  (#eq? @_export "export")
  (#set! visibility exported)
  (#set! scope name))
((program (list . (symbol) @_def (keyword) @_export . (list (symbol) @name)))
  (#eq? @_def "define-module")
  (#any-of? @_export "#:export" "#:export-syntax" "#:replace")
  (#set! visibility exported)
  (#set! scope name))

; Tests with a text for a name.
((list . (symbol) @_test . (string) @name . (_)? @body ")" @body) @definition.module
  (#eq? @_test "test-group")
  (#set! visibility exported))
((list . (symbol) @_test . (string) @name . (_)? @body ")" @body) @definition.function
  (#eq? @_test "test-case")
  (#set! visibility exported))

; What a `let` defines is its own.
((list . (symbol) @_let . (_) (list . (symbol) @_def) @body)
  (#any-of? @_let "let" "let*" "letrec" "letrec*" "let-values" "let*-values" "lambda" "when" "unless" "if")
  (#match? @_def "^define")
  (#set! scope function))

; So is what runs while a macro is expanded.
((list . (symbol) @_def . [(list) (symbol)] . (_) @body ")" @body)
  (#match? @_def "^(define-syntax|define-syntax-rule|define-syntax-parameter|define-syntax-public|define-syntax-rule-public|define-macro|defmacro)$")
  (#set! scope function))

; What is commented out or quoted is not defined.
((comment (list) @body) (#set! scope function))
((comment (list . (symbol) . (list . (symbol) @name)) @definition.function) (#set! name none))
((comment (list . (symbol) . (symbol) @name) @definition.function) (#set! name none))
((quote (list) @body) (#set! scope function))

(comment) @doc
(block_comment) @doc
((list . (symbol) . [(list) (symbol)] . (string) @doc . (_)) (#set! doc body))
