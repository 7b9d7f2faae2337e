; `((binding_pattern_kind) . (MISSING))` finds nothing: with it the rest of a list compiles at once (`../README.md`).

; Types. A primary constructor's val and var are members, and stand before the body.
(class_declaration (type_identifier) @name (primary_constructor)? @header (class_body)? @body) @definition.class
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @definition.interface
(class_declaration
  "enum" (type_identifier) @name (primary_constructor)? @header (enum_class_body)? @body) @definition.enum
(enum_entry (simple_identifier) @name (class_body)? @body) @definition.enumMember
(type_alias (type_identifier) @name) @definition.type

; An unnamed companion has no node to carry a name: its members belong to the class, which is how they are called.
(object_declaration (type_identifier) @name (class_body)? @body) @definition.object
(companion_object (type_identifier) @name (class_body)? @body) @definition.object
((companion_object (modifiers (_ "private")) (class_body "{" @name)) (#set! visibility private))
((companion_object (modifiers (visibility_modifier "private")) (class_body "}" @name)) (#set! visibility container))

(secondary_constructor "constructor" @name) @definition.constructor
(secondary_constructor "constructor" @name "{" @body "}" @body) @definition.constructor

; Functions; an extension belongs to its receiver's type.
(function_declaration (simple_identifier) @name (function_body)? @body) @definition.function
(function_declaration
  receiver: (receiver_type [
    (_ . (type_identifier) @container . (type_identifier)? @container . (type_identifier)? @container
      . (type_identifier)? @container . (type_identifier)? @container)
    (nullable_type (_ . (type_identifier) @container . (type_identifier)? @container))
  ])
  (simple_identifier) @name (function_body)? @body) @definition.method

; What an anonymous object has are methods, whatever encloses it.
(object_literal
  (class_body (_ (simple_identifier) @name (function_body) @body) @definition.method))

; Properties. The value belongs to the signature, but not the body of a lambda or an object.
(class_parameter (binding_pattern_kind) . (simple_identifier) @name (lambda_literal)? @body) @definition.property
(property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    (variable_declaration (simple_identifier) @name)
  ]) @definition.variable
(property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    ((variable_declaration (simple_identifier) @name)
      [
        (lambda_literal) @body
        (_ [(class_body) @body (call_suffix (annotated_lambda) @body)])
        (property_delegate (_ (call_suffix (annotated_lambda) @body)))
        ; An accessor stands inside the property or, on a line of its own, behind it.
        (getter) @body
        (setter) @body
      ])
  ]) @definition.variable
(source_file
  (property_declaration
    [
      ((binding_pattern_kind) . (MISSING))
      ((binding_pattern_kind) . (multi_variable_declaration (variable_declaration (simple_identifier) @name)))
    ]) @definition.variable)
; A function that is bound to a name once and for all is that function.
(property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    ((binding_pattern_kind "val")
      (variable_declaration (simple_identifier) @name)
      [(lambda_literal) @body (anonymous_function (function_body) @body)])
  ]) @definition.function

; Accessors on lines of their own.
((property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    (variable_declaration (simple_identifier) @name)
  ]) @definition.variable
  . [(getter) (setter)] @body . [(getter) (setter)]? @body)

(property_declaration
  . [
    (MISSING)
    ((modifiers (property_modifier)) (variable_declaration (simple_identifier) @name))
  ]) @definition.constant

(property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    ([receiver: (receiver_type [
        (_ . (type_identifier) @container . (type_identifier)? @container . (type_identifier)? @container
          . (type_identifier)? @container . (type_identifier)? @container)
        (nullable_type (_ . (type_identifier) @container . (type_identifier)? @container))
      ])]
      (variable_declaration (simple_identifier) @name) [(getter) (setter)]? @body)
  ]) @definition.property
((property_declaration
  [
    ((binding_pattern_kind) . (MISSING))
    ([receiver: (receiver_type [
        (_ . (type_identifier) @container . (type_identifier)? @container . (type_identifier)? @container
          . (type_identifier)? @container . (type_identifier)? @container)
        (nullable_type (_ . (type_identifier) @container . (type_identifier)? @container))
      ])]
      (variable_declaration (simple_identifier) @name))
  ]) @definition.property
  . [(getter) (setter)] @body . [(getter) (setter)]? @body)

; Tests with names, as Kotest and Spek have them: what a suite's block holds belongs to the suite.
(class_declaration
  (type_identifier) @name
  (delegation_specifier
    (constructor_invocation
      (value_arguments . (_ . (lambda_literal (statements) @body)) .)))) @definition.class
((call_expression
  . (simple_identifier) @_call
  (call_suffix
    (value_arguments . (_ . (string_literal . (string_content) @name .)) .)
    (annotated_lambda (_ (statements) @body)))) @definition.module
  (#any-of? @_call "describe" "context" "given" "Given" "`when`" "When" "and" "And" "feature" "group"
    "xdescribe" "xcontext" "xgiven" "xfeature")
  (#set! flag test))
((call_expression
  . (simple_identifier) @_call
  (call_suffix
    (value_arguments . (value_argument . (string_literal . (string_content) @name .)) .)
    (annotated_lambda (lambda_literal (statements) @body)))) @definition.function
  (#any-of? @_call "it" "test" "should" "then" "Then" "scenario" "specify" "xit" "xtest" "xshould" "xthen"
    "xscenario")
  (#set! flag test))
((call_expression
  . (string_literal . (string_content) @name .)
  . (call_suffix . (annotated_lambda (lambda_literal (statements) @body)))) @definition.function
  (#set! flag test))

; What stands here is local.
((anonymous_initializer (statements) @body) (#set! scope function))
((getter (function_body) @body) (#set! scope function))
((setter (function_body) @body) (#set! scope function))
((lambda_literal) @body (#set! scope function))
((anonymous_function (function_body) @body) (#set! scope function))
((object_literal (class_body) @body) (#set! scope function))
((control_structure_body (statements) @body) (#set! scope function))

(multiline_comment) @doc
(line_comment) @doc
; The grammar takes an annotation with arguments that another one follows for a statement of a script; `mend` makes `!A` of others.
((source_file (prefix_expression ["!" (annotation)]) @doc) (#set! doc attribute))
