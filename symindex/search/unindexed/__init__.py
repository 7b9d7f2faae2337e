"""Searches before there is an index: finds the few files that can answer, and parses only those."""
