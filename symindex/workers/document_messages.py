"""The messages to the process that stores open documents (`workers/document_job`), and its
answers."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from symindex.extract.records import FileSymbols, Symbol
from symindex.protocol.kinds import SymbolKind
from symindex.text.editing.edit_buffer import Encoding, Place


class DocumentsSetup(msgspec.Struct, array_like=True, frozen=True):
    """The setup of the job. languages: packed."""

    languages: bytes
    max_file_bytes: int
    encoding: Encoding


class Open(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Opens a document.

    path: determines the language and the flags, like the path of a file in a source tree. language:
    the editor's word for it, used if the path does not tell.
    """

    key: str
    path: str
    language: str
    text: bytes


class Change(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """One edit: replaces the text between two places, or all of it."""

    key: str
    start: Place | None
    end: Place | None
    text: bytes


class Close(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Closes a document."""

    key: str


class Ask(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Asks for the symbols of a document (answer: ParsedDocument), its text (bytes), or the name at
    a place (Word)."""

    key: str
    what: Literal["symbols", "text", "word"]
    place: Place = (0, 0)


Message = Open | Change | Close | Ask
"""An order is a list of these messages. Only the last one may be a question, and only questions are
answered."""


class SymbolPosition(NamedTuple):
    """The range of a symbol and of its name, in the editor's units. parent: the number of the
    enclosing symbol, or -1."""

    start: Place
    end: Place
    name_start: Place
    name_end: Place
    parent: int


class ParsedDocument(msgspec.Struct, array_like=True):
    """The symbols of a document, its sections and its items, with a position for each.

    spots: the positions of the symbols. described: those of the sections and items. is_prose:
    whether the document is in a format of documents or data (`extract/documents/formats`) rather
    than code.
    """

    file: FileSymbols
    spots: list[SymbolPosition]
    described: list[SymbolPosition] = []
    is_prose: bool = False

    @property
    def everything(self) -> Iterator[tuple[Symbol, SymbolPosition]]:
        """The symbols, followed by the sections and items."""
        yield from zip(self.file.symbols, self.spots, strict=True)
        yield from zip(self.file.documents, self.described, strict=True)

    @property
    def outline(self) -> list[tuple[Symbol, SymbolPosition]]:
        """The outline that an editor shows: the symbols of code; of prose the headings or, if there
        are none, the items whose names are in the text. `parent` is the number of a row of this
        list."""
        if not self.is_prose:
            return [*zip(self.file.symbols, self.spots, strict=True)]
        rows = [*zip(self.file.documents, self.described, strict=True)]
        chosen = [
            row_number for row_number, (row, _) in enumerate(rows) if row.kind is SymbolKind.SECTION
        ]
        chosen = chosen or [
            row_number for row_number, (row, _) in enumerate(rows) if row.name_end > row.name_start
        ]
        number_of = {row_number: number for number, row_number in enumerate(chosen)}
        return [
            (
                rows[row_number][0],
                rows[row_number][1]._replace(parent=number_of.get(rows[row_number][1].parent, -1)),
            )
            for row_number in chosen
        ]


class Word(msgspec.Struct, array_like=True, frozen=True):
    """The name at a place; empty if there is none.

    qualifiers: the names before it, such as `Auth` and `Service` in `Auth.Service.login`. start,
    end: the range of the name.
    """

    name: str
    qualifiers: list[str]
    start: Place
    end: Place
