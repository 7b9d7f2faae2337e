"""One immutable index per package and content, shared by all projects of a user."""
