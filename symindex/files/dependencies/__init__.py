"""What a project depends on: the packages that are installed, found by the conventions of their ecosystems."""
