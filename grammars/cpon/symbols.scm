(pair key: (string (string_content) @name)) @definition.key
(pair key: (string (string_content) @name) value: (map) @body) @definition.object

(comment) @doc
