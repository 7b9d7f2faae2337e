; A package qualifies all that follows.
((package (full_ident) @name) @definition.namespace (#set! extent rest))

(message (message_name) @name (message_body) @body) @definition.struct
; An extension is a name of the place where it is declared, not of what it extends.
(field (identifier) @name ";" @body) @definition.field
(map_field (identifier) @name ";" @body) @definition.field
(oneof (identifier) @name "{" @body "}" @body) @definition.field
(oneof_field (identifier) @name) @definition.field

(enum (enum_name) @name (enum_body) @body) @definition.enum
(enum_field (identifier) @name ";" @body) @definition.enumMember

(service (service_name) @name "{" @body "}" @body) @definition.interface
(rpc (rpc_name) @name) @definition.function
((rpc (rpc_name) @name (option (identifier) @_option)) @definition.function
  (#eq? @_option "deprecated") (#set! flag deprecated))
((message (message_name) @name (message_body (option (identifier) @_option)) @body) @definition.struct
  (#eq? @_option "deprecated") (#set! flag deprecated))

(comment) @doc
