"""Stack traces and similar output: the places in the workspace that a failing program names."""
