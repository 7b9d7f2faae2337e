"""The words of chunks as columns."""
