"""The query language: from what was typed to a tree."""
