"""Answers about code after a search: one symbol, outlines, references, relations, text, changes."""
