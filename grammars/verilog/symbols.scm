; Constants and macros.
((text_macro_definition (text_macro_name (text_macro_identifier) @name) (macro_text)? @body) @definition.macro
  (#set! place file))
(parameter_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @definition.constant
(local_parameter_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @definition.constant
(parameter_port_declaration (list_of_param_assignments (param_assignment (parameter_identifier) @name))) @definition.constant
; Without a keyword or a type: the first one, and those behind one with them, whose name the grammar takes for a type.
(parameter_port_list (list_of_param_assignments (param_assignment (parameter_identifier) @name) @definition.constant))
(parameter_port_declaration
  . (data_type . (simple_identifier) @name .)
  (list_of_param_assignments (param_assignment (parameter_identifier (MISSING))))) @definition.constant
(specparam_declaration
  (list_of_specparam_assignments (specparam_assignment (specparam_identifier) @name))) @definition.constant
(type_assignment . (simple_identifier) @name) @definition.type

; Variables, nets and instances; an event is known by its type.
(data_declaration
  (list_of_variable_decl_assignments (variable_decl_assignment . [(simple_identifier) (escaped_identifier)] @name))) @definition.variable
(data_declaration
  (data_type_or_implicit1 (data_type "event"))
  (list_of_variable_decl_assignments (variable_decl_assignment . [(simple_identifier) (escaped_identifier)] @name))) @definition.event
(class_property "const" (const_identifier) @name) @definition.constant
((class_property (data_declaration) @part) @whole (#set! header whole))
((class_method [(function_declaration) (task_declaration) (function_prototype) (task_prototype)] @part) @whole (#set! header whole))
(net_declaration (list_of_net_decl_assignments (net_decl_assignment . [(simple_identifier) (escaped_identifier)] @name))) @definition.variable
; What `repair` makes of a macro between declarations.
((net_declaration
  . (simple_identifier) @_type
  (list_of_net_decl_assignments (net_decl_assignment . [(simple_identifier) (escaped_identifier)] @name))) @definition.macro
  (#eq? @_type "_define")
  (#set! place file))
; The grammar cannot always tell a module from an interface here.
(module_instantiation
  (hierarchical_instance (name_of_instance (instance_identifier) @name))) @definition.variable
(interface_instantiation
  (hierarchical_instance (name_of_instance (instance_identifier) @name))) @definition.variable

; Ports.
(ansi_port_declaration (port_identifier) @name) @definition.property
(port_declaration (_ (list_of_port_identifiers (port_identifier) @name))) @definition.property
(port_declaration (_ (list_of_variable_port_identifiers (port_identifier) @name))) @definition.property
(port_declaration (_ (list_of_variable_identifiers [(simple_identifier) (escaped_identifier)] @name))) @definition.property

; Types. The one without a definition says that it comes later.
((type_declaration (simple_identifier) @name) @definition.type (#set! role declaration))
(type_declaration (data_type) (simple_identifier) @name) @definition.type
(type_declaration (data_type (struct_union) "{" @body "}" @body) (simple_identifier) @name) @definition.struct
(type_declaration (data_type "enum" "{" @body "}" @body) (simple_identifier) @name) @definition.enum
(struct_union_member
  (list_of_variable_decl_assignments (variable_decl_assignment . [(simple_identifier) (escaped_identifier)] @name))) @definition.field
(enum_name_declaration (enum_identifier) @name) @definition.enumMember

; Design elements: ports and parameters stand in the header.
((module_declaration "extern" (module_header (simple_identifier) @name)) @definition.module (#set! role declaration))
(module_declaration
  (module_header (simple_identifier) @name) . ";" @body "endmodule" @body) @definition.module
(module_declaration
  (module_header (simple_identifier) @name) (module_ansi_header) @header . ";" @body "endmodule" @body) @definition.module
(module_declaration
  (module_header (simple_identifier) @name) (module_nonansi_header) @header . ";" @body "endmodule" @body) @definition.module
; What a tool is told may stand before the semicolon.
(module_declaration
  (module_header (simple_identifier) @name)
  [(module_ansi_header) (module_nonansi_header)] @header . (comment) . ";" @body "endmodule" @body) @definition.module
(interface_declaration
  (interface_ansi_header (interface_identifier) @name ";" @body) @header "endinterface" @body) @definition.interface
(interface_declaration
  (interface_nonansi_header (interface_identifier) @name ";" @body) "endinterface" @body) @definition.interface
(program_declaration (program_ansi_header (program_identifier) @name ";" @body) @header "endprogram" @body) @definition.module
(package_declaration (package_identifier) @name . ";" @body "endpackage" @body) @definition.package
(udp_declaration (_ "primitive" . (simple_identifier) @name ";" @body)) @definition.module
(checker_declaration (checker_identifier) @name) @definition.module
(generate_block (generate_block_identifier) @name) @definition.namespace
(generate_block (generate_block_identifier) @name . (_) @body "end" @body) @definition.namespace

(class_declaration "class" . (class_identifier) @name ";" @body "endclass" @body) @definition.class
(class_declaration
  "class" . (class_identifier) @name (parameter_port_list) @header ";" @body "endclass" @body) @definition.class
(interface_class_declaration "class" . (class_identifier) @name . (_) @body "endclass" @body) @definition.interface
(class_constructor_declaration ["function" (class_scope)] . "new" @name ";" @body "endfunction" @body) @definition.constructor

; Functions and tasks, and those of a class that are written outside of it.
(function_declaration
  (function_body_declaration (function_identifier) @name ";" @body "endfunction" @body)) @definition.function
(function_declaration
  (function_body_declaration
    (interface_identifier) @container (function_identifier) @name ";" @body "endfunction" @body)) @definition.method
(task_declaration (task_body_declaration (task_identifier) @name ";" @body "endtask" @body)) @definition.function
(task_declaration
  (task_body_declaration
    (interface_identifier) @container (task_identifier) @name ";" @body "endtask" @body)) @definition.method
((function_prototype (function_identifier) @name) @definition.function (#set! role declaration))
((task_prototype (task_identifier) @name) @definition.function (#set! role declaration))
(let_declaration "let" . (simple_identifier) @name) @definition.function

; Verification.
(covergroup_declaration (covergroup_identifier) @name ";" @body "endgroup" @body) @definition.class
(property_declaration (property_identifier) @name (property_spec) @body) @definition.function
(sequence_declaration . "sequence" . (simple_identifier) @name (sequence_expr) @body) @definition.function
(concurrent_assertion_item . (simple_identifier) @name (_) @body) @definition.property
(constraint_declaration (constraint_identifier) @name (constraint_block) @body) @definition.property
(clocking_declaration (clocking_identifier) @name . (clocking_event) . ";" @body) @definition.namespace
(modport_item (modport_identifier) @name) @definition.interface

(comment) @doc
