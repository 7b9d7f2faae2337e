"""Attacks by symindex's own authors. Each must be contained and reported; anything else is a fault.
See `README.md`."""
