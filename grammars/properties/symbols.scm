(property (key) @name) @definition.key
(comment) @doc
