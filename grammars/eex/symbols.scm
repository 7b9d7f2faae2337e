; The code of a template is one program, the text around it one page. What is put out is read piece by piece: joined, `@a` would take
; what comes next for its value.
(directive (code) @source (#set! language elixir) (#set! source joined))
(output_directive (code) @source (#set! language elixir))
((content) @source (#set! language html) (#set! source joined))
(comment) @doc
