"""Writes the symbols of a tree in the formats of other tools."""
