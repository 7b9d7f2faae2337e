; Design units. Both halves of a package have its name.
(entity_declaration name: (identifier) @name . (comment)* . "is" @body "end" @body) @definition.module
; An architecture belongs to its entity.
(architecture_body
  name: (identifier) @name
  entity: [(simple_name) @container (selected_name suffix: (_) @container)]
  . (comment)* . "is" @body "end" @body) @definition.module
(package_declaration name: (identifier) @name . (comment)* . "is" @body "end" @body) @definition.module
(package_body package: (_) @name . (comment)* . "is" @body "end" @body) @definition.module
(package_instantiation_declaration name: (identifier) @name) @definition.module
(configuration_declaration name: (identifier) @name "is" @body) @definition.module
(context_declaration name: (identifier) @name "is" @body) @definition.module

; A component repeats an entity that is defined elsewhere.
((component_declaration name: (identifier) @name (component_header) @body) @definition.module (#set! role declaration))

; Ports and generics; the same nodes are parameters of functions.
(port_clause (signal_interface_declaration (identifier_list (identifier) @name)) @definition.property)
(generic_clause (constant_interface_declaration (identifier_list (identifier) @name)) @definition.constant)

; Types.
(full_type_declaration name: (identifier) @name) @definition.type
(full_type_declaration
  name: (identifier) @name (record_type_definition "record" @body "end" @body)) @definition.struct
(full_type_declaration name: (identifier) @name (enumeration_type_definition) @body) @definition.enum
(full_type_declaration
  name: (identifier) @name (protected_type_declaration "protected" @body "end" @body)) @definition.class
(full_type_declaration
  name: (identifier) @name (protected_type_body "protected" @body "end" @body)) @definition.class
((incomplete_type_declaration name: (identifier) @name) @definition.type (#set! role declaration))
(enumeration_type_definition literal: (identifier) @name @definition.enumMember)
(element_declaration (identifier_list (identifier) @name)) @definition.field
(subtype_declaration name: (identifier) @name) @definition.type

; Objects.
(constant_declaration (identifier_list (identifier) @name)) @definition.constant
(signal_declaration (identifier_list (identifier) @name)) @definition.variable
(variable_declaration (identifier_list (identifier) @name)) @definition.variable
(shared_variable_declaration (identifier_list (identifier) @name)) @definition.variable
(file_declaration (identifier_list (identifier) @name)) @definition.variable
(alias_declaration designator: (identifier) @name) @definition.variable
(attribute_declaration name: (identifier) @name) @definition.property

; Functions and procedures; without a body they are declared in a package.
((function_declaration designator: (_) @name) @definition.function (#set! role declaration))
((procedure_declaration designator: (_) @name) @definition.function (#set! role declaration))
(function_body
  designator: (identifier) @name . [(subprogram_header) (function_parameter_clause) (comment) (ERROR)]*
  . (return) . (comment)* . "is" @body "end" @body) @definition.function
(function_body
  designator: (operator_symbol) @name . [(function_parameter_clause) (comment) (ERROR)]*
  . (return) . (comment)* . "is" @body "end" @body) @definition.operator
(procedure_body
  designator: (_) @name . [(subprogram_header) (procedure_parameter_clause) (comment) (ERROR)]*
  . "is" @body "end" @body) @definition.function

; Labelled statements: a process is code, an instance is a part, the others enclose declarations.
(process_statement (label (identifier) @name) "begin" @body "end" @body) @definition.function
(process_statement (label (identifier) @name) (declarative_part) @body "end" @body) @definition.function
; What a process declares is local, with a name or without.
((process_statement (declarative_part) @body) (#set! scope function))
(component_instantiation_statement (label (identifier) @name) (component_map_aspect)? @body) @definition.variable
(block_statement (label (identifier) @name) "block" @body "end" @body) @definition.namespace
(for_generate_statement (label (identifier) @name) "generate" @body "end" @body) @definition.namespace
(if_generate_statement (label (identifier) @name) (if_generate) @body "end" @body) @definition.namespace
(case_generate_statement (label (identifier) @name) "generate" @body "end" @body) @definition.namespace

(comment) @doc
