"""Which symbols a text means: an id, a name, a name in a file, a place."""

import re
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.protocol import SearchRequest, SymbolFlag
from symindex.reading.missing import nothing_there
from symindex.reading.tree import IndexedFile, Row, Tree, find_file, locate, rows_of, shown_path
from symindex.search.answer import find, suggest
from symindex.search.query import Name, parse_name

LONGEST: Final = 1_000
"""A text of more characters means no symbol."""

_CANDIDATES: Final = 200

_PLACE: Final = re.compile(r"(?P<path>.+):(?P<line>\d+)(?:[:-]\d+)?")

_LESS_LIKELY: Final = SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED | SymbolFlag.LOCAL


class Target(NamedTuple):
    """What was found. rows: of the index, the likeliest first. is_sure: whether the first one is meant, and no other."""

    rows: list[Row]
    is_sure: bool
    suggestions: list[str]


def find_target(tree: Tree, text: str) -> Target:
    """The symbols that a text means. Raises RequestError where it names a file or a line that is not there."""
    if len(text) > LONGEST:
        raise RequestError(f"the symbol has {len(text):,} characters: name one by its id, its name, or as path:line")
    text = text.strip()
    if not text:
        raise RequestError("the symbol is empty: name one by its id (path#Name), its name (Type.method), or as path:line")
    if "#" in text:
        path, _, name = text.partition("#")
        file = _file_named(tree, path)
        if file is not None:
            return _in_file(file, name)
    place = _PLACE.fullmatch(text)
    if place is not None:
        file = _file_named(tree, place["path"])
        if file is not None:
            return Target([_at_line(file, int(place["line"]))], True, [])
        if "/" in place["path"] or "." in place["path"]:
            raise nothing_there(tree, shown_path(tree, place["path"]))
    return _by_name(tree, text)


def _file_named(tree: Tree, path: str) -> IndexedFile | None:
    """The file of a path, if it is one."""
    if not path or "\0" in path:
        return None
    try:
        return find_file(tree, shown_path(tree, path))
    except RequestError:
        if "/" in path:
            raise
        return None


def _in_file(file: IndexedFile, name: str) -> Target:
    """The symbols of a file that a name means: the one of that id, or those of that name."""
    rows = rows_of(file)
    wanted = f"{file.path}#{name}"
    for row in rows:
        if row.id == wanted:
            return Target([row], True, [])
    bare = re.sub(r"~\d+$", "", name)
    for found in (
        [row for row in rows if row.qualified_name == bare],
        [row for row in rows if row.qualified_name.endswith(f".{bare}") or row.name == bare],
        [row for row in rows if row.name.lower() == bare.rpartition(".")[2].lower()],
    ):
        if found:
            return Target(found, len(found) == 1, [])
    from rapidfuzz import process  # here, because its import takes 15 ms

    names = list(dict.fromkeys(row.qualified_name for row in rows))
    near = [found for found, _, _ in process.extract(bare, names, limit=3, score_cutoff=50)]
    return Target([], False, [f"{file.path}#{each}" for each in near])


def _at_line(file: IndexedFile, line: int) -> Row:
    """The innermost symbol around a line. Raises RequestError where there is none."""
    rows = [(row, *row.lines) for row in rows_of(file)]
    around = [(last - first, -first, number) for number, (_, first, last) in enumerate(rows) if first <= line <= last]
    if around:
        return rows[min(around)[2]][0]
    before = max((pair for pair in rows if pair[2] < line), key=lambda pair: pair[2], default=None)
    after = min((pair for pair in rows if pair[1] > line), key=lambda pair: pair[1], default=None)
    near = [f"{row.qualified_name} ({first}-{last})" for row, first, last in filter(None, (before, after))]
    between = f"; nearest: {', '.join(near)}" if near else ""
    raise RequestError(f"{file.path}:{line}: no symbol stands on that line{between}")


def _by_name(tree: Tree, text: str) -> Target:
    query = parse_name(text)
    found = find(tree.snapshot, SearchRequest(query=text, max_items=_CANDIDATES, fuzzy=False), tree.languages)
    if not isinstance(found.query, Name):
        raise RequestError(f"{text!r} is a search, not a symbol: search for it, then name one by its id")
    rows = [locate(tree, row) for row in found.ranking.rows.tolist()]
    names = {query.name, query.literal}
    same = [row for row in rows if row.name in names] or [row for row in rows if row.name.lower() == query.name.lower()]
    if not same:
        near = list(dict.fromkeys(row.qualified_name for row in rows))[:3]
        return Target([], False, near or suggest(tree.snapshot, query.name))
    likely = [row for row in same if not row.flags & _LESS_LIKELY]
    if len(likely) == 1:
        same = [likely[0], *(row for row in same if row is not likely[0])]
    return Target(same, len(same) == 1 or len(likely) == 1, [])
