; Classes; the grammar does not say what their members are called.
(class_stmt_class (class_name (class_name_body) @name)) @definition.class
(class_stmt_class (class_name (class_name_body) @name) "{" @body "}" @body) @definition.class

(er_stmt_entity_block (er_entity_name) @name (er_stmt_entity_block_inner) @body) @definition.struct
(er_attribute (er_attribute_name) @name) @definition.field

; Nodes of a flowchart that have a text, what takes part in a sequence, states that are declared.
(flow_vertex (flow_vertex_id) @name . (_)) @definition.variable
(sequence_stmt_participant (sequence_actor) @name) @definition.variable
(state_stmt_simple (state_name) @name) @definition.variable
(state_stmt_simple (state_alias (state_id) @name)) @definition.variable
(state_stmt_annotation (state_name) @name) @definition.variable

; What encloses others. A subgraph without an id goes by its title.
(flow_stmt_subgraph "subgraph" . [(flow_vertex_id) (flow_vertex_text)] @name (flow_stmt_subgraph_inner) @body) @definition.namespace
(state_stmt_composite (state_name) @name (state_composite_body) @body) @definition.namespace

(comment) @doc
