"""Searching before there is an index: finding the few files that can answer, and parsing only
those."""
