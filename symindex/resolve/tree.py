"""The files of one or several roots, by the paths that answers show.

Paths come from outside. A path is resolved inside the roots, and refused if it leads out of them:
by `..`, as an absolute path, or through a link.
"""

import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from symindex.errors import NO_FOLDER, RequestError, is_unicode
from symindex.extract.documents.formats import load_formats
from symindex.extract.languages.registry import Languages
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import FileText, text_of
from symindex.files.access.beneath import LONGEST_NAME, LONGEST_PATH, read_beneath
from symindex.files.access.regular import LargeFileError, NotRegularError
from symindex.files.skips import Skip
from symindex.index.columns.arrays import I64
from symindex.index.columns.columns import Index
from symindex.index.columns.layout import NOTE_CONFLICTED
from symindex.index.columns.rows import RowFacts, placed_rows
from symindex.index.snapshot import Part, Snapshot
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.search.answer.items import facts_of

if TYPE_CHECKING:
    from symindex.workers.pool import SpareWorker


class Tree(NamedTuple):
    """The source tree of a workspace as requests see it.

    Attributes:
        snapshot: the index.
        languages: of its files.
        roots: the folder of each prefix of shown paths; a single root has the prefix ``""``.
        texts: files that are not read from the disk, by shown path: unsaved documents, which
            replace the files, and those of a fleet.
        unread: returns the files whose code is missing from the index, by shown paths, as far as
            known.
        listed: returns all files that the rules select, whatever their content, by prefix; empty if
            only the index is known.
        unlisted: returns the folders that `listed` could not read, by shown paths.
        left_out: returns why a shown path is not in the index.
        is_stored: whether its files are those that were indexed, as in a fleet, so that none can
            have changed.
        is_current: whether the index was compared with the files for this answer.
        spare: returns what keeps a worker that searches files, for the next answer.
        recent: paths that were shown recently.
    """

    snapshot: Snapshot
    languages: Languages
    roots: Mapping[str, Path]
    texts: Mapping[str, bytes] = {}
    unread: Callable[[], list[Skip]] = list
    listed: Callable[[], dict[str, list[str]]] = dict
    unlisted: Callable[[], list[Skip]] = list
    left_out: Callable[[str], Skip | None] = lambda _: None
    recent: Sequence[str] = ()
    is_stored: bool = False
    is_current: bool = False
    spare: "Callable[[], SpareWorker | None]" = lambda: None

    @property
    def documents(self) -> "Tree":
        """This tree with the sections and items of files instead of their symbols."""
        return self._replace(snapshot=self.snapshot.documents)


class IndexedFile(NamedTuple):
    """A file in the index. number: in the part's index. path: its shown path. known_language: the
    id of its language, empty if it has none."""

    part: Part
    number: int
    path: str
    known_language: str

    @classmethod
    def of(cls, part: Part, number: int) -> "IndexedFile":
        """Returns a file by its number."""
        path, language = part.index.path_and_language(number)
        return cls(part, number, part.prefix + path, language)

    @property
    def known(self) -> FileSymbols:
        """Its data in the index, without symbols."""
        return self.part.index.file(self.number)

    @property
    def is_broken(self) -> bool:
        """Whether a syntax error or an unfinished merge cut it."""
        columns = self.part.index.columns
        return self.number in columns.broken_lines or bool(
            columns.file_notes[self.number] & NOTE_CONFLICTED
        )

    @property
    def n_symbols(self) -> int:
        first = self.part.index.file_first
        return int(first[self.number + 1] - first[self.number])


@dataclass(frozen=True)
class Row:
    """A symbol in the index.

    Each property is read once; `rows_of` reads those of a whole file together.

    Attributes:
        number: of its row in the index.
        container: the qualified name of the enclosing symbol, empty at the top of a file.
        id: `path#Qualified.name`, as it is shown.
        line: of its name, 1-based.
        lines: its first and last line, 1-based.
    """

    part: Part
    number: int

    @property
    def index(self) -> Index:
        return self.part.index

    @cached_property
    def name(self) -> str:
        return self.index.name_at(self.number)

    @cached_property
    def container(self) -> str:
        return self.index.containers[self.index.container_at(self.number)]

    @cached_property
    def qualified_name(self) -> str:
        return f"{self.container}.{self.name}" if self.container else self.name

    @cached_property
    def kind(self) -> SymbolKind:
        return KIND_OF_CODE[self.index.traits_at(self.number) & 255]

    @property
    def kind_word(self) -> str:
        """The word for its kind in answers; for an item, its type."""
        facts = facts_of(self.index, self.number) if self.kind is SymbolKind.ITEM else None
        return facts.type if facts is not None else str(self.kind)

    @cached_property
    def flags(self) -> SymbolFlag:
        return SymbolFlag(self.index.columns.traits_of[int(self.index.traits[self.number])] >> 8)

    @cached_property
    def id(self) -> str:
        return self.part.prefix + self.index.symbol_id(self.number)

    @cached_property
    def file(self) -> IndexedFile:
        return IndexedFile.of(self.part, self.index.file_at(self.number))

    @cached_property
    def line(self) -> int:
        return self.index.name_row(self.number) + 1

    @cached_property
    def lines(self) -> tuple[int, int]:
        first, last = self.index.lines(self.number)
        return first + 1, last + 1


