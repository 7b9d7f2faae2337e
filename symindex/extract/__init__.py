"""Turns bytes into symbols: finds the language, parses the file, and describes each definition."""
