; Everything is a call: `defmodule A do ... end` calls `defmodule`. Attributes that say something of the code are constants; those that
; Elixir and its test framework read themselves are not.
((unary_operator operator: "@" operand: (call target: (identifier) @name)) @definition.constant
  (#not-match? @name "^((module|type|short)?doc|spec|impl|behaviou?r|derive|deprecated|typep?|opaque|(macro)?callback|optional_callbacks|enforce_keys|compile|dialyzer|(module|describe)?tag|on_load|on_definition|before_compile|after_compile|after_verify|external_resource|file|nifs|fallback_to_any|vsn|since|preferred_cli_env|requirements|recursive|for|protocol)$")
  (#set! visibility private))

; Types, and what a behaviour asks for.
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @definition.type
  (#any-of? @_kind "type" "typep" "opaque"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator left: [
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name))
    ])))) @definition.method
  (#any-of? @_kind "callback" "macrocallback"))

; Modules. Where an attribute stands first, the body begins with it, because `@moduledoc` is the doc there.
((call target: (identifier) @_def (arguments . [(alias) @name (dot right: (alias) @name)]) (do_block) @body) @definition.module
  (#eq? @_def "defmodule"))
((call
  target: (identifier) @_def
  (arguments . (alias) @name)
  (do_block . (unary_operator) @body "end" @body)) @definition.module
  (#eq? @_def "defmodule"))
; What implements a protocol is a module of both names, where one type is named.
((call target: (identifier) @_def (arguments . (alias) @name .) (do_block) @body) @definition.module
  (#eq? @_def "defimpl"))
((call
  target: (identifier) @_def
  (arguments . (alias) @name (keywords (pair value: [(list) (identifier) (call) (unary_operator)])))
  (do_block) @body) @definition.module
  (#eq? @_def "defimpl"))
((call
  target: (identifier) @_def
  (arguments . (alias) @container (keywords (pair key: (keyword) @_key value: (alias) @name)))
  (do_block) @body) @definition.module
  (#eq? @_def "defimpl")
  (#match? @_key "^for:")
  (#set! place file))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @definition.interface
  (#eq? @_def "defprotocol"))

; Functions and macros. The body is a block, or `do:` and what follows. Three patterns for each, as one that may end early is tried
; on every call (`search_words`).
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ]) .) @definition.function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ]
    (keywords) @body)) @definition.function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ])
  (do_block) @body) @definition.function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call target: (identifier) @_def (arguments . [(identifier) @name (call target: (identifier) @name)])) @definition.function
  (#eq? @_def "defdelegate"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ]) .) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ]
    (keywords) @body)) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call
  target: (identifier) @_def
  (arguments
    . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: [(identifier) @name (call target: (identifier) @name)] operator: "when")
    ])
  (do_block) @body) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp"))
((call
  target: (identifier) @_def
  (arguments . (binary_operator operator: _ @name)) .) @definition.operator
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")
  (#not-eq? @name "when"))
((call
  target: (identifier) @_def
  (arguments . (binary_operator operator: _ @name) (keywords) @body)) @definition.operator
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")
  (#not-eq? @name "when"))
((call
  target: (identifier) @_def
  (arguments . (binary_operator operator: _ @name))
  (do_block) @body) @definition.operator
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop")
  (#not-eq? @name "when"))

; The fields of a struct or an exception, and records.
((call
  target: (identifier) @_def
  (arguments . [
    (keywords (pair key: (keyword) @name) @definition.field)
    (list [(keywords (pair key: (keyword) @name) @definition.field) (atom) @name @definition.field])
  ]))
  (#any-of? @_def "defstruct" "defexception"))
((call
  target: [(identifier) @_def (dot right: (identifier) @_def)]
  (arguments . (atom) @name)) @definition.struct
  (#any-of? @_def "defrecord" "defrecordp"))

; Tests: suites and cases.
((call target: (identifier) @_call (arguments . (string) @name) (do_block) @body) @definition.module
  (#eq? @_call "describe")
  (#set! flag test))
((call target: (identifier) @_call (arguments . (string) @name)) @definition.function
  (#any-of? @_call "test" "property")
  (#set! flag test))
((call target: (identifier) @_call (arguments . (string) @name) (do_block) @body) @definition.function
  (#any-of? @_call "test" "property")
  (#set! flag test))

; Docs are attributes, too.
(comment) @doc
((unary_operator operator: "@" operand: (call target: (identifier) @_doc)) @doc
  (#any-of? @_doc "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @doc
  (#any-of? @_attribute "spec" "impl" "deprecated" "dialyzer" "tag" "since")
  (#set! doc attribute))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (keywords)))) @doc
  (#eq? @_attribute "doc")
  (#set! doc attribute))
((unary_operator operator: "@" operand: (call target: (identifier) @_doc)) @doc
  (#eq? @_doc "moduledoc")
  (#set! doc body))
