(assignment . (symbol) @name) @definition.variable
(provide_command (symbol) @name) @definition.variable
; Regions of memory, and headers of segments: all in one node.
(memory_command name: (symbol) @name @definition.struct)
(phdrs_command name: (symbol) @name @definition.struct)
(output_section name: (symbol) @name "{" @body "}" @body) @definition.module

(comment) @doc
