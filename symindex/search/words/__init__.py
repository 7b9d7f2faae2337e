"""Queries in words: which rows hold them, and how well each answers."""