def find_file(tree: Tree, path: str) -> IndexedFile | None:
    """Returns the file of a shown path; `None` if it is not in the index."""
    entry = tree.snapshot.find(path)
    return IndexedFile.of(*entry) if entry is not None else None


def language_of(tree: Tree, path: str) -> str:
    """Returns the id of the language or document format that the name of a file stands for, empty
    if it stands for none."""
    name = path.rpartition("/")[2]
    if languages := tree.languages.by_name(name):
        return languages[0].id
    format_id = load_formats().of(name)
    return format_id if format_id and load_formats().by_id[format_id].reader else ""


def indexed_files(tree: Tree) -> list[IndexedFile]:
    """Returns the files in the index, ordered by path."""
    files = []
    for part in tree.snapshot.parts:
        numbers = part.live_files()
        paths = part.index.paths.all
        languages = part.index.languages_of(np.array(numbers, dtype=np.int64))
        files += [
            IndexedFile(part, number, part.prefix + paths[number], language)
            for number, language in zip(numbers, languages, strict=True)
        ]
    return sorted(files, key=lambda file: file.path)


def count_symbols(tree: Tree, kinds: frozenset[int] | None) -> Callable[[IndexedFile], int]:
    """Returns a function that counts the symbols of a file, without those inside functions. kinds:
    KindRow.code of those that count; `None` for all."""
    counts: dict[int, list[int]] = {}
    for part in tree.snapshot.parts:
        counts[id(part)] = _count_traits(
            part.index, lambda kind: kinds is None or kind in kinds
        ).tolist()
    for part in tree.snapshot.documents.parts:
        sections = _count_traits(part.index, lambda kind: kind == _SECTION)
        items = _count_traits(part.index, lambda kind: kind != _SECTION)
        counts[id(part)] = np.where(sections > 0, sections, items).tolist()  # as in `nest_file`
    return lambda file: counts[id(file.part)][file.number]


_SECTION: Final = KINDS[SymbolKind.SECTION].code


def _count_traits(index: Index, is_wanted: Callable[[int], bool]) -> I64:
    """Counts by file the symbols whose kind is accepted, without those inside functions."""
    is_counted = [
        not traits >> 8 & SymbolFlag.LOCAL and is_wanted(traits & 255)
        for traits in index.columns.traits_of
    ]
    by_place = np.zeros(index.n_symbols + 1, dtype=np.int64)
    by_place[1:][index.place[:]] = np.array(is_counted, dtype=bool)[index.traits]
    counts: I64 = np.diff(np.cumsum(by_place)[index.file_first])
    return counts


def files_like(tree: Tree, path: str) -> list[IndexedFile]:
    """Returns the files that a path may mean, in the order of paths: it may be relative to a deeper
    folder than the root, or have backslashes."""
    tail = posixpath.normpath(path.replace("\\", "/")).lstrip("/")
    if tail.startswith("../") or tail in ("", ".", ".."):
        return []
    file = find_file(tree, tail)
    if file is not None:
        return [file]
    files = (
        IndexedFile.of(part, number)
        for part in tree.snapshot.parts
        for number, known_path in enumerate(part.index.paths.all)
        if known_path.endswith(f"/{tail}") and part.counts(number)
    )
    return sorted(files, key=lambda file: file.path)


def is_glob(path: str) -> bool:
    """Whether a path that is not a file is a pattern."""
    return not set("*?[{").isdisjoint(path)


def rows_of(file: IndexedFile) -> list[Row]:
    """Returns the symbols of a file, in the order of their names in it."""
    placed = placed_rows(file.part.index, file.number)
    return [
        _known_row(
            file.part,
            number,
            name=name,
            container=container,
            kind=KIND_OF_CODE[traits & 255],
            flags=SymbolFlag(traits >> 8),
            file=file,
            line=line + 1,
            lines=(first + 1, last + 1),
        )
        for number, name, container, traits, line, first, last in placed
    ]


def row_of(part: Part, facts: RowFacts) -> Row:
    """Returns the symbol of a row whose facts were read with those of others."""
    return _known_row(
        part,
        facts.number,
        name=facts.name,
        container=facts.container,
        kind=KIND_OF_CODE[facts.traits & 255],
        flags=SymbolFlag(facts.traits >> 8),
        file=IndexedFile(part, facts.file, part.prefix + facts.path, facts.language),
    )


def _known_row(part: Part, number: int, **properties: object) -> Row:
    """Returns a row some of whose properties are known."""
    row = Row(part, number)
    # `cached_property` stores its values here: a frozen dataclass has no setters.
    row.__dict__.update(properties)
    return row


