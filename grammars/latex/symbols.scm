; Headings. The grammar puts what follows into them: the first and the last of it are the body.
((_ text: (curly_group (_)+ @name)) @definition.section (#set! name span))
((_ text: (curly_group (_)+ @name) . (_) @body .) @definition.section (#set! name span))
((_ text: (curly_group (_)+ @name) . (_) @body (_) @body .) @definition.section (#set! name span))

; Macros, operators and environments.
(new_command_definition
  declaration: [(command_name) @name (curly_group_command_name (command_name) @name)]) @definition.macro
(old_command_definition declaration: (command_name) @name) @definition.macro
(let_command_definition declaration: (command_name) @name) @definition.macro
(environment_definition name: (curly_group_text (text) @name)) @definition.class
(theorem_definition name: (curly_group_text_list (text) @name)) @definition.class
(counter_declaration counter: (curly_group_word (word) @name)) @definition.variable

; What texts refer to.
(label_definition name: (curly_group_label (label) @name)) @definition.key
(glossary_entry_definition name: (curly_group_text (text) @name)) @definition.key
(acronym_definition name: (curly_group_text (text) @name)) @definition.key
((generic_command command: (command_name) @_command arg: (curly_group . (text) @name .)) @definition.key
  (#eq? @_command "\\bibitem"))
((generic_command command: (command_name) @_command arg: (curly_group (_)+ @name "}")) @definition.section
  (#any-of? @_command "\\frametitle" "\\addchap" "\\addsec")
  (#set! name span))

(line_comment) @doc
