; Classes, defined types, nodes. Names are written in full wherever they are used.
(class_definition
  . [(identifier) (class_identifier)] @name . [(comment) (ERROR)]* . (parameter_list)? @header (block) @body) @definition.class
(defined_resource_type
  . [(identifier) (class_identifier)] @name . [(comment) (ERROR)]* . (parameter_list)? @header (block) @body) @definition.class
(node_definition (node_name (_) @name) (block) @body) @definition.module
(function_declaration [(identifier) (class_identifier)] @name (block) @body) @definition.function
(type_declaration . "type" . [(identifier) (class_identifier)] @name) @definition.type

; The parameters of a class can be read and set from everywhere.
(class_definition
  . [(identifier) (class_identifier)] . [(comment) (ERROR)]*
  . (parameter_list (parameter
      . [(builtin_type) (composite_type) (array_type) (class_identifier) (identifier)]? . (variable) @name) @definition.property))
(defined_resource_type
  . [(identifier) (class_identifier)] . [(comment) (ERROR)]*
  . (parameter_list (parameter
      . [(builtin_type) (composite_type) (array_type) (class_identifier) (identifier)]? . (variable) @name) @definition.property))
(assignment . (variable) @name) @definition.variable

; Resources by their titles.
(resource_declaration title: (string . (string_content) @name .)) @definition.struct

(comment) @doc
