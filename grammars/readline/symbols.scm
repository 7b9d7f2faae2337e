; Settings, and keys with what they do.
(variable_setting . (_) @name) @definition.key
(key_binding . (_) @name) @definition.key

(comment) @doc
