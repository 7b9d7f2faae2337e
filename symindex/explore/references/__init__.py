"""Where a name is used, and which symbol each use may mean."""
