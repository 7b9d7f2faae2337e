"""Texts that change: an edit buffer, and where two versions differ or agree."""
