"""Many repositories as one thing to search; see README.md."""
