"""Writes answers for a terminal."""
