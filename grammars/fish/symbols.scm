; The body begins behind the last option.
(function_definition name: (_) @name . ["\n" ";"] @body "end" @body) @definition.function
(function_definition name: (_) @name option: (_) . ["\n" ";"] @body "end" @body) @definition.function

; Variables: what a file sets outside of functions, and what a function sets for all.
((command name: (word) @_set . argument: (word) @name . argument: (_)) @definition.variable
  (#eq? @_set "set")
  (#not-match? @name "^-"))
((command name: (word) @_set . argument: (word) @_scope . argument: (word) @name) @definition.variable
  (#eq? @_set "set")
  (#match? @_scope "^-([a-zA-Z]*[gUx][a-zA-Z]*|-global|-universal|-export)$")
  (#not-match? @name "^-")
  (#set! place file))
((command name: (word) @_set . argument: (word) @_scope . argument: (word) . argument: (word) @name) @definition.variable
  (#eq? @_set "set")
  (#match? @_scope "^-(g|U|-global|-universal)$")
  (#not-match? @name "^-")
  (#set! place file))

; Other words for commands.
((command name: (word) @_alias . argument: [(word) @name (concatenation . (word) @name)]) @definition.function
  (#eq? @_alias "alias")
  (#not-match? @name "^-"))
((command name: (word) @_abbr . argument: (word) @_add . argument: (word) @name) @definition.macro
  (#eq? @_abbr "abbr")
  (#any-of? @_add "-a" "--add")
  (#not-match? @name "^-"))

(comment) @doc
