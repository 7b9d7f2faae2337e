"""Repairs a source that its grammar cannot read, and parses it again."""
