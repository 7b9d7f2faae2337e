(elementdecl . (Name) @name) @definition.struct
(AttlistDecl . (Name) @container (AttDef . (Name) @name) @definition.field)
(PEDecl . (Name) @name) @definition.macro
(GEDecl . (Name) @name) @definition.constant
(NotationDecl . (Name) @name) @definition.type

(Comment) @doc
