"""Binds an expression to what it denotes, step by step."""
