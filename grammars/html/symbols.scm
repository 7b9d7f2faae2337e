; What a link, a style or a script names: ids and anchors. Headings are sections (documents have a reader of their own).
((attribute
  (attribute_name) @_name
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]) @definition.key
  (#any-of? @_name "id" "ID" "Id"))
((element
  (start_tag
    (tag_name) @_tag
    (attribute
      (attribute_name) @_name
      [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]) @definition.key))
  (#any-of? @_tag "a" "A")
  (#any-of? @_name "name" "NAME"))
((element (start_tag (tag_name) @name)) @definition.object
  (#any-of? @name "main" "nav" "header" "footer" "aside" "search"))

; Without a word JavaScript and CSS. A few words tell where their tags begin, whatever the case of the letters.
((script_element (start_tag) @_tag (raw_text) @source)
  (#match? @_tag "^<(S|s[cC])")
  (#set! language javascript))
((script_element
  (start_tag (attribute
    (attribute_name) @_name
    [(attribute_value) @language (quoted_attribute_value (attribute_value) @language)]))
  (raw_text) @source)
  (#any-of? @_name "type" "lang"))
((style_element (start_tag) @_tag (raw_text) @source)
  (#match? @_tag "^<(S|s[tT])")
  (#set! language css))
((comment) @doc (#match? @doc "^<!--"))
