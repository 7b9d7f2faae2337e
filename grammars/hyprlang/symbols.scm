; Variables, and the sections with their keys.
(declaration name: (variable) @name) @definition.variable
(section name: (name) @name "{" @body "}" @body) @definition.object
((section name: (name) @name device: (device_name) @name "{" @body "}" @body) @definition.object (#set! name span))
(assignment name: (name) @name) @definition.key

(comment) @doc
