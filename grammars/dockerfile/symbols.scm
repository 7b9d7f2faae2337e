; Stages, up to the next `FROM`: what they set ends with them.
((from_instruction "FROM" @name) @definition.module (#set! extent rest))
((from_instruction as: (image_alias) @name) @definition.module (#set! extent rest))

; What a build is given, and what it leaves in the environment.
(arg_instruction name: (unquoted_string) @name) @definition.variable
(env_pair name: (unquoted_string) @name) @definition.variable
(env_instruction . (env_pair name: (unquoted_string) @name) .) @definition.variable

(comment) @doc