def rows_of_container(tree: Tree, container: str) -> list[Row]:
    """Returns the symbols whose container has that qualified name, in any file, ordered by path and
    place."""
    rows: list[Row] = []
    for part in tree.snapshot.parts:
        index = part.index
        number = index.containers.find(container)
        if number is not None:
            numbers = np.flatnonzero(index.all_containers() == number)
            if part.live is not None:
                numbers = numbers[part.live[index.file_of(numbers)]]
            rows += [Row(part, row) for row in numbers[np.argsort(index.place[numbers])].tolist()]
    return sorted(rows, key=lambda row: row.file.path) if len(tree.snapshot.parts) > 1 else rows


def shown_path(tree: Tree, path: str) -> str:
    """Returns a user's path as answers show it: relative, with forward slashes, `""` for the roots.

    Absolute paths inside a root are accepted, and so are `./` and `a/../b`. Raises RequestError for
    a path outside the roots.
    """
    if len(path) > LONGEST_PATH:
        raise RequestError(
            f"the path has {len(path):,} characters: at most {LONGEST_PATH:,} are read"
        )
    if "\0" in path:
        raise RequestError(f"path {path!r} contains a NUL character")
    if not is_unicode(path):
        raise RequestError(f"path {path!r} is not valid Unicode: give it as UTF-8")
    text = path.replace("\\", "/") if os.name == "nt" else path
    if not is_glob(path) and any(len(os.fsencode(name)) > LONGEST_NAME for name in text.split("/")):
        raise RequestError(f"path {path[:50]!r}...: no file has so long a name")
    if os.path.isabs(path):
        # Both as it is written and with links resolved: a root that was opened by a link shows its
        # files below the link.
        for absolute in dict.fromkeys((os.path.normpath(path), _real(path))):
            shown = _inside(tree, Path(absolute))
            if shown is not None:
                return shown
        raise RequestError(
            f"path {path!r} is outside of {_roots_of(tree)}: name one inside, relative to it"
        )
    normal = posixpath.normpath(text) if text.strip() else "."
    if normal == ".." or normal.startswith("../"):
        raise RequestError(
            f"path {path!r} leads out of {_roots_of(tree)}: name one inside, relative to it"
        )
    return "" if normal == "." else normal


def _inside(tree: Tree, path: Path) -> str | None:
    """Returns an absolute path as answers show it, by the innermost root around it; `None` if it is
    in no root."""
    matches: list[tuple[int, str]] = []
    for prefix, root in tree.roots.items():
        for top in dict.fromkeys((root, Path(_real(root)))):
            if path == top:
                matches.append((len(top.parts), prefix.removesuffix("/")))
            elif top in path.parents:
                matches.append((len(top.parts), prefix + path.relative_to(top).as_posix()))
    return max(matches)[1] if matches else None


def _real(path: str | os.PathLike[str]) -> str:
    """Returns a path with its links resolved; unresolved if a part of it disappears meanwhile."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.abspath(path)


def _roots_of(tree: Tree) -> str:
    return "the root" if len(tree.roots) == 1 else f"the {len(tree.roots)} roots"


def _root_of(tree: Tree, path: str) -> tuple[Path, str]:
    """Returns the root of a shown path, and the path in that root."""
    prefix, root = max(
        (pair for pair in tree.roots.items() if path.startswith(pair[0])),
        key=lambda pair: len(pair[0]),
        default=("", None),
    )
    if root is None:
        prefixes = ", ".join(sorted(name.rstrip("/") for name in tree.roots))
        raise RequestError(
            f"path {path!r} does not begin with a root:"
            f" {f'begin with one of {prefixes}' if prefixes else NO_FOLDER}"
        )
    return root, path.removeprefix(prefix)


def place_of(tree: Tree, path: str) -> Path:
    """Returns the place of a shown path on disk. Raises RequestError if it is outside its root, as
    through a link."""
    root, inside = _root_of(tree, path)
    place = Path(root, inside)
    real, top = Path(_real(place)), Path(_real(root))
    if real != top and top not in real.parents:
        raise RequestError(f"path {path!r} leads out of {_roots_of(tree)} by a link")
    return place


def read_text(tree: Tree, file: IndexedFile, most_bytes: int) -> FileText:
    """Returns the text of a file in the index. Raises as `read_shown`."""
    return read_shown(tree, file.path, most_bytes)


def read_shown(tree: Tree, path: str, most_bytes: int) -> FileText:
    """Returns the text of a file by its shown path. Raises as `read_bytes`."""
    return text_of(read_bytes(tree, path, most_bytes))


def read_bytes(tree: Tree, path: str, most_bytes: int) -> bytes:
    """Returns the bytes of a file by its shown path.

    Raises RequestError if it cannot be read, is not a regular file, or is larger than `most_bytes`.
    """
    try:
        data = tree.texts.get(path)
        if data is not None:
            return data
        place_of(
            tree, path
        )  # its error names the root that a link leads out of; reading would only refuse
        return read_beneath(*_root_of(tree, path), most_bytes)
    except LargeFileError:
        raise RequestError(
            f"{path}: has more than {most_bytes:,} bytes, the most that is read of a file"
        ) from None
    except NotRegularError as error:
        raise RequestError(f"{path}: is {error.strerror}") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
