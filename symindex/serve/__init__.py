"""Doors: they convert and call, and hold no logic."""
