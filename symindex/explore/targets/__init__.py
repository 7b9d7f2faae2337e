"""Finds the symbols that a text means: a name, an id, a place."""
