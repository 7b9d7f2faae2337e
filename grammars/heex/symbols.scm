; What links, styles and tests name. Components are called here, not defined.
((attribute . (attribute_name) @_name (quoted_attribute_value (attribute_value) @name)) @definition.key (#eq? @_name "id"))
((comment) @doc (#match? @doc "^(<!--|<%!--|<%#)"))
; Code in a template: what is put out is read piece by piece, what repeats or chooses parts is one program.
((expression_value) @source (#set! language elixir))
(directive [(partial_expression_value) (ending_expression_value)] @source (#set! language elixir) (#set! source joined))
