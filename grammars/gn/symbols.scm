; Targets and configurations: a call with a name, and the block behind it. Which functions make targets, templates decide.
((primary_expression (call_expression . function: (identifier) . (primary_expression (string (string_content) @name)) .)) @definition.function
  . (primary_expression (block) @body))
((primary_expression (call_expression . function: (identifier) @_call . (primary_expression (string (string_content) @name)) .)) @definition.macro
  . (primary_expression (block) @body)
  (#eq? @_call "template"))

; Variables of the file and arguments of the build.
(assignment_statement . (identifier) @name "=") @definition.variable

(comment) @doc
