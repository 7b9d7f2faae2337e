"""Reads languages from folders of text, caches them, and finds the language of a file."""
