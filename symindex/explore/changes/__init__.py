"""Changes since a commit: symbols, not lines."""
