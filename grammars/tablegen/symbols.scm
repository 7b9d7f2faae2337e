(class name: (identifier) @name) @definition.class
(multiclass . (identifier) @name) @definition.class
(record_body (body_item (instruction (identifier) @name) @definition.field))

; Records. One without a name, or with one that is put together, cannot be looked up.
(def . (value . (identifier) @name .)) @definition.constant
(defm . (value . (identifier) @name .)) @definition.constant
(defset (identifier) @name) @definition.variable
(defvar . (identifier) @name) @definition.variable

[(comment) (multiline_comment)] @doc
