; Keys to a depth of three (see `query_depth`): below it stand values, not names that anybody looks up.
(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node)? @body) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node)? @body) @definition.key))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (flow_node) @name value: (block_node)? @body) @definition.key)))))))))

; A document of Kubernetes goes by `metadata.name`; its signature is its kind. The keys stand side by side, or with one between
; them: to look for them anywhere takes the cube of their number.
((block_mapping
  (block_mapping_pair key: (flow_node) @_kind value: (flow_node)) @definition.object
  . (block_mapping_pair
    key: (flow_node) @_metadata
    value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @_name value: (flow_node) @name))))) @definition.object
  (#eq? @_kind "kind")
  (#eq? @_metadata "metadata")
  (#eq? @_name "name")
  (#set! body none)
  (#set! place file))
((block_mapping
  (block_mapping_pair key: (flow_node) @_kind value: (flow_node)) @definition.object
  . (block_mapping_pair)
  . (block_mapping_pair
    key: (flow_node) @_metadata
    value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @_name value: (flow_node) @name))))) @definition.object
  (#eq? @_kind "kind")
  (#eq? @_metadata "metadata")
  (#eq? @_name "name")
  (#set! body none)
  (#set! place file))
; The operations of an API description (`paths`, a path, a method) go by their ids, tasks and plays by their names.
((block_mapping_pair value: (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @_key value: (flow_node) @name) @definition.object)))))) (#eq? @_key "operationId"))
((document (block_node (block_sequence (block_sequence_item (block_node (block_mapping
  . (block_mapping_pair key: (flow_node) @_key value: (flow_node) @name))))  @definition.object))) (#eq? @_key "name"))
((block_mapping_pair value: (block_node (block_sequence (block_sequence_item (block_node (block_mapping
  . (block_mapping_pair key: (flow_node) @_key value: (flow_node) @name))))  @definition.object))) (#eq? @_key "name"))
(comment) @doc
