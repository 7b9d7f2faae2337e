"""The messages to the process that holds open documents (`workers/document_job`), and its
answers."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from symindex.extract.records import FileSymbols, Symbol
from symindex.protocol.kinds import SymbolKind
from symindex.text.editing.edit_buffer import Encoding, Place


class DocumentsSetup(msgspec.Struct, array_like=True, frozen=True):
    """The job's setup. languages: packed."""

    languages: bytes
    max_file_bytes: int
    encoding: Encoding


class Open(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Opens a document. path: gives its language and flags, like that of a file of a tree.
    language: the editor's word for it, where the path gives none."""

    key: str
    path: str
    language: str
    text: bytes


class Change(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """One edit: the text that replaces what is between two places, or everything."""

    key: str
    start: Place | None
    end: Place | None
    text: bytes


class Close(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Closes a document."""

    key: str


class Ask(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Asks for the symbols of a document: Seen; its text: bytes; or the name at a place: Word."""

    key: str
    what: Literal["symbols", "text", "word"]
    place: Place = (0, 0)


Message = Open | Change | Close | Ask
"""An order is a list of these, of which the last may be a question. Only questions are answered."""


class SymbolPosition(NamedTuple):
    """Where a symbol and its name begin and end, in the editor's units. parent: the number of the
    symbol around it, or -1."""

    start: Place
    end: Place
    name_start: Place
    name_end: Place
    parent: int


class Seen(msgspec.Struct, array_like=True):
    """The symbols of a document, and its sections and items, with a position for each. is_prose:
    whether it is in a format of documents or data (`extract/documents/formats`), and no code."""

    file: FileSymbols
    spots: list[SymbolPosition]
    described: list[SymbolPosition] = []
    is_prose: bool = False

    @property
    def everything(self) -> Iterator[tuple[Symbol, SymbolPosition]]:
        """The symbols, and behind them the sections and items."""
        yield from zip(self.file.symbols, self.spots, strict=True)
        yield from zip(self.file.documents, self.described, strict=True)

    @property
    def outline(self) -> list[tuple[Symbol, SymbolPosition]]:
        """What an editor shows of it: the symbols of code; else the headings, or, where there are
        none, the items whose names stand in it. A parent is the number of a row here."""
        if not self.is_prose:
            return [*zip(self.file.symbols, self.spots, strict=True)]
        rows = [*zip(self.file.documents, self.described, strict=True)]
        chosen = [at for at, (row, _) in enumerate(rows) if row.kind is SymbolKind.SECTION]
        chosen = chosen or [at for at, (row, _) in enumerate(rows) if row.name_end > row.name_start]
        number_of = {at: number for number, at in enumerate(chosen)}
        return [
            (rows[at][0], rows[at][1]._replace(parent=number_of.get(rows[at][1].parent, -1)))
            for at in chosen
        ]


class Word(msgspec.Struct, array_like=True, frozen=True):
    """The name at a place; empty where there is none. qualifiers: what stands before it, as `Auth`
    and `Service` in `Auth.Service.login`. start, end: of the name."""

    name: str
    qualifiers: list[str]
    start: Place
    end: Place
