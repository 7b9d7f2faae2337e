"""Bytes to symbols: the language, the parse, and what each definition is."""
