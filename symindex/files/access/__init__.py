"""Opens files that somebody else may have written: only regular files of bounded size, and nothing
that leads out of a root."""
