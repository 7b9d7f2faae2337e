; Entries by their keys; the fields are no part of the signature. Abbreviations.
(entry key: (_) @name . "," @body) @definition.object
(string name: (identifier) @name) @definition.variable
