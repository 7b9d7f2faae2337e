"""Reads the texts of sections and items for one request: as few files as possible, as late as
possible. Also cuts the snippets of hits.

An index contains the words of these texts, not the texts. So a phrase is searched for in the files
of the rows that contain all its words and pass everything else in the request. The caller, who
knows the roots, provides the function that reads files. This module counts the files and bytes, and
reports files that were not read or that differ from their indexed version.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from symindex.cancellation import check_wanted
from symindex.extract.items.item import BOUNDARY
from symindex.extract.records import FileSymbols
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part, Snapshot, Space
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind
from symindex.protocol.search import SearchItem
from symindex.text.counts import count_of
from symindex.text.snippets import Run, cut_snippet

if TYPE_CHECKING:
    from symindex.extract.described import RowText

MOST_FILES: Final = 200
MOST_BYTES: Final = 20_000_000
"""The limits for one request. Files are read in the order of their paths, so that every page of an
answer reads the same ones."""

MOST_TOLD: Final = 3
"""Most files that a notice names as changed or unreadable."""

_DESCRIBED: Final = (SymbolKind.SECTION, SymbolKind.ITEM)


class FileTexts:
    """The texts of a file as it is now. is_changed: whether it differs from its indexed version."""

    def __init__(self, rows: "Iterable[RowText]", is_changed: bool) -> None:
        self.is_changed = is_changed
        self._rows: defaultdict[tuple[str, str, str], list[RowText]] = defaultdict(list)
        for row in rows:
            self._rows[row.container, row.name, row.kind].append(row)

    def of_row(self, index: Index, row: int) -> str:
        """Returns the text of a row; empty if it is gone. If the file has changed, this is the text
        of the row with that name nearest to the old place."""
        kind = KIND_OF_CODE[index.traits_at(row) & 255].value
        alike = self._rows.get(
            (index.containers[index.container_at(row)], index.name_at(row), kind), ()
        )
        line = index.name_row(row) if len(alike) > 1 else 0
        return (
            min(alike, key=lambda candidate: abs(candidate.name_row - line)).text if alike else ""
        )


class ReadTexts(Protocol):
    """Reads the texts of a file. path: as answers show it. record: the file as it was indexed.
    Raises OSError."""

    def __call__(self, path: str, record: FileSymbols, most_bytes: int) -> FileTexts: ...


class Contents:
    """The texts that are read for one request."""

    def __init__(self, read: ReadTexts) -> None:
        self._read = read
        self._kept: dict[tuple[Index, int], FileTexts | None] = {}
        self._searched, self._shown = _ReadBudget(), _ReadBudget()
        self._changed: list[str] = []
        self._unread: list[str] = []

    def with_texts(self, snapshot: Snapshot) -> Snapshot:
        """Returns a snapshot whose rows are searched with their texts."""
        return snapshot.with_texts(
            lambda part: _PartTexts(self, part) if _has_texts(part) else None
        )

    def to_search(self, part: Part, number: int) -> FileTexts | None:
        """Returns the texts of a file to search; `None` if it cannot be read, or too much has been
        read already."""
        return self._file(part, number, self._searched)

    def to_show(self, part: Part, number: int) -> FileTexts | None:
        """Returns the texts of a file to show a part of; `None` as for `to_search`."""
        return self._file(part, number, self._shown)

    def _file(self, part: Part, number: int, budget: "_ReadBudget") -> FileTexts | None:
        if part.space is Space.REGISTRY:  # its files are not here
            return None
        key = part.index, number
        if key not in self._kept:
            check_wanted()
            indexed_file, path = part.index.file(number), part.prefix + part.index.paths[number]
            if not budget.has_room(path, indexed_file.size):
                return None
            self._kept[key] = self._texts(path, indexed_file)
        return self._kept[key]

    def _texts(self, path: str, indexed_file: FileSymbols) -> FileTexts | None:
        try:
            texts = self._read(path, indexed_file, MOST_BYTES)
        except OSError as error:
            self._unread.append(f"{path} ({error.strerror or error})")
            return None
        if texts.is_changed:
            self._changed.append(path)
        return texts

    def take_notices(self) -> list[str]:
        """Returns notices about files that were not read, or that differ from their indexed
        version."""
        notices = []
        if self._unread:
            notices.append(
                f"cannot be read, so only their words in the index count: {listed(self._unread)}"
            )
        if self._changed:
            notices.append(
                "changed since they were indexed, and read as they are now:"
                f" {listed(self._changed)}"
            )
        limit = f"at most {MOST_FILES} files and {MOST_BYTES // 1_000_000} MB are read"
        if missed := self._searched.missed:
            message = f"the text of {_more(missed)} that may contain it was not searched ({limit})"
            notices.append(f"{message}: narrow the search by paths, scope or another word")
        if missed := self._shown.missed:
            notices.append(
                f"no snippet is cut from {_more(missed)} ({limit}): ask for a smaller page"
            )
        self._unread, self._changed = [], []
        return notices


class _ReadBudget:
    """The remaining limits of a request. missed: the files that exceeded them."""

    def __init__(self) -> None:
        self._n_files = self._n_bytes = 0
        self.missed: set[str] = set()

    def has_room(self, path: str, size: int) -> bool:
        """Whether a file may be read; if so, it counts."""
        if self._n_files >= MOST_FILES or self._n_bytes + size > MOST_BYTES:
            self.missed.add(path)
            return False
        self._n_files += 1
        self._n_bytes += size
        return True


def _more(paths: set[str]) -> str:
    return count_of(len(paths), "more file")


def listed(paths: Sequence[str]) -> str:
    """Names some paths, and how many more there are."""
    rest = f" and {len(paths) - MOST_TOLD} more" if len(paths) > MOST_TOLD else ""
    return ", ".join(paths[:MOST_TOLD]) + rest


def _has_texts(part: Part) -> bool:
    return any(KIND_OF_CODE[traits & 255] in _DESCRIBED for traits in part.index.columns.traits_of)


class _PartTexts:
    """The texts of a part of a snapshot, with the contract of `snapshot.TextsInFiles`."""

    def __init__(self, contents: Contents, part: Part) -> None:
        self._contents = contents
        self._part = part
        self._wanted: Mask | None = None

    def narrow(self, rows: Mask) -> None:
        self._wanted = rows if self._wanted is None else self._wanted & rows

    def holding(self, places: I64, holds: Callable[[str], bool]) -> I64:
        index = self._part.index
        if self._wanted is not None:
            places = places[self._wanted[index.row_at[places]]]
        files, first = np.unique(
            np.searchsorted(index.file_first, places.astype(np.uint32), side="right") - 1,
            return_index=True,
        )
        matching: list[int] = []
        for number, places_in_file in zip(
            files.tolist(), np.split(places, first[1:]), strict=bool(len(files))
        ):
            if (
                self._part.counts(number)
                and (texts := self._contents.to_search(self._part, number)) is not None
            ):
                matching += [
                    place
                    for place in places_in_file.tolist()
                    if _holds(texts.of_row(index, int(index.row_at[place])), holds)
                ]
        return np.array(matching, dtype=np.int64)


def _holds(text: str, holds: Callable[[str], bool]) -> bool:
    return any(holds(piece) for piece in text.split(BOUNDARY))


def add_snippet(
    item: SearchItem, part: Part, row: int, runs: Sequence[Run], contents: "Contents | None"
) -> None:
    """Adds a snippet to the item of a row: for a section or an item a part of its text around the
    match, for a symbol the beginning of its doc. runs: the words to show. Without a text, the doc
    is shown."""
    text = ""
    index = part.index
    if contents is not None and KIND_OF_CODE[index.traits_at(row) & 255] in _DESCRIBED:
        texts = contents.to_show(part, index.file_at(row))
        if texts is not None:
            text = texts.of_row(index, row).replace(BOUNDARY, "")
            if texts.is_changed:
                item.changed = True
    item.snippet = cut_snippet(text or index.doc(row), runs)
