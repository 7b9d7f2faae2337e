"""The files of one or several roots as a reader names them: by the paths that answers show.

Paths come from whoever asks, so each is taken for what it names inside the roots, and refused where it leads out of them, be it
by `..`, as an absolute path, or through a link.
"""

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.index.columns import Index
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol import KIND_OF_CODE, SymbolFlag, SymbolKind
from symindex.source.languages import Languages
from symindex.source.records import FileSymbols


class Tree(NamedTuple):
    """What a reader sees.

    snapshot: the index; languages: of its files. roots: the folder of each prefix that paths are shown with; a single root has
    the prefix ``""``. texts: what counts instead of the files of some shown paths, as unsaved documents do.
    """

    snapshot: Snapshot
    languages: Languages
    roots: Mapping[str, Path]
    texts: Mapping[str, bytes] = {}


class IndexedFile(NamedTuple):
    """A file that the index knows. number: in the part's index."""

    part: Part
    number: int

    @property
    def path(self) -> str:
        """As it is shown."""
        return self.part.prefix + self.part.index.paths[self.number]

    @property
    def known(self) -> FileSymbols:
        """What is known of it, without its symbols."""
        return self.part.index.file(self.number)

    @property
    def known_language(self) -> str:
        """The id of its language, empty where it has none."""
        index = self.part.index
        return index.columns.language_ids[index.columns.file_language[self.number]]

    def count_kinds(self, codes: frozenset[int]) -> int:
        """How many of its symbols have one of these kinds (KindRow.code)."""
        index = self.part.index
        first, last = index.file_first[self.number : self.number + 2].tolist()
        return sum(index.kind_code(row) in codes for row in index.row_at[first:last].tolist())

    @property
    def n_symbols(self) -> int:
        """How many symbols it has."""
        first = self.part.index.file_first
        return int(first[self.number + 1] - first[self.number])


@dataclass(frozen=True)
class Row:
    """A symbol of the index. number: its row there."""

    part: Part
    number: int

    @property
    def index(self) -> Index:
        """Where it stands."""
        return self.part.index

    @property
    def name(self) -> str:
        """Its name."""
        return self.index.name_at(self.number)

    @property
    def container(self) -> str:
        """The qualified name of the enclosing symbol, empty at the top of a file."""
        return self.index.containers[self.index.container_at(self.number)]

    @property
    def qualified_name(self) -> str:
        """Container and name."""
        return self.index.qualified_name(self.number)

    @property
    def kind(self) -> SymbolKind:
        """Its kind."""
        return KIND_OF_CODE[self.index.kind_code(self.number)]

    @property
    def flags(self) -> SymbolFlag:
        """What else is known of it."""
        return SymbolFlag(self.index.columns.traits_of[int(self.index.traits[self.number])] >> 8)

    @property
    def id(self) -> str:
        """`path#Qualified.name`, as it is shown."""
        return self.part.prefix + self.index.symbol_id(self.number)

    @property
    def file(self) -> IndexedFile:
        """Its file."""
        return IndexedFile(self.part, self.index.file_at(self.number))

    @property
    def line(self) -> int:
        """The 1-based line of its name."""
        return self.index.name_row(self.number) + 1

    @property
    def lines(self) -> tuple[int, int]:
        """Its first and last line, 1-based."""
        first, last = self.index.lines(self.number)
        return first + 1, last + 1


def find_file(tree: Tree, path: str) -> IndexedFile | None:
    """The file of a shown path, if the index knows it."""
    for part in reversed(tree.snapshot.parts):  # what is newer hides what is older
        if path.startswith(part.prefix):
            number = part.index.find_file(path.removeprefix(part.prefix))
            if number is not None and (part.live is None or part.live[number]):
                return IndexedFile(part, number)
    return None


def indexed_files(tree: Tree) -> list[IndexedFile]:
    """The files that the index knows, by their paths."""
    files = [IndexedFile(part, number) for part in tree.snapshot.parts for number in part.live_files()]
    return sorted(files, key=lambda file: file.path)


def is_glob(path: str) -> bool:
    """Whether a path that names no file is a pattern for some."""
    return not _GLOB_LETTERS.isdisjoint(path)


_GLOB_LETTERS: Final = frozenset("*?[")


def rows_of(file: IndexedFile) -> list[Row]:
    """The symbols of a file, in the order of their names there."""
    index = file.part.index
    first, last = index.file_first[file.number : file.number + 2].tolist()
    return [Row(file.part, row) for row in index.row_at[first:last].tolist()]


def locate(tree: Tree, row: int) -> Row:
    """The symbol of a row of the snapshot."""
    return Row(*tree.snapshot.locate(row))


def shown_path(tree: Tree, path: str) -> str:
    """What a user's path names, as answers show it: relative, with forward slashes, `""` for the roots themselves.

    Absolute paths inside a root are taken, and `./` and `a/../b`. Raises RequestError for what leads out of the roots.
    """
    if "\0" in path:
        raise RequestError(f"path {path!r} holds a NUL character")
    text = path.replace("\\", "/") if os.name == "nt" else path
    if os.path.isabs(path):
        for prefix, root in tree.roots.items():
            for top in dict.fromkeys((root, Path(os.path.realpath(root)))):
                try:
                    inside = Path(os.path.normpath(path)).relative_to(top).as_posix()
                except ValueError:
                    continue
                return (prefix + inside).removesuffix("/.") if inside != "." else prefix.removesuffix("/")
        raise RequestError(f"path {path!r} is outside of {_roots_of(tree)}: name one inside, relative to it")
    normal = posixpath.normpath(text.strip()) if text.strip() else "."
    if normal == ".." or normal.startswith("../"):
        raise RequestError(f"path {path!r} leads out of {_roots_of(tree)}: name one inside, relative to it")
    return "" if normal == "." else normal


def _roots_of(tree: Tree) -> str:
    names = [str(root) for root in tree.roots.values()]
    return "the root" if len(names) == 1 else f"the {len(names)} roots"


def place_of(tree: Tree, path: str) -> Path:
    """Where a shown path lies on the disk. Raises RequestError where that is outside of its root, as a link may lead."""
    prefix, root = max(
        (pair for pair in tree.roots.items() if path.startswith(pair[0])), key=lambda pair: len(pair[0]), default=("", None)
    )
    if root is None:
        known = ", ".join(sorted(each.rstrip("/") for each in tree.roots))
        raise RequestError(f"path {path!r} begins with no root: begin with one of {known}")
    place = Path(root, path.removeprefix(prefix))
    real = Path(os.path.realpath(place))
    top = Path(os.path.realpath(root))
    if real != top and top not in real.parents:
        raise RequestError(f"path {path!r} leads out of {_roots_of(tree)} by a link")
    return place


def read_text(tree: Tree, path: str, most_bytes: int) -> bytes:
    """The text of a file, in UTF-8 or nearly so, as it was read for the index.

    Raises RequestError where it cannot be read, is no regular file, or is larger than `most_bytes`.
    """
    known = tree.texts.get(path)
    if known is not None:
        return known
    place = place_of(tree, path)
    try:
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        with open(descriptor, "rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > most_bytes:
        raise RequestError(f"{path}: has more than {most_bytes:,} bytes, the most that is read of a file")
    from symindex.source.read import to_utf8  # here, because it loads the parser

    return to_utf8(data)[0]


def lines_of(data: bytes) -> list[str]:
    """The lines of a text, without their ends; numbered as the index numbers them."""
    return [line.removesuffix(b"\r").decode("utf-8", "replace") for line in data.split(b"\n")]
