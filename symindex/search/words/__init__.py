"""Answers queries in words: finds the rows that contain them, and ranks these rows."""
