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

; Targets. The prerequisites belong to the signature, the recipe does not. A rule may have thousands of targets, so its recipe is found
; once for all. A comment behind the prerequisites is what `make help` commonly prints.
(rule . (targets (word) @name)) @definition.function
(rule . (targets) . target: (pattern_list (word) @name)) @definition.function
(rule . (targets) @part (recipe) @body .) @whole
(rule . (targets) . target: (pattern_list) @part (recipe) @body .) @whole
(rule . (targets) @part (comment) @body (recipe) .) @whole
(rule . (targets) . target: (pattern_list) @part (comment) @body (recipe) .) @whole
((rule (comment) @doc) (#set! doc body))
