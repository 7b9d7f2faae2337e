; A component's own parts are in other languages; what its template names is by `id` and `ref`.
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)) @definition.key (#any-of? @_name "id" "ref"))

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
