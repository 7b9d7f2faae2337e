(fn_define (function_header name: (global_var) @name) body: (_) @body) @definition.function
((fn_define (function_header (linkage (linkage_aux)) name: (global_var) @name) body: (_) @body) @definition.function
  (#set! visibility private))
((declare (function_header name: (global_var) @name)) @definition.function (#set! role declaration))
(global_type . (local_var) @name) @definition.struct
(global_global . (global_var) @name) @definition.variable
(global_global . (global_var) @name "constant") @definition.constant
(alias . (global_var) @name) @definition.variable

(comment) @doc
