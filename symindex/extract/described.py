"""Makes rows of the prose of a file: its sections, its items, and the leading doc of a file of
code.

The text of a section or item is not stored. Its words go into the index, and a reader takes the
text from the file (`texts_of`). The heading or title is stored as signature, the description as
doc.
"""

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Final, NamedTuple

from symindex.extract.documents.code_share import is_mostly_code
from symindex.extract.documents.document import Document
from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.leading_docs import leading_doc
from symindex.extract.documents.nesting import heading_paths
from symindex.extract.documents.readers import read_document
from symindex.extract.items.item import BOUNDARY, Item, ItemFacts, Value
from symindex.extract.items.types import ItemTypes
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages
from symindex.extract.records import PackedSymbols, SymbolRow, pack_rows
from symindex.protocol.kinds import SymbolFlag, SymbolKind

LONGEST_DOC: Final = 1_000
LONGEST_SIGNATURE: Final = 200
"""Longest description and longest title, in characters: those of docs and signatures of
symbols."""

_UNTITLED: Final = "(untitled)"

_SECTION: Final = SymbolKind.SECTION.value
_ITEM: Final = SymbolKind.ITEM.value
_ODD_PLACE: Final = SymbolFlag.ODD_PLACE.value
_MOSTLY_CODE: Final = SymbolFlag.MOSTLY_CODE.value


class Described(NamedTuple):
    """The sections and items of a file. items: the items, by their number in `rows`."""

    rows: PackedSymbols
    items: list[tuple[int, ItemFacts]]


class RowText(NamedTuple):
    """The text of a section or an item. container, name, kind, name_row: as in its row, a
    `records.Symbol`."""

    container: str
    name: str
    kind: str
    name_row: int
    text: str


def describe(
    path: str,
    data: bytes,
    language: Language | None,
    format_id: str,
    types: ItemTypes,
    is_marked: bool = False,
) -> Described | None:
    """Returns the sections and items of a file; `None` if it has none. path: relative to the root
    of its space. format_id: of `documents/formats`, empty for code. is_marked: whether the file
    begins with a byte order mark, which is blanked in `data`."""
    return _read_rows(path, data, language, format_id, types, is_marked).described()


def texts_of(path: str, data: bytes, languages: Languages, language: str) -> list[RowText]:
    """Returns the texts of the sections and items of a file, in order. data: in UTF-8. language:
    the index's id for the language or format of the file."""
    format_id = language if language in load_formats().by_id else ""
    return _read_rows(
        path, data, languages.by_id.get(language), format_id, languages.item_types
    ).texts()


def _read_rows(
    path: str,
    data: bytes,
    language: Language | None,
    format_id: str,
    types: ItemTypes,
    is_marked: bool = False,
) -> "_ProseRows":
    item_type = types.match(path)
    metadata = load_formats().by_id.get(format_id)
    reader = metadata.reader_of(data) if metadata is not None else ""
    if language is not None and item_type is None and not reader:
        doc = None if language.is_data else leading_doc(data, language)
        rows = _ProseRows(
            data[: doc[1]] if doc is not None else b"", is_marked
        )  # lines after it need not be counted
        if doc is not None:
            rows.add_leading(path, *doc)
        return rows
    rows = _ProseRows(data, is_marked)
    from symindex.extract.items.front_matter import (
        FrontMatter,
        read_front_matter,
    )  # here, because most files of code do not need it
    from symindex.extract.items.read_items import read_items

    may_have_front = metadata is None or metadata.front_matter
    wants_front = language is None or (
        item_type is not None and "front_matter" in item_type.metadata
    )
    front = read_front_matter(data) if wants_front and may_have_front else FrontMatter({})
    document = read_document(reader, data, front.end) if reader else None
    if item_type is not None:
        for item in read_items(path, data, item_type, document, front):
            has_sections = document is not None and bool(document.sections)
            is_whole = has_sections and item.end_byte - item.start_byte == len(data)
            rows.add_item(item, item_type.weights, is_whole)
    if document is not None:
        rows.add_sections(document)
    elif (
        language is not None
        and not language.is_data
        and (doc := leading_doc(data, language)) is not None
    ):
        rows.add_leading(path, *doc)
    return rows


