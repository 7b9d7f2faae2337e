; What links, styles and tests name. Components are called here, not defined.
((attribute . (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)) @definition.key (#eq? @_name "id"))
((comment) @doc (#match? @doc "^(<!--|<%!--|<%#)"))
