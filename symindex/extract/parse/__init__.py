"""Bytes to syntax trees, and what queries find in these: the only room that knows tree-sitter."""
