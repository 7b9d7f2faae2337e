"""Indexes of packages: one a package and its content, shared by all projects."""
