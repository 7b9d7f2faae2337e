"""Content that the user added, and the text of the source tree."""
