"""Changes in a tree that is followed."""
