"""A search for chunks of text."""
