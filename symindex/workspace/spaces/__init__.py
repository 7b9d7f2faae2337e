"""The other spaces of a project: the user's own roots, packages, and registries."""
