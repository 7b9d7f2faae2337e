; Nodes: with children a table, without a key. What `/-` comments out is none: such a node does not begin with its name, and what is in it
; counts as local.
((node . (identifier) @name) @definition.key (#set! local none))
((node . (type) . (identifier) @name) @definition.key (#set! local none))
((node . (identifier) @name (node_children) @body) @definition.object (#set! local none))
((node . (type) . (identifier) @name (node_children) @body) @definition.object (#set! local none))
((node . (node_comment) (node_children) @body) (#set! scope function))
((node (node_children (node_children_comment)) @body) (#set! scope function))

[(single_line_comment) (multi_line_comment)] @doc
