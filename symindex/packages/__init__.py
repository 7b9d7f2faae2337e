"""What a project depends on: found, indexed once a version, searched as a space."""
