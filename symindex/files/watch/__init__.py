"""What changes in a tree while somebody follows it."""
