; Named expressions. The code around the blocks is nearly always C or C++.
(named_definition name: (name) @name) @definition.constant
((re2c (host_lang) @source) (#set! language cpp) (#set! source joined))
(comment) @doc
