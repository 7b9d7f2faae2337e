"""The readers of documents, by name. Each module is imported with the first document of its
format."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Final

from symindex.extract.documents.document import Document

READERS: Final = {
    "asciidoc": "symindex.extract.documents.asciidoc",
    "html": "symindex.extract.documents.html",
    "markdown": "symindex.extract.documents.markdown",
    "notebook": "symindex.extract.documents.notebook",
    "org": "symindex.extract.documents.org",
    "plain_text": __name__,
    "restructured": "symindex.extract.documents.restructured",
}
"""The module of each reader, which defines `read(data: bytes, start: int) -> Document`."""


def read_document(reader: str, data: bytes, start: int = 0) -> Document:
    """Returns the sections and the text of a file, whatever its bytes.

    data: as made by `file_text.to_utf8`. start: the start of the content, after front matter; all
    offsets are those of `data`.
    """
    return _reader_of(reader)(data, start)


@cache
def _reader_of(name: str) -> Callable[[bytes, int], Document]:
    read: Callable[[bytes, int], Document] = import_module(READERS[name]).read
    return read


def read(data: bytes, start: int) -> Document:
    """Reads plain text. It has no sections: all of it is the opening."""
    return Document([], data[start:].decode("utf-8", "replace").strip())
