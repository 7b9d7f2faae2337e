; A module qualifies the names of the whole file.
((module_attribute name: (atom) @name) @definition.module (#set! extent rest))

(pp_define lhs: (macro_lhs name: [(var) (atom)] @name)) @definition.macro
(record_decl name: (atom) @name "{" @body "}" @body) @definition.struct
((record_decl fields: (record_field name: (atom) @name) @definition.field) (#set! visibility container))
(type_alias name: (type_name name: (atom) @name)) @definition.type
(opaque name: (type_name name: (atom) @name)) @definition.type
(nominal name: (type_name name: (atom) @name)) @definition.type
((callback fun: (atom) @name) @definition.method (#set! visibility exported))

; Each clause is a form.
(fun_decl clause: (function_clause name: (atom) @name body: (_) @body)) @definition.function

; What is exported.
((export_attribute funs: (fa fun: (atom) @name)) (#set! visibility exported) (#set! scope name))
((export_type_attribute types: (fa fun: (atom) @name)) (#set! visibility exported) (#set! scope name))
((compile_options_attribute options: [(atom) @name (list (atom) @name)])
  (#any-of? @name "export_all" "nowarn_export_all")
  (#set! visibility exported)
  (#set! scope container))

(comment) @doc
((spec) @doc (#set! doc attribute))
((wild_attribute name: (attr_name name: (atom) @_name)) @doc (#eq? @_name "doc"))
