; Rules; a label is a field of the node that its rule describes.
(node (definition) @name) @definition.function
(comment) @doc
