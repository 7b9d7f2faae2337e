"""Content that the user added, and the texts of the tree."""
