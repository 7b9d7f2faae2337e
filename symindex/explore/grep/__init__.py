"""Text in files: a literal or a regular expression, with the symbol that each hit stands in."""
