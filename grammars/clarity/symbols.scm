(trait_definition . "(" . "define-trait" . (identifier) @name . "(" @body ")" @body . ")" .) @definition.trait
(function_signature_for_trait . (identifier) @name) @definition.method

(constant_definition "define-constant" . (identifier) @name) @definition.constant
(variable_definition "define-data-var" . (identifier) @name) @definition.variable
; A map is a table; its columns may have names. Tokens are kinds of assets.
(mapping_definition "define-map" . (identifier) @name) @definition.struct
(fungible_token_definition "define-fungible-token" . (identifier) @name) @definition.type
(non_fungible_token_definition "define-non-fungible-token" . (identifier) @name) @definition.type

; The first form behind the signature begins the body.
(public_function (function_signature . (identifier) @name) . (_) @body) @definition.function
(read_only_function (function_signature . (identifier) @name) . (_) @body) @definition.function
((private_function (function_signature . (identifier) @name) . (_) @body) @definition.function (#set! visibility private))

(comment) @doc
