"""Which paths of a tree are left out: by git's ignore rules, and by the user's choice."""
