"""Documents: bytes of prose to sections and plain text."""
