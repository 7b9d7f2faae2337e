"""What is done with a source that a grammar cannot read."""
