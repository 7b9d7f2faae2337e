"""Texts that change: an edit buffer, and the range in which two versions differ."""
