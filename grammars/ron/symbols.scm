; Fields and keys of data; what is nested in their values belongs to them.
(struct_entry . (identifier) @name) @definition.key
(struct_entry . (identifier) @name [(struct) (map) (tuple)] @body) @definition.object
(map_entry . [(string) (char)] @name) @definition.key
(map_entry . [(string) (char)] @name [(struct) (map) (tuple)] @body) @definition.object

[(line_comment) (block_comment)] @doc
