; A component's own parts are in other languages; what its markup names are snippets and ids.
(snippet_statement (snippet_start_expr (snippet_name) @name (raw_text_expr) @body)) @definition.function
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)) @definition.key (#eq? @_name "id"))

; Without a word JavaScript and CSS.
(script_element (raw_text) @source (#set! language javascript))
((script_element
  (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @language)))
  (raw_text) @source)
  (#eq? @_name "lang"))
(style_element (raw_text) @source (#set! language css))
((style_element
  (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @language)))
  (raw_text) @source)
  (#eq? @_name "lang"))
(comment) @doc
