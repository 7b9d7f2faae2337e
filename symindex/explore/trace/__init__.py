"""Stack traces and the like: which places of the workspace a program names when it fails."""
