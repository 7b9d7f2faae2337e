; Units and programs: names that others use, without members.
((unit . (kUnit) . (comment)* . (moduleName) @name . ";" @body) @definition.module (#set! body empty))
((program . (kProgram) . (comment)* . (moduleName) @name ";" @body) @definition.module (#set! body empty))
((library . (kLibrary) . (comment)* . (moduleName) @name . ";" @body) @definition.module (#set! body empty))

; Constants and variables, those of the implementation private.
(declConst name: (identifier) @name) @definition.constant
(declVar name: (identifier) @name) @definition.variable
((implementation (declConsts (declConst name: (identifier) @name) @definition.constant)) (#set! visibility private))
((implementation (declVars (declVar name: (identifier) @name) @definition.variable)) (#set! visibility private))

; Types: aliases, enumerations, classes, records. The signature ends before the first member; without any, before `end`.
(declType name: [(identifier) @name (genericTpl entity: (identifier) @name)]) @definition.type
(declType name: (identifier) @name type: (type (declEnum) @body)) @definition.enum
(declEnumValue name: (identifier) @name) @definition.enumMember
((declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] .)) @definition.class
  (#set! role declaration))
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] . (_) @body (kEnd) @body)) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] (typeref))) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] . (kEnd) @body)) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] ")" . (kEnd) @body)) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . [(kClass) (kObject)] ")" . (_) @body (kEnd) @body)) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . (kRecord) (kEnd) @body)) @definition.struct
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declClass . [(kPacked) (comment)]* . (kRecord) . (_) @body (kEnd) @body)) @definition.struct
(declType
  name: (identifier) @name type: (declHelper (kFor) . (_) . (_) @body (kEnd) @body)) @definition.class
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)] type: (declIntf)) @definition.interface
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declIntf . [(kInterface) (kDispInterface)] . (_) @body (kEnd) @body)) @definition.interface
(declType
  name: [(identifier) @name (genericTpl entity: (identifier) @name)]
  type: (declIntf ")" . (_) @body (kEnd) @body)) @definition.interface

; Members.
(declField name: (identifier) @name) @definition.field
(declVariant name: (identifier) @name (kOf) @body) @definition.field
(declProp name: (identifier) @name) @definition.property
; `property Kept;` makes one of the parent public, and is an error to the grammar.
(ERROR . (kProperty) . (identifier) @name .) @definition.property
((declSection [(kPrivate) (kProtected)] @name) (#set! visibility private))
((declSection [(kPublic) (kPublished)] @name) (#set! visibility exported))

; Headings of procedures: of an interface type, of one that is defined elsewhere, of one in a library.
((declProc name: [(identifier) @name (genericTpl entity: (identifier) @name)]) @definition.function (#set! role declaration))
((declProc name: (operatorName) @name) @definition.operator (#set! role declaration))
(declIntf (declProc name: [(identifier) @name (genericTpl entity: (identifier) @name)]) @definition.function)
(declProc name: (identifier) @name (procExternal)) @definition.function

; Procedures. Their variables and inner procedures precede the body.
(defProc header: (declProc name: [(identifier) @name (genericTpl entity: (identifier) @name)])) @definition.function
(defProc header: (declProc name: (identifier) @name) . (_) @body body: (block) @body) @definition.function
(defProc header: (declProc name: (operatorName) @name)) @definition.operator
(defProc header: (declProc name: (operatorName) @name) . (_) @body body: (block) @body) @definition.operator
(defProc
  header: (declProc
    name: (genericDot
      lhs: [(genericTpl entity: (identifier) @container) (identifier) @container (genericDot) @container]
      rhs: [(identifier) @name (genericTpl entity: (identifier) @name)])) . (_) @body) @definition.method
(defProc
  header: (declProc
    name: (genericDot
      lhs: [(genericTpl entity: (identifier) @container) (identifier) @container (genericDot) @container]
      rhs: [(identifier) @name (genericTpl entity: (identifier) @name)]))
  . (_) @body
  body: (block) @body) @definition.method

; Constructors, whatever their names.
((declProc (kConstructor) name: (identifier) @name) @definition.constructor (#set! role declaration))
(defProc
  header: (declProc
    (kConstructor)
    name: (genericDot
      lhs: [(genericTpl entity: (identifier) @container) (identifier) @container (genericDot) @container]
      rhs: (identifier) @name)) . (_) @body body: (block)? @body) @definition.constructor

(comment) @doc
