"""Code, documents and names as harmless HTML."""
