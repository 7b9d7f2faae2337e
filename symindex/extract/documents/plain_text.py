"""Plain text: no sections. All of it is the opening."""

from symindex.extract.documents.document import Document


def read(data: bytes, start: int = 0) -> Document:
    """The text as it is."""
    return Document([], data[start:].decode("utf-8", "replace").strip())
