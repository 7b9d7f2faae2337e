(makefile (comment) @doc)

; Variables, also those of some targets (`debug: CFLAGS = -g`). What only lengthens one (`+=`) is no definition.
(variable_assignment name: (word) @name operator: ["=" ":=" "::=" "?="]) @definition.variable
(VPATH_assignment name: _ @name) @definition.variable
(shell_assignment name: (word) @name) @definition.variable
; With the words before the name.
(export_directive (variable_assignment name: (word) @name operator: ["=" ":=" "::=" "?="])) @definition.variable
(override_directive (variable_assignment name: (word) @name operator: ["=" ":=" "::=" "?="])) @definition.variable
(private_directive (variable_assignment name: (word) @name operator: ["=" ":=" "::=" "?="])) @definition.variable

; Macros of several lines.
(define_directive name: (word) @name) @definition.macro
(define_directive name: (word) @name value: (raw_text) @body) @definition.macro

; Targets. The prerequisites belong to the signature, the recipe does not.
(rule (targets (word) @name)) @definition.function
(rule (targets (word) @name) (recipe) @body) @definition.function
(rule target: (pattern_list (word) @name)) @definition.function
(rule target: (pattern_list (word) @name) (recipe) @body) @definition.function
; A comment behind the prerequisites is what `make help` commonly prints.
(rule (targets (word) @name) (comment) @body (recipe) @body) @definition.function
((rule (comment) @doc) (#set! doc body))
