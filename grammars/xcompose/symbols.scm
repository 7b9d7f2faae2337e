; What is defined is a sequence of keys.
((sequence . (event) @name (event)? @name . ":") @definition.key (#set! name span))

(comment) @doc
