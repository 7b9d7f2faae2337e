; Nodes: with children a table, without a key. One that `/-` comments out does not begin with its name.
(node . (identifier) @name) @definition.key
(node . (identifier) @name (node_children) @body) @definition.object

[(single_line_comment) (multi_line_comment)] @doc
