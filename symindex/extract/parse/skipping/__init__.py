"""Skips what cannot define a symbol: bodies of functions, patterns, and searches."""
