"""Which paths a tree leaves out: git's ignore rules, and what a user has chosen."""
