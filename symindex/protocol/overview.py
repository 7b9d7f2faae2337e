"""The request and response of a map."""

import msgspec
from msgspec import UNSET, UnsetType


class MapRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the symbols that matter most in a tree or a folder.

    Args:
        path: a folder or a glob, relative to the workspace, or a list of them; a leading `!`
            excludes. Empty means the whole workspace.
        focus: names, ids or paths that the reader is working on: symbols that they refer to, or
            that refer to them, come first.
        max_tokens: the approximate budget in tokens.
    """

    path: str | list[str] = ""
    focus: list[str] = []
    max_tokens: int = 2_000


class MapSymbol(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A symbol in a map. name: the qualified name. score: its share of all references, in
    thousandths."""

    name: str
    kind: str
    line: int
    signature: str = ""
    score: float = 0.0


class MapFile(msgspec.Struct, kw_only=True):
    """A file in a map, with its chosen symbols ordered by line."""

    file_path: str
    language: str
    symbols: list[MapSymbol]


class MapFolder(msgspec.Struct, kw_only=True):
    """A folder at the top of the map. files: how many files with symbols it contains."""

    name: str
    files: int


class MapResponse(msgspec.Struct, kw_only=True):
    """The response. files: ordered by the weight of their heaviest symbols, equal ones by path.
    files_in_all, symbols_in_all: how many there are, shown or not. folders: the largest first,
    equal ones by name."""

    request: MapRequest
    path: str
    files: list[MapFile]
    files_in_all: int
    symbols_in_all: int
    folders: list[MapFolder]
    notices: list[str] | UnsetType = UNSET


class FolderRequest(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Asks for the files and folders in a folder. path: relative to the workspace; empty means its
    root, or the roots."""

    path: str = ""


class FolderEntry(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A file or a folder. language: of a file, if it has one. files, symbols: how many it
    contains."""

    name: str
    is_folder: bool = False
    language: str = ""
    files: int = 0
    symbols: int = 0


class FolderResponse(msgspec.Struct, kw_only=True):
    """The response: folders by name, then files by name."""

    request: FolderRequest
    path: str
    entries: list[FolderEntry]
    notices: list[str] | UnsetType = UNSET
