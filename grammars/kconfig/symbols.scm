; Options; the help text is their doc.
(config name: (name (symbol) @name)) @definition.variable
(config name: (name (symbol) @name) (help_text) @body) @definition.variable
(menuconfig name: (name (symbol) @name)) @definition.variable
(menuconfig name: (name (symbol) @name) (help_text) @body) @definition.variable
((choice name: (name (symbol) @name) . (_) @body) @definition.enum
  (#set! body empty))

; Menus by their titles. They qualify no names.
((menu name: (string (string_content) @name) . (_) @body) @definition.section
  (#set! body empty))
(mainmenu name: (string (string_content) @name)) @definition.section

(comment) @doc
((help_text) @doc (#set! doc body))
