"""Reads documents: turns bytes of prose into sections and plain text."""
