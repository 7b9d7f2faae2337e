"""Texts, wildcards and regular expressions, and where they match."""
