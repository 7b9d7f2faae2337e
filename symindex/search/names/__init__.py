"""Which names come first."""