def items_of(path: str, data: bytes, types: ItemTypes) -> list[Item]:
    """Returns the items of a file alone, with their metadata. path: as for `describe`. data: in
    UTF-8."""
    item_type = types.match(path)
    if item_type is None:
        return []
    from symindex.extract.items.front_matter import read_front_matter  # here, as above
    from symindex.extract.items.read_items import read_items

    format_id = load_formats().of(path.rpartition("/")[2])
    reader = load_formats().by_id[format_id].reader_of(data) if format_id else ""
    front = read_front_matter(data)
    return read_items(
        path, data, item_type, read_document(reader, data, front.end) if reader else None, front
    )


class _ProseRows:
    """Rows under construction. A name gets the flag ODD_PLACE if the file spells it differently, or
    if characters beyond ASCII come before it on its line."""

    def __init__(self, data: bytes, is_marked: bool) -> None:
        self._data = data
        self._is_marked = is_marked
        self._size = len(data)
        self._rows: list[SymbolRow] = []
        self._contents: list[str] = []
        self._wholes: set[int] = set()
        self._items: list[tuple[int, ItemFacts]] = []

    def described(self) -> Described | None:
        if not self._rows:
            return None
        return Described(pack_rows(self._rows, self._contents, self._wholes), self._items)

    def texts(self) -> list[RowText]:
        return [
            RowText(container.replace("\0", ""), name.replace("\0", ""), kind, name_row, text)
            for (name, container, _, _, kind, _, _, _, _, _, _, _, name_row, _), text in zip(
                self._rows, self._contents, strict=True
            )
        ]

    @cached_property
    def _starts(self) -> list[int]:
        return [*accumulate((len(line) + 1 for line in self._data.split(b"\n")), initial=0)]

    def add_leading(self, path: str, start: int, end: int, text: str) -> None:
        first = text.strip().partition("\n")[0]
        self._add(
            path.rpartition("/")[2],
            "",
            first,
            text.strip(),
            _SECTION,
            start,
            end,
            start,
            start,
            text,
        )

    def add_sections(self, document: Document) -> None:
        """Adds a row for each section. The text before the first heading belongs to the first."""
        opening = f"{document.opening}\n{BOUNDARY}\n" if document.opening.strip() else ""
        for section, above in zip(document.sections, heading_paths(document.sections), strict=True):
            text, opening = opening + section.text, ""
            self._add(
                section.title,
                ".".join(above),
                section.heading,
                _first_line(section.text),
                _SECTION,
                section.start_byte,
                section.end_byte,
                section.title_start,
                section.title_end,
                text,
            )

    def add_item(self, item: Item, weights: dict[str, float], is_whole: bool) -> None:
        """Adds a row for an item. is_whole: whether it is a document with sections, which are added
        as well."""
        self._items.append((len(self._rows), ItemFacts(item.type, item.id, item.fields, weights)))
        text = [_text(item.fields.get(name)) for name in ("category", "title", "description")]
        self._add(
            item.name,
            text[0],
            text[1],
            text[2],
            _ITEM,
            item.start_byte,
            item.end_byte,
            item.name_start,
            item.name_end,
            item.text,
            is_whole,
        )

    def _add(
        self,
        name: str,
        container: str,
        signature: str,
        doc: str,
        kind: str,
        start: int,
        end: int,
        name_start: int,
        name_end: int,
        text: str,
        is_whole: bool = False,
    ) -> None:
        name_row = self._line(name_start)
        # A title differs from the file's text if the heading contains markup or escapes.
        is_plain = (
            self._data[name_start:name_end] == name.encode()
            and self._data[self._starts[name_row] : name_start].isascii()
        )
        flags = (
            0 if is_plain and name_row >= self._is_marked else _ODD_PLACE
        )  # the first line has blanks instead of the mark
        if is_whole:
            self._wholes.add(len(self._rows))
        elif is_mostly_code(text):
            flags |= _MOSTLY_CODE
        texts = (
            _cut(_one_line(signature), LONGEST_SIGNATURE),
            _cut(_one_line(doc), LONGEST_DOC),
        )
        rows = self._line(start), self._line(max(start, end - 1))
        place = name_start, name_end, name_row, name_start - self._starts[name_row]
        self._rows.append(
            (name or _UNTITLED, container, *texts, kind, flags, start, end, *rows, *place)
        )
        self._contents.append(text)

    def _line(self, byte: int) -> int:
        return bisect_right(self._starts, min(byte, self._size)) - 1


def _first_line(text: str) -> str:
    """Returns the first line with text."""
    return next(
        (line.strip() for line in text.splitlines() if any(letter.isalnum() for letter in line)), ""
    )


def _text(value: Value | None) -> str:
    return (
        ""
        if value is None
        else ", ".join(map(str, value))
        if isinstance(value, list)
        else str(value)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
