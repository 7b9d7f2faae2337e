"""The query language: turns what was typed into a tree."""
