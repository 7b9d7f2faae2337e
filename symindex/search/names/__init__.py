"""Ranks hits by their names: which of those that match come first."""
