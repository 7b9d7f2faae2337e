; Functions.
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @definition.function
; A function that returns a type makes one: what stands in it is not local.
((Decl (FnProto function: (IDENTIFIER) @name (ErrorUnionExpr) @_type) (Block) @body) @definition.struct
  (#eq? @_type "type"))

; Values. An import is none.
(Decl (VarDecl "var" variable_type_function: (IDENTIFIER) @name)) @definition.variable
((Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name)) @definition.constant
  (#not-match? @definition.constant "^const [^=\n]*= @import"))

; Types are values; a local one is found, too. A union with tags is an enum.
(VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr
    . (ContainerDecl . (ContainerDeclType) . (line_comment)* . "{" @body "}" @body)))) @definition.struct
(VarDecl
  variable_type_function: (IDENTIFIER) @name
  (ErrorUnionExpr (SuffixExpr . [
    (ContainerDecl . (ContainerDeclType "enum") . (line_comment)* . "{" @body "}" @body)
    (ErrorSetDecl "{" @body "}" @body)
  ]))) @definition.enum

; Members. One without a type is a tag.
((ContainerField field_member: (IDENTIFIER) @name) @definition.field (#set! visibility container))
((ContainerDecl . (ContainerDeclType "enum")
  (ContainerField . (doc_comment)* . (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @name))) @definition.enumMember)
  (#set! visibility container))
((ErrorSetDecl field_constant: (IDENTIFIER) @name @definition.enumMember) (#set! visibility container))

; `pub` stands beside the declaration: it counts up to the body or the end of that.
("pub" @name (#set! visibility exported))
((FnProto (ParamDeclList) @name) (#set! visibility private))
((Decl ";" @name) (#set! visibility private))
((Decl (VarDecl ";" @name)) (#set! visibility private))

((TestDecl [(STRINGLITERALSINGLE) (IDENTIFIER)] @name (Block) @body) @definition.function (#set! flag test))
((ComptimeDecl (Block) @body) (#set! scope function))

[(doc_comment) (container_doc_comment) (line_comment)] @doc
