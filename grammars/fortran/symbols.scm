; Units. A signature ends behind the first statement; `end` is the last child.
(module (module_statement (name) @name) . (_) @body .) @definition.module
(module (module_statement (name) @name) . (_) @body (_) @body .) @definition.module
(submodule (submodule_statement (name) @name .) . (_) @body .) @definition.module
(submodule (submodule_statement (name) @name .) . (_) @body (_) @body .) @definition.module
(program (program_statement (name) @name) . (_) @body .) @definition.module
(program (program_statement (name) @name) . (_) @body (_) @body .) @definition.module
(block_data (block_data_statement (name) @name) . (_) @body (_) @body .) @definition.module

; Procedures; those in an interface are defined elsewhere.
(subroutine (subroutine_statement name: (name) @name) . (_) @body .) @definition.function
(subroutine (subroutine_statement name: (name) @name) . (_) @body (_) @body .) @definition.function
(function (function_statement name: (name) @name) . (_) @body .) @definition.function
(function (function_statement name: (name) @name) . (_) @body (_) @body .) @definition.function
(module_procedure (module_procedure_statement name: (name) @name) . (_) @body .) @definition.function
(module_procedure (module_procedure_statement name: (name) @name) . (_) @body (_) @body .) @definition.function
((interface
  (subroutine (subroutine_statement name: (name) @name) . (_) @body (_)? @body .) @definition.function)
  (#set! role declaration))
((interface
  (function (function_statement name: (name) @name) . (_) @body (_)? @body .) @definition.function)
  (#set! role declaration))
(entry_statement name: (name) @name) @definition.function

; Names that stand for several procedures.
(interface (interface_statement [(name) (defined_io_procedure)] @name) . (_) @body (_) @body .) @definition.interface
(interface (interface_statement (_ [(operator_name) "="] @name)) . (_) @body (_) @body .) @definition.operator

; Types, with their members.
(derived_type_definition (derived_type_statement (type_name) @name) . (_) @body .) @definition.struct
(derived_type_definition (derived_type_statement (type_name) @name) . (_) @body (_) @body .) @definition.struct
(derived_type_definition
  (variable_declaration
    declarator: [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name)) (_ . (_ . (_ . (identifier) @name)))]) @definition.field)
(derived_type_procedures
  (procedure_statement
    (procedure_kind "procedure" .)
    declarator: [(method_name) @name (binding (binding_name (identifier) @name))]) @definition.method)
(derived_type_procedures
  (procedure_statement
    (procedure_kind "generic")
    declarator: (binding (binding_name [(identifier) @name (defined_io_procedure) @name (_ [(operator_name) "="] @name)]))) @definition.method)
(enumerator_statement declarator: [(identifier) @name (_ . (identifier) @name)]) @definition.enumMember

; Variables of modules and programs.
(module
  (variable_declaration
    declarator: [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name)) (_ . (_ . (_ . (identifier) @name)))]) @definition.variable)
(module
  (variable_declaration
    attribute: (type_qualifier "parameter")
    declarator: (_ . [(identifier) @name (_ . (identifier) @name)])) @definition.constant)
(submodule
  (variable_declaration
    declarator: [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name)) (_ . (_ . (_ . (identifier) @name)))]) @definition.variable)
(submodule
  (variable_declaration
    attribute: (type_qualifier "parameter")
    declarator: (_ . [(identifier) @name (_ . (identifier) @name)])) @definition.constant)
(program
  (program_statement)
  (variable_declaration
    declarator: [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name)) (_ . (_ . (_ . (identifier) @name)))]) @definition.variable)
(program
  (program_statement)
  (variable_declaration
    attribute: (type_qualifier "parameter")
    declarator: (_ . [(identifier) @name (_ . (identifier) @name)])) @definition.constant)
(namelist_statement (variable_group (name) @name)) @definition.variable
; A common block is shared by all that name it.
((common_statement (variable_group (name) @name)) @definition.struct (#set! place file))

; Macros.
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_) @body) @definition.macro

; `private` alone is said of all in the module, with names of these.
((private_statement "private" @name .) (#set! visibility private) (#set! scope container))
((private_statement (identifier) @name) (#set! visibility private) (#set! scope name))
((public_statement (identifier) @name) (#set! visibility exported) (#set! scope name))

(comment) @doc
