"""One immutable index a package and version, shared by all projects."""
