"""Chunks of prose -> columns: which words stand in which chunk, and how often."""
