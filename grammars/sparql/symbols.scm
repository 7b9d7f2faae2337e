; Prefixes, by which names are written, and what a query gives.
(prefix_declaration (namespace (pn_prefix) @name)) @definition.namespace
(select_clause bound_variable: (var) @name @definition.variable)

(comment) @doc
