; Rules of the grammar of sentences: intents, aliases and slots.
(intent_def (intent) @name (intent_body) @body) @definition.function
(alias_def (alias) @name (alias_body) @body) @definition.function
(slot_def (slot) @name (slot_body) @body) @definition.function

(comment) @doc
