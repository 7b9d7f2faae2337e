"""Symbols to columns to a file: the immutable index, how it is built, and how it is stored."""
