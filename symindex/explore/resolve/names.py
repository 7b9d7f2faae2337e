"""Which symbols of the index a name means, qualified or not, in whatever way languages and people write it.

Only whole names count here: what is merely alike is for searches. Of what matches, only the best way of matching is taken:
`Server.Serve` is the method of that class, and not also a function `Serve` in `server.go`. Ways, best first: the qualified name
itself; its end (`Slice.size` for `leveldb.Slice.size`); what stands before it in the path (`bufio.Reader`), next to it or further
away; both in order, with parts left out. Then the same whatever the case, then without the first parts (`crate::config::Config`).
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from symindex.explore.tree import Row, Tree
from symindex.index.rows import Rows
from symindex.index.snapshot import Part
from symindex.protocol import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.text.separators import SEPARATOR, split_name

LESS_LIKELY: Final = SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED | SymbolFlag.LOCAL
"""Whoever names a symbol means one without these flags, if there is one."""

_ENDS: Final = 1
_IN_PATH: Final = 4
"""One less where the path's folder, or its file, is what was written, two less where both are: packages are named by either."""

_IN_ORDER: Final = 5
_CASE: Final = 8
"""What is added where only the case differs, and"""

_DROPPED: Final = 16
"""for each part that is left out at the beginning."""

_DECLARES: Final = 2
"""`Meant.likely` of what only declares: behind tests and copies."""

_MOST_PARTS: Final = 32
"""A text of more parts than this is no qualified name, though it may be a title."""

_MOST_DROPPED: Final = 4
"""So many of the first parts may fit nothing."""

_BESIDES_NAME: Final = (
    re.compile(r"(?<=[\w>\]])\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?:const)?$"),  # arguments
    re.compile(r"(?<=\w)(?:::)?<[^<>]*(?:<[^<>]*>[^<>]*)*>(?=\W|$)"),  # type arguments
    re.compile(r"^[*&]+"),  # a pointer's
)

_RECEIVER: Final = re.compile(r"^\(\s*[*&]*\s*([\w.:]+)\s*\)(?=\W)")
"""`(*Buffer).Write`, as Go's traces say it."""


class Meant(NamedTuple):
    """A symbol that a name may mean. way: how it matches, smaller is better. likely: whether it is meant rather than others that
    match as well: not a test's, a copy's or a local one, and not what only declares another; a type, then what can be called."""

    way: int
    likely: tuple[int, int]
    path: str
    row: Row
    qualified_name: str


def find_meant(tree: Tree, text: str) -> list[Meant]:
    """The symbols that a name means, the likeliest first; they all match in the same way. Empty where none matches."""
    for reading in _readings(text):
        found = [meant for parts in _divisions(reading) for meant in _match(tree, reading, parts)]
        if found:
            best = min(meant.way for meant in found)
            unique = {meant.row: meant for meant in found if meant.way == best}
            return sorted(_behind_definitions(_without_constructors(list(unique.values()))), key=_order)
    return []


def find_alike(tree: Tree, text: str) -> list[str]:
    """The qualified names of the symbols that have the last part of a name, where the rest of it is wrong."""
    for reading in _readings(text):
        for parts in _divisions(reading):
            rows = sorted((row for part in tree.snapshot.parts for row in _rows_named(part, parts[-1])), key=_row_order)
            if rows:
                return list(dict.fromkeys(row.qualified_name for row in rows))
    return []


def is_dropped(meant: list[Meant]) -> bool:
    """Whether the first parts of the name fit nothing."""
    return bool(meant) and meant[0].way >= _DROPPED


def is_other_case(meant: list[Meant]) -> bool:
    """Whether the name is written otherwise, as to case."""
    return bool(meant) and meant[0].way % _DROPPED >= _CASE


def _readings(text: str) -> Iterator[str]:
    """What a text may say, as it is and without what is no part of a name."""
    yield text
    bare = _RECEIVER.sub(r"\1", text)
    for pattern in _BESIDES_NAME:
        bare = pattern.sub("", bare)
    if bare and bare != text:
        yield bare.strip()


def _divisions(text: str) -> list[list[str]]:
    """The qualifiers and the name that a text may consist of; names may hold what else separates, as titles of tests do."""
    edges = [match.span() for match in SEPARATOR.finditer(text)]
    if len(edges) > _MOST_PARTS:
        return [[text]]
    divided = [[*split_name(text[:start]), text[end:]] for start, end in edges if end < len(text)]
    return [[text], *([part for part in parts if part] for parts in divided)]


