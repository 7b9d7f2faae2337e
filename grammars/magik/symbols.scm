; Methods belong to the exemplar that is written before them. The body begins on the next line.
(method exemplarname: (identifier) @container name: (identifier) @name . "\n" @body "_endmethod" @body) @definition.method
(method exemplarname: (identifier) @container name: (identifier) @name "<<" . (argument) . "\n" @body "_endmethod" @body) @definition.method
(method exemplarname: (identifier) @container name: (identifier) @name ")" . "\n" @body "_endmethod" @body) @definition.method
(method
  exemplarname: (identifier) @container name: (identifier) @name ")" . "\n" . (documentation) @body "_endmethod" @body)
  @definition.method
(method
  exemplarname: (identifier) @container name: (identifier) @name . "\n" . (documentation) @body "_endmethod" @body)
  @definition.method

; Exemplars, their slots, and what is made for these.
((invoke receiver: (variable) @_def . "(" . (symbol) @name) @definition.class
  (#any-of? @_def "def_mixin" "def_slotted_exemplar" "def_indexed_exemplar"))
((invoke receiver: (variable) @_def . "(" . (symbol) @name . "," @body ")" @body) @definition.class
  (#any-of? @_def "def_mixin" "def_slotted_exemplar" "def_indexed_exemplar"))
((invoke receiver: (variable) @_def (vector (vector . "{" . (symbol) @name) @definition.field))
  (#any-of? @_def "def_slotted_exemplar" "def_indexed_exemplar"))
((call receiver: (variable) @container message: (identifier) @_def "(" . (symbol) @name) @definition.constant
  (#eq? @_def "define_shared_constant"))
((call receiver: (variable) @container message: (identifier) @_def "(" . (symbol) @name) @definition.field
  (#eq? @_def "define_shared_variable"))
((call receiver: (variable) @container message: (identifier) @_def "(" . (symbol) @name) @definition.property
  (#any-of? @_def "define_slot_access" "define_slot_externally_readable" "define_slot_externally_writable" "define_property"))
((call receiver: (variable) @_condition message: (identifier) @_def "(" . (symbol) @name) @definition.event
  (#eq? @_condition "condition")
  (#eq? @_def "define_condition"))

; Names of all files.
(fragment "_global" . (identifier) @name) @definition.variable
(fragment "_global" . (identifier) @name . "<<" . (procedure ")" . (_) @body "_endproc" @body)) @definition.function

((pragma) @doc (#set! doc attribute))
(comment) @doc
((documentation) @doc (#set! doc body))
