"""Matches a needle against names: one name, or a million at once."""