def _rows_named(part: Part, name: str) -> list[Row]:
    """The symbols of that name, whatever its case."""
    index = part.index
    rows = index.rows_of_names(np.array(index.names_written(name), dtype=np.int64))
    if part.live is not None and len(rows):
        rows = rows[part.live[index.file_of(rows)]]
    return [Row(part, row) for row in rows.tolist()]


def _match(tree: Tree, text: str, parts: list[str]) -> list[Meant]:
    """The symbols of the last part's name that fit the others."""
    wanted = _Wanted(text, parts)
    found = []
    for part in tree.snapshot.parts:
        rows = _rows_named(part, parts[-1])
        if not rows:
            continue
        known = Rows(part.index, np.array([row.number for row in rows]))
        for row, container, path in zip(rows, known.containers, known.paths, strict=True):
            qualified = f"{container}.{row.name}" if container else row.name
            way = wanted.way_of(row.name, qualified, part.prefix + path)
            if way is not None:
                found.append(Meant(way, _likely(row), part.prefix + path, row, qualified))
    return found


def _likely(row: Row) -> tuple[int, int]:
    traits = row.index.columns.traits_of[int(row.index.traits[row.number])]
    return int(bool(traits >> 8 & LESS_LIKELY)), KINDS[KIND_OF_CODE[traits & 255]].quality


def _order(meant: Meant) -> tuple[tuple[int, int], str, int]:
    return meant.likely, meant.path, meant.row.index.place.at(meant.row.number)


def _row_order(row: Row) -> tuple[tuple[int, int], int]:
    return _likely(row), row.part.base + row.number


def _without_constructors(meant: list[Meant]) -> list[Meant]:
    """Whoever names a type means the type and not its constructors of the same name."""
    others = [each for each in meant if each.row.kind is not SymbolKind.CONSTRUCTOR]
    return others if any(each.likely[1] == 0 for each in others) else meant


def _behind_definitions(meant: list[Meant]) -> list[Meant]:
    """With what only declares something behind what defines it, be that generated or somebody else's."""
    alike: dict[tuple[str, str], list[Meant]] = {}
    for each in meant:
        alike.setdefault((each.qualified_name, each.row.file.known_language), []).append(each)
    declaring = set()
    for group in alike.values():
        found = {each.row for each in group if each.row.flags & SymbolFlag.DECLARATION}
        if len(found) < len(group):
            declaring |= found
    return [each._replace(likely=(_DECLARES, each.likely[1])) if each.row in declaring else each for each in meant]


class _Wanted:
    """What the symbols must match. A way is a number, smaller is better."""

    def __init__(self, text: str, parts: list[str]) -> None:
        self._forms: list[tuple[int, _Form]] = []
        for dropped in range(min(max(1, len(parts) - 1), _MOST_DROPPED + 1)):
            written = text if not dropped else ""
            rest = parts[dropped:]
            self._forms.append((dropped * _DROPPED, _Form(written, rest)))
            self._forms.append((dropped * _DROPPED + _CASE, _Form(written.lower(), [part.lower() for part in rest])))

    def way_of(self, name: str, qualified: str, path: str) -> int | None:
        """How a symbol matches, `None` if it does not."""
        for base, form in self._forms:
            way = (
                form.way_of(name.lower(), qualified.lower(), path.lower())
                if base % _DROPPED
                else form.way_of(name, qualified, path)
            )
            if way is not None:
                return base + way
        return None


class _Form:
    """One way to read what was written. parts: the qualifiers and the name."""

    def __init__(self, text: str, parts: list[str]) -> None:
        self._parts = parts
        self._whole = {text, ".".join(parts)}
        self._end = "." + ".".join(parts)
        self._inner = {".".join(parts[count:]): count for count in range(1, len(parts))}

    def way_of(self, name: str, qualified: str, path: str) -> int | None:
        parts = self._parts
        if name != parts[-1]:
            return None
        if len(parts) == 1 or qualified in self._whole:
            return 0
        if qualified.endswith(self._end):
            return _ENDS
        folders = path.split("/")
        folders[-1] = folders[-1].partition(".")[0] or folders[-1]
        count = self._inner.get(qualified)
        if count is not None and _is_in_order(parts[:count], folders):
            return _IN_PATH - (folders[-count:] == parts[:count]) - (folders[-count - 1 : -1] == parts[:count])
        containers = qualified[: -len(name)].rstrip(".")
        return _IN_ORDER if _is_in_order(parts[:-1], [*folders, *containers.split(".")]) else None


def _is_in_order(parts: list[str], chain: list[str]) -> bool:
    rest = iter(chain)
    return all(part in rest for part in parts)
