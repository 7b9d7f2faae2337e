; A namespace qualifies all that follows.
((namespace_statement (namespace) @name) @definition.namespace (#set! extent rest))

(service_statement (identifier) @name (node_object) @body) @definition.interface
(resource_statement (identifier) @name (node_object) @body) @definition.struct
((operation_statement (identifier) @name (operation_body) @body) @definition.function (#set! body empty))
(structure_statement (identifier) @name (shape_members) @body) @definition.struct
(union_statement (identifier) @name (shape_members) @body) @definition.struct
(enum_statement (identifier) @name (enum_members) @body) @definition.enum
(list_statement (identifier) @name (shape_members) @body) @definition.type
(map_statement (identifier) @name (shape_members) @body) @definition.type
(simple_shape_statement (identifier) @name) @definition.type

; The members of lists and maps are always called the same.
(structure_statement (shape_members (shape_member (field) @name) @definition.field))
(union_statement (shape_members (shape_member (field) @name) @definition.field))
(enum_member (enum_field) @name) @definition.enumMember
; What an operation takes and returns, where it is written there.
(operation_statement (identifier) @container
  (operation_body (operation_member (identifier) @container (inline_structure (shape_members) @body))))
(inline_structure (shape_members (shape_member (field) @name) @definition.field))

; Traits stand before.
(shape_statement (shape_body (_) @part)) @whole

(comment) @doc
