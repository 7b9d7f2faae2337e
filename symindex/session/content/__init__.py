"""Content that a person or an agent has added by hand: kept, kept fresh, and searched."""
