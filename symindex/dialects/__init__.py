"""The tools of other systems. See `README.md`, and `dialects/dialect` for the types."""
