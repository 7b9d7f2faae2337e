"""Search for text in files: a literal or a regular expression, with the symbol around each hit."""
