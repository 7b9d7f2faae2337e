"""Reads items: described files and parts of files, with their types and metadata."""
