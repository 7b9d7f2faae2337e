"""Finds the files of a source tree and reports their changes."""
