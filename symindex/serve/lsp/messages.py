"""The params of the messages that are handled here, and what is sent, as the Language Server Protocol has them.

Fields that nothing here needs are left out: who reads a message ignores what it does not know. A message that lacks a field, or
has one of another type, does not fit. `tests/serve/lsp` compares what is sent with `lsprotocol`, which is made from the
protocol's own model.
"""

from enum import IntEnum
from typing import Annotated, Any, Final

import msgspec

Id = int | float | str
"""Of a request."""


class _Params(msgspec.Struct, rename="camel", omit_defaults=True):
    """What is read or sent. Absent and `null` are the same for a field that may be absent."""


_Number = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class Position(_Params):
    """0-based, in the units of the client."""

    line: _Number
    character: _Number


class Range(_Params):
    start: Position
    end: Position


class TextDocument(_Params):
    uri: str


class VersionedDocument(_Params):
    uri: str
    version: int | None = None


class OpenedDocument(_Params):
    uri: str
    language_id: str
    version: int
    text: str


class DidOpen(_Params):
    text_document: OpenedDocument


class Change(_Params):
    """An edit; without a range it is the whole text."""

    text: str
    range: Range | None = None


class DidChange(_Params):
    text_document: VersionedDocument
    content_changes: list[Change]


class DidClose(_Params):
    text_document: TextDocument


DidSave = DidClose


class OpenFolder(_Params):
    uri: str
    name: str


class FoldersEvent(_Params):
    added: list[OpenFolder]
    removed: list[OpenFolder]


class DidChangeFolders(_Params):
    event: FoldersEvent


class ChangedFile(_Params):
    """A file that was changed, made, deleted or renamed."""

    uri: str | None = None
    old_uri: str | None = None
    new_uri: str | None = None


class DidChangeWatchedFiles(_Params):
    changes: list[ChangedFile]


class FilesMoved(_Params):
    """Files that were made, renamed or deleted."""

    files: list[ChangedFile]


class DidChangeConfiguration(_Params):
    settings: Any = None


class SymbolQuery(_Params):
    query: str
    partial_result_token: int | str | None = None


class DocumentSymbols(_Params):
    text_document: TextDocument


class AtPosition(_Params):
    """A place in a document, for definitions, hovers, implementations, and hierarchies that are to be prepared."""

    text_document: TextDocument
    position: Position


class ReferenceContext(_Params):
    include_declaration: bool


class References(AtPosition):
    context: ReferenceContext


class HierarchyItem(_Params):
    """A symbol that a client sends back as it was given to it."""

    name: str
    data: Any = None


class OfItem(_Params):
    item: HierarchyItem


class Command(_Params):
    command: str


class Cancel(_Params):
    id: Id


class Token(_Params):
    token: int | str


class Trace(_Params):
    value: str


class Location(_Params):
    """range: absent where a client asks for it."""

    uri: str
    range: Range | None = None


class Symbol(_Params):
    """A row of an answer, which a client sends back to have its range."""

    name: str
    kind: int
    location: Location
    container_name: str | None = None
    tags: list[int] | None = None
    data: Any = None


class MessageType(IntEnum):
    """How bad it is."""

    ERROR = 1
    WARNING = 2
    INFO = 3
    LOG = 4


TRACE_OFF: Final = "off"
