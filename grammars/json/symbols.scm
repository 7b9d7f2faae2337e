; Keys to a depth of three: below it stand values, not names that anybody looks up. All begin with the document (see `query_root`), and
; the other patterns ask for a word (see `search_words`), so that nothing passes over the whole tree.
(document (object (pair key: (string (string_content) @name) value: (object)? @body) @definition.key))
(document (object (pair value: (object (pair key: (string (string_content) @name) value: (object)? @body) @definition.key))))
(document (object (pair value: (object (pair value: (object
  (pair key: (string (string_content) @name) value: (object)? @body) @definition.key))))))

; The operations of an API description (`paths`, a path, a method) go by their ids.
((pair value: (object (pair value: (object
  (pair key: (string (string_content) @_key) value: (string (string_content) @name)) @definition.object))))
  (#eq? @_key "operationId"))
((comment) @doc (#match? @doc "^/[/*]"))
