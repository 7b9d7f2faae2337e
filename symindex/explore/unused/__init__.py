"""Symbols that nothing uses, as far as that can be believed."""
