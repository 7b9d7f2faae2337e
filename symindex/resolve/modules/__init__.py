"""Which files and symbols the names of modules, packages and imports lead to."""
