; A rule has no name. What it names: places to go to, devices, and variables of the environment.
(rule (assignment key: ["LABEL" "SYMLINK" "NAME"] (value (content) @name))) @definition.key
(rule (assignment key: "ENV" (env_var) @name)) @definition.variable

(comment) @doc
