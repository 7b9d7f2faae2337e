"""Extracts the prose of a file in chunks: its documents, the items in it, and the text that its
code begins with.

The doc of a symbol is in the index already, so it is not read here.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from symindex.extract.described import items_of
from symindex.extract.documents.chunks import chunks_of
from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.leading_docs import leading_doc
from symindex.extract.items.front_matter import FrontMatter, read_front_matter
from symindex.extract.items.item import Value
from symindex.extract.languages.registry import Languages

DOCUMENT: Final = "document"
"""The type of a part that is not an item."""


class TextChunk(NamedTuple):
    """title: the headings above it. line: its first line in the file, 1-based. is_code: whether
    most of it is code. start, end: its range in the data of the file; empty if its text is not
    simply cut from it."""

    title: str
    text: str
    line: int
    is_code: bool
    start: int = 0
    end: int = 0


class TextPart(NamedTuple):
    """A file, or an item in it.

    type: the type of the item, or `document`. id: the id of the item; empty for a document. facts:
    its metadata.
    """

    type: str
    id: str
    facts: Mapping[str, Value]
    chunks: list[TextChunk]


def text_parts(path: str, data: bytes, languages: Languages, language: str) -> list[TextPart]:
    """Returns the parts of a file that contain text.

    path: relative to its root. data: in UTF-8. language: the id of its language or format in the
    index.
    """
    name = path.rpartition("/")[2]
    code = languages.code(language)
    items = items_of(path, data, languages.item_types)
    # A target may be most of a file of code, which has no other part that contains it.
    least = len(data.rstrip()) // 2 if code is None else len(data)
    file_item = next(
        (item for item in items if item.text and item.end_byte - item.start_byte >= least), None
    )
    is_document = code is None and bool(_reader_of(language, data))
    parts = []
    for item in items:
        if item is not file_item and not is_document:  # the sections of a document are its parts
            title, line = (
                str(item.fields.get("title", item.name)),
                data.count(b"\n", 0, item.start_byte),
            )
            own = data[item.start_byte : item.end_byte]
            chunks = _chunks(own, "", title, line, item.start_byte)
            parts.append(TextPart(item.type, item.id, item.fields, chunks))
    if code is None:
        file_format = load_formats().by_id.get(language)
        front = (
            read_front_matter(data)
            if file_format is not None and file_format.front_matter
            else FrontMatter({})
        )
        type_, id_, facts = (
            (file_item.type, file_item.id, file_item.fields)
            if file_item is not None
            else (DOCUMENT, "", front.fields)
        )
        title = str(facts.get("title", "")) or name
        line = data.count(b"\n", 0, front.end)
        chunks = _chunks(data[front.end :], language, title, line, front.end)
        parts.insert(0, TextPart(type_, id_, facts, chunks))
    elif (doc := leading_doc(data, code)) is not None:
        start, _, text = doc
        parts.insert(
            0,
            TextPart(
                DOCUMENT,
                "",
                {},
                _chunks(text.encode("utf-8", "replace"), "", name, data.count(b"\n", 0, start)),
            ),
        )
    return [part for part in parts if part.chunks]


def _reader_of(format_id: str, data: bytes) -> str:
    file_format = load_formats().by_id.get(format_id)
    return file_format.reader_of(data) if file_format is not None else ""


def _chunks(
    text: bytes, format_id: str, title: str, line: int, start: int | None = None
) -> list[TextChunk]:
    """Divides a text into chunks. title: for text without a heading. line: the first line of the
    text in the file, 0-based. start: where the text begins in the file, if it is cut from it."""
    return [
        TextChunk(
            chunk.title or title,
            text[chunk.start : chunk.end].decode("utf-8", "replace"),
            line + chunk.line + 1,
            chunk.is_code,
            *((start + chunk.start, start + chunk.end) if start is not None else ()),
        )
        for chunk in chunks_of(text, format_id)
    ]
