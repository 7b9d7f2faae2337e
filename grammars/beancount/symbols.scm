; Headings; accounts and the like belong to the file.
(section headline: (headline item: (item) @name)) @definition.section
((open account: (account) @name) @definition.variable (#set! place file))
((open account: (account) @name (key_value) @body) @definition.variable (#set! place file))
((commodity currency: (currency) @name) @definition.type (#set! place file))
((commodity currency: (currency) @name (key_value) @body) @definition.type (#set! place file))
((event type: (string) @name) @definition.event (#set! place file))
((query name: (string) @name query: (_) @body) @definition.function (#set! place file))

(comment) @doc
