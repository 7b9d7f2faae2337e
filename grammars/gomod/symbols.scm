; What the file defines is the module; all else names other modules.
(module_directive (module_path) @name) @definition.module

(comment) @doc
