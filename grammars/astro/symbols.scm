; A component's own parts are in other languages: the frontmatter and its scripts are TypeScript.
((attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)) @definition.key (#eq? @_name "id"))
(frontmatter (frontmatter_js_block) @source (#set! language typescript))
(script_element (raw_text) @source (#set! language typescript))
(style_element (raw_text) @source (#set! language css))
((style_element
  (start_tag (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @language)))
  (raw_text) @source)
  (#eq? @_name "lang"))
(comment) @doc
