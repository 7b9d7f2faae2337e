"""The five systems' own tools. See `README.md`, and `dialects/dialect` for the types."""
