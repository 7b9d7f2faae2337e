"""Notes of people and agents."""
