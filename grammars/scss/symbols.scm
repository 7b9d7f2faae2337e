; What rules are about: each class, id and placeholder that a selector names, and elements that stand alone. `&__title` goes by
; what follows the sign. A rule's range holds what is nested in it.
; What it takes over (`@extend .a`) is defined elsewhere.
(rule_set (selectors (tag_name) @name) (block) @body) @definition.key
((id_selector (id_name) @name) @definition.key (#set! place part))
((class_selector (class_name) @name) @definition.class (#set! place part))
((placeholder (identifier) @name) @definition.class (#set! place part))
(rule_set (selectors) @part (block) @body) @whole

; Variables of the file, custom properties. A variable in a rule is local to it.
(stylesheet (declaration (property_name) @name) @definition.variable)
((block (declaration (property_name) @name) @definition.variable)
  (#match? @name "^--"))

(mixin_statement name: (identifier) @name (block) @body) @definition.function
(function_statement name: (identifier) @name (block) @body) @definition.function
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.function

[(comment) (js_comment)] @doc
