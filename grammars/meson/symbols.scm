; Variables: the first assignment of a name.
(operatorunit . (identifier) @name "=") @definition.variable

; Targets by their own names, options, tests, the project.
((normal_command
  command: (identifier) @_command . (variableunit . (string) @name .)) @definition.function
  (#any-of? @_command "executable" "library" "shared_library" "static_library" "both_libraries" "shared_module" "build_target" "jar"
    "custom_target" "run_target" "alias_target"))
((normal_command
  command: (identifier) @_command . (variableunit . (string) @name .)) @definition.variable
  (#eq? @_command "option"))
((normal_command
  command: (identifier) @_command . (variableunit . (string) @name .)) @definition.function
  (#any-of? @_command "test" "benchmark")
  (#set! flag test))
((normal_command
  command: (identifier) @_command . (variableunit . (string) @name .)) @definition.module
  (#eq? @_command "project"))

(comment) @doc
