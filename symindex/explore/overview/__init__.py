"""A map of a tree: the symbols that matter most, by how other files refer to them."""
