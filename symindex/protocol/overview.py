"""The request and the answer of a map, which all doors share."""

import msgspec
from msgspec import UNSET, UnsetType


class MapRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The symbols of a tree, or of a folder, that matter most.

    Args:
        path: a folder or a glob, relative to the workspace, or several; a leading `!` leaves out.
        Empty for all of it. focus: names, ids or paths of what the reader is about: what these
        refer to, and what refers to them, comes first. max_tokens: about this many tokens at most.
    """

    path: str | list[str] = ""
    focus: list[str] = []
    max_tokens: int = 2_000


class MapSymbol(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol of a map. name: qualified. score: its share of all references, in thousandths."""

    name: str
    kind: str
    line: int
    signature: str = ""
    score: float = 0.0


class MapFile(msgspec.Struct, kw_only=True):
    """A file of a map, with its chosen symbols in the order of their lines."""

    file_path: str
    language: str
    symbols: list[MapSymbol]


class MapFolder(msgspec.Struct, kw_only=True):
    """A folder at the top of what is shown: how many files with symbols it holds."""

    name: str
    files: int


class MapResponse(msgspec.Struct, kw_only=True):
    """The answer: the files in the order of what their symbols weigh. files_in_all, symbols_in_all:
    how many there are, shown or not. folders: the largest first."""

    request: MapRequest
    path: str
    files: list[MapFile]
    files_in_all: int
    symbols_in_all: int
    folders: list[MapFolder]
    notices: list[str] | UnsetType = UNSET
