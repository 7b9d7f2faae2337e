"""Which files of a tree there are, and what has changed in it."""
