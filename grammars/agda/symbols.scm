; A module inside another encloses its members; that of the file ends with its own line.
(module (module_name) @name) @definition.module
(module (module_name) @name "where" . (_) @body (_)? @body .) @definition.module

; Types.
((data_signature (data_name) @name) @definition.type (#set! role declaration))
(data (data_name) @name) @definition.enum
(data (data_name) @name "where" . (_) @body (_)? @body .) @definition.enum
(record (record_name) @name (record_declarations_block) @body) @definition.struct
((record_signature (record_name) @name) @definition.type (#set! role declaration))
(record_constructor (id) @name) @definition.constructor
(fields (signature (field_name) @name) @definition.field)

; Functions and values are found by their types: equations do not say which of their words is the name, so each goes on with what
; stands before it. What has an arrow is a function.
((function (lhs . (_) @name)) @definition.function (#set! role clause))
(function (lhs (function_name (atom (qid) @name)))) @definition.variable
(function (lhs (function_name (atom (qid) @name))) (rhs (expr ["→" "->" (forall (expr ["→" "->"]))]))) @definition.function
((private (function (lhs (function_name (atom (qid) @name)))) @definition.variable) (#set! visibility private))
((private (function (lhs (function_name (atom (qid) @name))) (rhs (expr ["→" "->" (forall (expr ["→" "->"]))]))) @definition.function)
  (#set! visibility private))
(data (function (lhs (function_name (atom (qid) @name)))) @definition.enumMember)
(primitive (type_signature (field_name) @name) @definition.function)
(pattern . (id) @name) @definition.constructor
((where) @body (#set! scope function))

(comment) @doc
