; Procedures. A qualified name is one word.
((procedure name: [(simple_word) (quoted_word)] @name body: (_) @body) @definition.function (#set! name path))
((namespace (word_list . (simple_word) @_eval . (simple_word) @name . (braced_word) @body)) @definition.namespace
  (#eq? @_eval "eval"))

; Variables of scripts and namespaces; of classes they are fields.
(source_file (set . (id) @name) @definition.variable)
((source_file (command name: (simple_word) @_set arguments: (word_list . (simple_word) @name)) @definition.variable)
  (#eq? @_set "SET")
  (#set! name path))
((command name: (simple_word) @_variable arguments: (word_list . (simple_word) @name)) @definition.variable
  (#eq? @_variable "variable"))

; Classes: of Tcl itself, of snit and of Itcl, and what they hold.
((command
  name: (simple_word) @_class
  arguments: (word_list . (simple_word) @_create . (simple_word) @name . (braced_word) @body)) @definition.class
  (#any-of? @_class "oo::class" "::oo::class" "oo::abstract" "oo::singleton")
  (#eq? @_create "create"))
((command name: (simple_word) @_class arguments: (word_list . (simple_word) @name . (braced_word) @body)) @definition.class
  (#any-of? @_class "snit::type" "snit::widget" "snit::widgetadaptor" "::snit::type" "::snit::widget" "itcl::class" "::itcl::class"))
((command name: (simple_word) @_define arguments: (word_list . (simple_word) @container . (braced_word) @body))
  (#any-of? @_define "oo::define" "::oo::define"))
((command
  name: (simple_word) @_define
  arguments: (word_list
    . (simple_word) @container . (simple_word) @_method . (simple_word) @name . (_) . (braced_word) @body .)) @definition.method
  (#any-of? @_define "oo::define" "::oo::define")
  (#eq? @_method "method"))
((command
  name: (simple_word) @_method
  arguments: (word_list . (simple_word) @name . (_) . (braced_word) @body .)) @definition.method
  (#any-of? @_method "method" "typemethod" "classmethod"))
((command
  name: (simple_word) @_access
  arguments: (word_list . (simple_word) @_method . (simple_word) @name . (_) . (braced_word) @body .)) @definition.method
  (#any-of? @_access "public" "private" "protected" "self")
  (#any-of? @_method "method" "proc"))
((command
  name: (simple_word) @_access
  arguments: (word_list . (simple_word) @_variable . (simple_word) @name)) @definition.field
  (#any-of? @_access "public" "private" "protected")
  (#any-of? @_variable "variable" "common"))
((command name: (simple_word) @name arguments: (word_list (braced_word) @body .)) @definition.constructor
  (#any-of? @name "constructor" "typeconstructor"))
((command name: (simple_word) @name arguments: (word_list (braced_word) @body .)) @definition.method
  (#eq? @name "destructor"))
((command name: (simple_word) @_option arguments: (word_list . (simple_word) @name)) @definition.property
  (#eq? @_option "option")
  (#match? @name "^-"))

; Tests of tcltest.
((command name: (simple_word) @_test arguments: (word_list . (simple_word) @name . (_) . (_))) @definition.function
  (#any-of? @_test "test" "tcltest::test" "::tcltest::test")
  (#set! flag test))

(comment) @doc
