; A package qualifies what is in its file: `data.app.rbac.allow`.
(module (package) . (ref) @name . (policy) @body) @definition.namespace
(module (package) . (ref) @name . [(import) (comment)] @body (policy) @body) @definition.namespace

; Rules and functions: the first clause. A name with a value and no condition is a constant value.
(rule (rule_head . (var) @name) . (rule_body) @body) @definition.function
(rule . (rule_head . (var) @name .) (rule_body . (assignment))) @definition.variable
(rule (default) (rule_head . (var) @name)) @definition.function

(comment) @doc
