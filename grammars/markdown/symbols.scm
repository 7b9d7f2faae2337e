; Code in fences, each in its own language. Headings are sections: documents have a reader of their own.
(fenced_code_block (info_string (language) @language) (code_fence_content) @source)
