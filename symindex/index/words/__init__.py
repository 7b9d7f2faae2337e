"""Words of names, texts and paths, and the names that files mention: how an index finds parts of
names."""
