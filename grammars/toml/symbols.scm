; Tables and their keys. `[a.b]` and `a.b = 1` go by the last part, within the others.
(document (pair [(bare_key) (quoted_key)] @name) @definition.key)
(document (pair (dotted_key (_) @container (_) @name .)) @definition.key)
[
  (table [(bare_key) (quoted_key)] @name)
  (table (dotted_key (_) @container (_) @name .))
  (table_array_element [(bare_key) (quoted_key)] @name)
  (table_array_element (dotted_key (_) @container (_) @name .))
] @definition.object
[
  (table [(bare_key) (quoted_key)] @name "]" . (comment)* . (pair) @body (_)? @body .)
  (table (dotted_key (_) @container (_) @name .) "]" . (comment)* . (pair) @body (_)? @body .)
  (table_array_element [(bare_key) (quoted_key)] @name "]]" . (comment)* . (pair) @body (_)? @body .)
  (table_array_element (dotted_key (_) @container (_) @name .) "]]" . (comment)* . (pair) @body (_)? @body .)
] @definition.object
([(table (pair [(bare_key) (quoted_key)] @name) @definition.key)
  (table_array_element (pair [(bare_key) (quoted_key)] @name) @definition.key)])
([(table (pair (dotted_key (_) @container (_) @name .)) @definition.key)
  (table_array_element (pair (dotted_key (_) @container (_) @name .)) @definition.key)])
(comment) @doc
