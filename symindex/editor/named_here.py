"""What the name at a place of a file means, for pages: as the code binds it (`explore/definition`),
else the symbols that have the name."""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from symindex.editor.editor_positions import Match
from symindex.errors import RequestError
from symindex.explore.definition import Meaning, line_of_local, meaning_of
from symindex.explore.references.reference_page import is_searchable
from symindex.explore.relations.uses import Limits, UseSearch
from symindex.protocol.kinds import KIND_OF_CODE
from symindex.resolve.tree import Row, Tree, find_file

SECONDS: float = 5.0
"""Time limit for the uses of a name in one file, in seconds."""

How = Literal["bound", "few", "name", "local", "module", "library"]
"""What tells the meaning: the name is bound to one symbol; to one of a few; the symbols only have
the name; the code around binds it; it is a module; a library defines it."""


class NamedSymbol(NamedTuple):
    """A symbol that a name may mean. line: 1-based."""

    id: str
    kind: str
    file_path: str
    line: int
    container: str
    signature: str
    doc: str


class NamedHere(NamedTuple):
    """The name at a place, empty if there is none, and the symbols that it may mean.

    line: that binds a local name, 1-based. paths: of the module that it is. library: the whole name
    of what a library defines, as far as the code tells.
    """

    name: str
    candidates: list[NamedSymbol]
    how: How = "name"
    line: int = 0
    paths: Sequence[str] = ()
    library: str = ""


def named_here(
    tree: Tree,
    limits: tuple[int, float],
    path: str,
    place: tuple[int, int],
    name: str,
    by_name: Callable[[], list[NamedSymbol]],
) -> NamedHere:
    """Returns what a name at a place of a file means.

    Args:
        limits: as in `AnswerSource.file_limits`.
        path: as in answers.
        place: line and column, 0-based.
        by_name: returns the symbols that have the name, likeliest first.
    """
    try:
        search = UseSearch(tree, Limits(*limits, SECONDS))
        meaning = _meaning(search, path, place, name)
    except RequestError:  # the file cannot be read any more
        meaning = None
    if meaning is None:
        return NamedHere(name, by_name())
    if meaning.local >= 0:
        return NamedHere(name, [], "local", line=line_of_local(search, meaning))
    if meaning.paths:
        return NamedHere(name, [], "module", paths=meaning.paths)
    symbols = [_symbol_of(row) for row in dict.fromkeys(meaning.rows)]
    if symbols and not meaning.is_by_name:
        return NamedHere(name, symbols, "bound" if meaning.is_sure else "few")
    if not symbols and meaning.is_foreign:
        return NamedHere(name, [], "library", library=meaning.library)
    return NamedHere(name, by_name())


def _meaning(search: UseSearch, path: str, place: tuple[int, int], name: str) -> Meaning | None:
    """Returns what a name means; `None` if its file is not in the index, or it is in no code."""
    file = find_file(search.tree, path)
    if file is None or not is_searchable(name):
        return None
    uses = search.find([name], only=[file])
    for use in uses:
        after = place[1] + 1 - use.mention.column
        if use.mention.line == place[0] + 1 and 0 <= after <= len(name):
            return meaning_of(search, use, uses)
    return None


def _symbol_of(row: Row) -> NamedSymbol:
    index = row.index
    return NamedSymbol(
        row.id,
        str(row.kind),
        row.file.path,
        row.line,
        row.container,
        index.signature(row.number),
        index.doc(row.number),
    )


def symbol_of_match(match: Match) -> NamedSymbol:
    """Returns a match as a symbol."""
    index, part = match.part.index, match.part
    return NamedSymbol(
        part.prefix + index.symbol_id(match.row),
        str(KIND_OF_CODE[match.kind]),
        part.prefix + match.path,
        match.line + 1,
        match.container,
        match.signature,
        match.doc,
    )
