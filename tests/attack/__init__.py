"""Attacks on symindex by its own authors: every one is contained, and told, or it is a fault. See
`README.md` beside this."""
