; Imports: other names of modules, and the names of modules.
((call target: (identifier) @_alias (arguments . [(alias) (identifier)] @path .))
  (#eq? @_alias "alias"))
((call
  target: (identifier) @_alias
  (arguments
    . [(alias) (identifier)] @path
    (keywords (pair key: (keyword) @_as value: (alias) @alias))))
  (#any-of? @_alias "alias" "require")
  (#match? @_as "^as:"))
((call
  target: (identifier) @_alias
  (arguments . (dot left: [(alias) (identifier)] @path right: (alias) @name) .))
  (#eq? @_alias "alias"))
((call
  target: (identifier) @_alias
  (arguments
    . (dot left: [(alias) (identifier)] @path right: (alias) @name)
    (keywords (pair key: (keyword) @_as value: (alias) @alias))))
  (#any-of? @_alias "alias" "require")
  (#match? @_as "^as:"))
((call
  target: (identifier) @_alias
  (arguments . (dot left: [(alias) (identifier)] @path right: (tuple (alias) @name))))
  (#eq? @_alias "alias"))
((call target: (identifier) @_import (arguments . (alias) @path) @all)
  (#eq? @_import "import"))

; Code that a module puts into those that use it.
((call target: (identifier) @_quote (do_block) @injected) (#eq? @_quote "quote"))

; Bases: behaviours, what a module uses, and the protocol of an implementation.
((call target: (identifier) @_use (arguments . (alias) @inherits))
  (#any-of? @_use "use" "defimpl"))
((unary_operator operator: "@" operand: (call target: (identifier) @_behaviour (arguments . (alias) @inherits)))
  (#any-of? @_behaviour "behaviour" "behavior"))

; Structures that patterns name.
(binary_operator left: (map (struct (alias) @type)) operator: "=" right: (identifier) @declared)
(binary_operator left: (identifier) @declared operator: "=" right: (map (struct (alias) @type)))

; Local names of which no more is known.
(binary_operator left: (identifier) @declared operator: "=")
(binary_operator operator: "=" right: (identifier) @declared)
(binary_operator left: (identifier) @declared operator: "<-")
(binary_operator left: (identifier) @declared operator: "\\\\")
(stab_clause left: (arguments (identifier) @declared))
(tuple (identifier) @declared)
(list (identifier) @declared)
(list (binary_operator left: (identifier) @declared operator: "|"))
(list (binary_operator operator: "|" right: (identifier) @declared))
(pair value: (identifier) @declared)
((call
  target: (identifier) @_def
  (arguments . [
    (call (arguments (identifier) @declared))
    (binary_operator left: (call (arguments (identifier) @declared)))
  ]))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "test" "property"))

; The function of another module that one of this module hands on to.
((call
  target: (identifier) @_delegate
  (arguments
    (call target: (identifier) @key)
    (keywords (pair key: (keyword) @_to value: (alias) @type))))
  (#eq? @_delegate "defdelegate")
  (#match? @_to "^to:"))

; The functions of another module that are imported.
((call
  target: (identifier) @_import
  (arguments
    . (alias) @type
    (keywords (pair value: (list (keywords (pair key: (keyword) @key)))))))
  (#eq? @_import "import"))

; Fields that are named without a value before them: in a structure of a type, which may be a pattern.
(map (struct [(alias) (identifier)] @type) (map_content (keywords (pair key: (keyword) @key))))
(map (struct [(alias) (identifier)] @type) (map_content (binary_operator right: (keywords (pair key: (keyword) @key)))))
