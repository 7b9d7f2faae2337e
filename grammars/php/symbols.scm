; An alternative `(MISSING)` finds nothing: with it the rest of a list compiles at once (`../README.md`).

; Namespaces. One without braces has the members as its siblings.
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
((namespace_definition name: (_) @name !body) @definition.namespace (#set! extent rest))

; Types
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.enumMember

; Functions
(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
(assignment_expression
  [
    left: (MISSING)
    ([left: (variable_name (name) @name)] right: (_ parameters: (_) body: (_) @body))
  ]) @definition.function

; Properties; constructor parameters with a visibility are properties, too. Hooks without code belong to the signature.
(property_declaration (property_element name: (_ (name) @name))) @definition.property
(property_declaration
  (_ name: (_ (name) @name))
  (property_hook_list (_ body: (_))) @body) @definition.property
; `private(set)` without a word before it is readable by everybody.
((property_declaration
  . (_ (operation))
  (property_element name: (_ (name) @name))) @definition.property
  (#set! visibility exported))
(property_promotion_parameter name: (_ (name) @name)) @definition.property
(property_promotion_parameter
  name: (_ (name) @name) (property_hook_list (_ body: (_))) @body) @definition.property

; Constants. `define` makes one for all files, wherever it is called.
(const_declaration (const_element . (name) @name)) @definition.constant
((function_call_expression
  [
    function: (MISSING)
    ([function: [(name) (qualified_name)] @_define]
      arguments: (_
        . (_ [
          (string (string_content) @name)
          (encapsed_string . (string_content) @name .)
          (heredoc value: (_ . (string_content) @name .))
          (nowdoc value: (_ . (nowdoc_string) @name .))
        ])))
  ]) @definition.constant
  (#any-of? @_define "define" "\\define")
  (#set! place file))

; Variables of the file, which no namespace qualifies: at its top level, and one level down in conditions.
((program
  (expression_statement
    [
      (_ left: [(variable_name (name) @name) (_ . ["[" "list"] (variable_name (name) @name))] "=")
      (_ left: (variable_name (name) @name) "=" right: (_ "new" (anonymous_class body: (_) @body)))
    ] @definition.variable))
  (#set! place file))
((namespace_definition
  body: (compound_statement
    (expression_statement
      (_ left: [(variable_name (name) @name) (_ . ["[" "list"] (variable_name (name) @name))] "=") @definition.variable)))
  (#set! place file))
((program
  [(if_statement
     body: (_
       (expression_statement
         (_ left: (variable_name (name) @name) "=") @definition.variable)))
   (if_statement
     alternative: (_
       body: (_
         (expression_statement
           (_ left: (variable_name (name) @name) "=") @definition.variable))))
   (try_statement
     body: (_
       (expression_statement
         (_ left: (variable_name (name) @name) "=") @definition.variable)))])
  (#set! place file))
((program
  (expression_statement
    (_
      left: (variable_name (name) @name)
      "="
      right: (_ parameters: (_) body: (_) @body)) @definition.function))
  (#set! place file))

; Tests with names, as Pest has them.
((function_call_expression
  [
    function: (MISSING)
    ([function: (name) @_call]
      arguments: (_
        . (_ [(string (string_content) @name) (encapsed_string . (string_content) @name .)])
        . (_ (_ parameters: (_) body: (_) @body))))
  ]) @definition.function
  (#any-of? @_call "it" "test")
  (#set! flag test))
((function_call_expression
  [
    function: (MISSING)
    ([function: (name) @_call]
      arguments: (_
        . (_ [(string (string_content) @name) (encapsed_string . (string_content) @name .)])
        . (_ (_ parameters: (_) body: (_) @body))))
  ]) @definition.module
  (#eq? @_call "describe")
  (#set! flag test))

; What stands here is local, but not in the class that is all a file returns (a migration), or that a variable is.
((anonymous_function body: (_) @body) (#set! scope function))
((anonymous_class body: (_) @body) (#set! scope function))
((program (return_statement (_ "new" (anonymous_class body: (_) @body)))) (#set! scope open))
((program
  (expression_statement
    (_ "=" right: (_ "new" (anonymous_class body: (_) @body))))) (#set! scope open))

; All text around the code is one page.
((text) @source (#set! language html) (#set! source joined))

(comment) @doc
