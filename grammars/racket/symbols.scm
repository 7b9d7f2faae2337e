; Whatever begins with `define` defines: with a name a variable, with a list of name and parameters a function.
((list . (symbol) @_def . (symbol) @name) @definition.variable
  (#match? @_def "^def(ine(?!d|-values|-syntaxes)|-)"))
((list . (symbol) @_def . (list . [(symbol) @name (list . (symbol) @name)]) . (_)? @body ")" @body) @definition.function
  (#match? @_def "^def(ine(?!d|-values|-syntaxes)|-)"))
((list . (symbol) @_def . (list (symbol) @name @definition.variable))
  (#any-of? @_def "define-values" "define-syntaxes" "define-values-for-syntax"))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_lambda . (_) . (_) @body)) @definition.function
  (#any-of? @_lambda "lambda" "case-lambda" "λ" "match-lambda" "match-lambda*" "opt-lambda")
  (#match? @_def "^define"))

((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)] . (_) @body) @definition.macro
  (#any-of? @_def "define-syntax" "define-syntax-rule" "define-syntax-parser" "define-syntax-parse-rule" "define-simple-macro"
    "define-match-expander" "define-syntax-parameter"))
((list . (symbol) @_def . [(symbol) @name (list . (symbol) @name)]) @definition.type
  (#any-of? @_def "define-type" "define-type-alias" "define-syntax-class" "define-splicing-syntax-class" "define-new-subtype"))

; Structs and their fields. The name of the parent may stand before these. Inside a function it is a pattern of `match`.
((list . (symbol) @_def . (symbol) @name . (_) @body ")" @body) @definition.struct
  (#any-of? @_def "struct" "define-struct" "define-struct/contract" "serializable-struct" "struct:")
  (#set! local none))
((list . (symbol) @_def . (symbol) . (symbol)? . (list [
    (symbol) @name @definition.field
    (list . (symbol) @name) @definition.field
  ]))
  (#any-of? @_def "struct" "define-struct" "define-struct/contract" "serializable-struct" "struct:")
  (#set! visibility container))

; With the parent in a list.
((list . (symbol) @_def . (list . (symbol) @name . (symbol) .) . (_) @body ")" @body) @definition.struct
  (#any-of? @_def "define-struct" "define-struct/contract" "define-serializable-struct")
  (#set! local none))
((list . (symbol) @_def . (list . (symbol) . (symbol) .) . (list [
    (symbol) @name @definition.field
    (list . (symbol) @name) @definition.field
  ]))
  (#any-of? @_def "define-struct" "define-struct/contract" "define-serializable-struct")
  (#set! visibility container))

; The parameters of what is itself called `define-...`, which the patterns above take for what it defines.
((list . (symbol) @_outer . (list . (symbol) @_def . (symbol) @name) @definition.variable)
  (#any-of? @_outer "define" "define-syntax" "define-syntax-rule" "define-for-syntax")
  (#match? @_def "^def")
  (#set! name none))
((list . (symbol) @_outer . (list . (symbol) @_def . (list . (symbol) @name)) @definition.function)
  (#any-of? @_outer "define" "define-syntax" "define-syntax-rule" "define-for-syntax")
  (#match? @_def "^def")
  (#set! name none))

; Classes are values with a name; so are interfaces.
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_class . (_) @body ")" @body)) @definition.class
  (#any-of? @_def "define" "define-class")
  (#any-of? @_class "class" "class*" "class/derived" "mixin"))
((list . (symbol) @_def [(symbol) @name @definition.field (list . (symbol) @name) @definition.field])
  (#any-of? @_def "init-field" "field")
  (#not-match? @name "^(init-)?field$")
  (#set! visibility container))
((list . (symbol) @_def . (symbol) @name . (list . (symbol) @_interface)) @definition.interface
  (#eq? @_def "define")
  (#any-of? @_interface "interface" "interface*"))
((list . (symbol) @_def . (symbol) @name . (_) @body ")" @body) @definition.interface
  (#any-of? @_def "define-signature" "define-generics"))
((list . (symbol) @_def . (symbol) (list . (symbol) @name) @definition.method)
  (#eq? @_def "define-generics")
  (#set! visibility container))

; Modules in the file, and tests.
((list . (symbol) @_def . (symbol) @name . (_) @body ")" @body) @definition.module
  (#any-of? @_def "module" "module*" "module+" "define-unit")
  (#set! visibility exported))
((list . (symbol) @_test . (string) @name . (_)? @body ")" @body) @definition.module
  (#eq? @_test "test-suite")
  (#set! visibility exported))
((list . (symbol) @_test . (string) @name . (_)? @body ")" @body) @definition.function
  (#eq? @_test "test-case")
  (#set! visibility exported))

; What a file or a module in it provides: by name, with its fields, with a contract, or all.
((list . (symbol) @_provide [(symbol) @name (list . (symbol) . (symbol) @name)])
  (#eq? @_provide "provide")
  (#set! visibility exported)
  (#set! scope name))
((list . (symbol) @_provide (list . (symbol) @_out (list . (symbol) @name)))
  (#eq? @_provide "provide")
  (#match? @_out "(contract|rename)-out$")
  (#set! visibility exported)
  (#set! scope name))
((list . (symbol) @_provide (list . (symbol) @name))
  (#eq? @_provide "provide")
  (#match? @name "all-defined-out$")
  (#set! visibility exported)
  (#set! scope container))

; What a function without a name defines is its own, and so is what runs while a macro is expanded.
((list . (symbol) @_lambda . [(list) (symbol)] . (_) @body ")" @body)
  (#any-of? @_lambda "lambda" "λ")
  (#set! scope function))
((list . (symbol) @_lambda (list . [(list) (symbol)] . (_) @body [")" "]"] @body))
  (#eq? @_lambda "case-lambda")
  (#set! scope function))
((list . (symbol) @_def . [(list) (symbol)] . (_) @body ")" @body)
  (#any-of? @_def "define-syntax" "define-syntax-rule" "define-syntax-parser" "define-syntax-parse-rule" "define-simple-macro"
    "define-match-expander" "define-syntax-parameter")
  (#set! scope function))

; What is commented out is not defined.
((sexp_comment (list) @body) (#set! scope function))
((sexp_comment (list . (symbol) . (list . (symbol) @name)) @definition.function) (#set! name none))
((sexp_comment (list . (symbol) . (symbol) @name) @definition.function) (#set! name none))
((quote (list) @body) (#set! scope function))

(comment) @doc
(block_comment) @doc
((list . (symbol) @_colon . (symbol)) @doc
  (#eq? @_colon ":")
  (#match? @doc "^[(\\[]:")
  (#set! doc attribute))
