; Options; the help text is their doc.
[
  (config name: (name (symbol) @name) (help_text)? @body)
  (menuconfig name: (name (symbol) @name) (help_text)? @body)
] @definition.variable
; Choices by their names, or else by what they ask.
(choice name: (name (symbol) @name) . (_) @body "endchoice" @body) @definition.enum
(choice
  !name
  . [(input_prompt (string (string_content) @name)) (type_definition (string (string_content) @name))] @body
  "endchoice" @body) @definition.enum

; Menus by their titles.
(menu name: (string (string_content) @name) . (_) @body "endmenu" @body) @definition.section
(mainmenu name: (string (string_content) @name)) @definition.section

(comment) @doc
((help_text) @doc (#set! doc body))
