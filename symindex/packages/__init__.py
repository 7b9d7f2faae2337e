"""The packages that a project depends on: found, indexed once per version, searched as one."""
