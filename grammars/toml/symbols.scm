; Tables and their keys. `[a.b]` and `a.b = 1` go by the last part, within the others. Patterns begin at the pair and not at what it
; stands in, as that would be looked at for each node in it; keys of inline tables are no names that anybody looks up.
((pair . [(bare_key) (quoted_key)] @name) @definition.key (#set! local none))
((pair . (dotted_key . (_) @container (_) @name .)) @definition.key (#set! local none))
((inline_table) @body (#set! scope function))
[
  (table . [(bare_key) (quoted_key)] @name "]" . (comment)* . (pair)? @body (_)? @body .)
  (table . (dotted_key . (_) @container (_) @name .) "]" . (comment)* . (pair)? @body (_)? @body .)
  (table_array_element . [(bare_key) (quoted_key)] @name "]]" . (comment)* . (pair)? @body (_)? @body .)
  (table_array_element . (dotted_key . (_) @container (_) @name .) "]]" . (comment)* . (pair)? @body (_)? @body .)
] @definition.object
(comment) @doc
