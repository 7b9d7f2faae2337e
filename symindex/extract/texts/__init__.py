"""Turns a file's bytes into the text that is parsed."""
