"""What is said between a process and the one that reads its open documents (`workers/document_job`)."""

from typing import NamedTuple

import msgspec

from symindex.extract.records import FileSymbols
from symindex.text.edit_buffer import Encoding, Place


class DocumentsSetup(msgspec.Struct, array_like=True, frozen=True):
    """What the process is told. languages: packed."""

    languages: bytes
    max_file_bytes: int
    encoding: Encoding


class Open(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """A document. path: by which its language and its flags are told, as that of a file of a tree. language: the editor's word,
    for where the path tells none."""

    key: str
    path: str
    language: str
    text: bytes


class Change(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """One edit: the text that takes the place of what stands between two places, or of everything."""

    key: str
    start: Place | None
    end: Place | None
    text: bytes


class Close(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """The document is not needed any more."""

    key: str


class Look(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Asks for the symbols of a document: Seen."""

    key: str


class AskText(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Asks for the text of a document: bytes."""

    key: str


class AskWord(msgspec.Struct, tag=True, array_like=True, frozen=True):
    """Asks what is named at a place of a document: Word."""

    key: str
    place: Place


Message = Open | Change | Close | Look | AskText | AskWord
"""An order is a list of these: what is to be known, and a question about it. Only questions are answered."""


class Spot(NamedTuple):
    """Where a symbol and its name begin and end, in the units of the editor. parent: the number of the symbol in whose range it
    stands, -1 where there is none."""

    start: Place
    end: Place
    name_start: Place
    name_end: Place
    parent: int


class Seen(msgspec.Struct, array_like=True):
    """The symbols of a document, and a spot for each."""

    file: FileSymbols
    spots: list[Spot]


class Word(msgspec.Struct, array_like=True, frozen=True):
    """What is named at a place: the name, what stands before it (`Auth` and `Service` before `Auth.Service.login`), and where the
    name begins and ends. Empty where nothing is named."""

    name: str
    qualifiers: list[str]
    start: Place
    end: Place
