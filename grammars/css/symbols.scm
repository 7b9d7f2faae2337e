; What rules are about: each class and id that a selector names, and elements that stand alone. A rule's range holds what is
; nested in it.
(rule_set . (selectors (tag_name) @name) (block) @body .) @definition.key
((id_selector (id_name) @name .) @definition.key (#set! place part))
((class_selector (class_name) @name .) @definition.class (#set! place part))
(rule_set . (selectors) @part (block) @body .) @whole

; Custom properties, wherever they are set, and their registration.
((declaration (property_name) @name) @definition.variable
  (#match? @name "^--"))
((at_rule (at_keyword) @_keyword (keyword_query) @name (block) @body) @definition.variable
  (#eq? @_keyword "@property"))

(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.function

(comment) @doc
