; Blocks that other templates override, macros that they call, and what is set for the whole page.
((tag_statement (tag) @_tag . (variable) @name) @definition.function (#eq? @_tag "block"))
(macro_statement (method) @name (parameters)) @definition.function
(assignment_statement . (keyword) . (variable) @name) @definition.variable
((content) @source (#set! language html) (#set! source joined))
(comment) @doc
