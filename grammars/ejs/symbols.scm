; All code of a template is one program, all text around it one page.
(directive (code) @source (#set! language javascript) (#set! source joined))
(output_directive (code) @source (#set! language javascript) (#set! source joined))
((content) @source (#set! language html) (#set! source joined))
(comment) @doc
