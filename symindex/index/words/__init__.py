"""Words of names, of texts and of paths, and the names that files mention: what an index knows
beside whole names."""
