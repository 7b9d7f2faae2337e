; A script is a class; `class_name` says by what name others know it.
((class_name_statement name: (name) @name) @definition.class (#set! extent rest))
(class_definition name: (name) @name) @definition.class
(signal_statement name: (name) @name) @definition.event
(enum_definition name: (name) @name) @definition.enum
(enumerator left: (identifier) @name) @definition.enumMember

(const_statement name: (name) @name) @definition.constant
(variable_statement name: (name) @name) @definition.variable
(variable_statement name: (name) @name setget: (setget) @body) @definition.property
(variable_statement name: (name) @name value: (lambda body: (body) @body)) @definition.function

((constructor_definition "_init" @name) @definition.constructor (#set! visibility exported))
(function_definition name: (name) @name) @definition.function
(lambda name: (name) @name) @definition.function

; What these declare is local.
((lambda body: (body) @body) (#set! scope function))
((get_body body: (body) @body) (#set! scope function))
((set_body body: (body) @body) (#set! scope function))

(comment) @doc
