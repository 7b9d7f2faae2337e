"""Decides which paths of a tree to leave out: by git's ignore rules, and by the user's
selection."""
