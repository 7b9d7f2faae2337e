"""A map of a source tree: the symbols that matter most, by references from other files."""
