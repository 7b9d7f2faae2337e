"""Inserts headings into the rows that an editor shows: after code that matches as well as they do,
before code that matches worse."""

from collections.abc import Sequence, Set
from typing import Final

from symindex.editor.editor_positions import Match, place_rows
from symindex.editor.merged_view import FoldersView
from symindex.editor.row_names import Row
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.search.answer.plan import Plan
from symindex.search.language.query import Name, Query, Words
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.headings import find_headings
from symindex.text.editing.edit_buffer import Encoding
from symindex.text.folding import fold

STRONG_POINTS: Final = round((BANDS[Tier.SUBSTRING][0] - BAND_TOLERANCE) * POINTS)
"""Lowest score, in points, of a symbol that matches by more than single letters far from each
other."""

LEAST_LETTERS: Final = 3
"""Shortest query, in letters, that finds headings: fewer letters begin a word in almost every
document."""


def with_headings(
    view: FoldersView,
    plan: Plan,
    rows: list[Row],
    place: int,
    encoding: Encoding,
) -> list[Row]:
    """Returns the rows of a search with headings among them, at most as many as the plan asks for.
    place: the number of the row before which the headings are inserted."""
    text = _typed(plan.query)
    documents = view.snapshot.documents
    if len(text) < LEAST_LETTERS or not documents.parts:
        return rows
    n_more = None if plan.max_items is None else plan.max_items - place
    if n_more is not None and n_more <= 0:
        return rows
    heading_rows = find_headings(documents, text, plan.filter, n_more)
    headings = _one_per_line(place_rows(view, documents, heading_rows, encoding))
    return [
        *rows[:place],
        *((match.name, match.container, match) for match in headings),
        *rows[place:],
    ][: plan.max_items]


def _typed(query: Query) -> str:
    """Returns the text that headings are compared with; empty if the query is only about
    symbols."""
    if isinstance(query, Name):
        return query.literal if query.name else ""
    return " ".join(query.texts) if isinstance(query, Words) else ""


def first_weaker(query: Query, rows: Sequence[Row], scattered: Set[str]) -> int:
    """Returns the number of the first row that matches worse than headings do, or the number of
    rows if there is none. scattered: the names that contain the query's letters only far from each
    other."""
    words = [fold(text) for text in query.texts] if isinstance(query, Words) else []
    if not words and not scattered:
        return len(rows)

    def is_weaker(name: str) -> bool:
        return name in scattered or any(word not in fold(name) for word in words)

    return next((number for number, row in enumerate(rows) if is_weaker(row[2].name)), len(rows))


def _one_per_line(matches: list[Match]) -> list[Match]:
    """Returns one match for each line. An item and its own heading share a line: the heading
    remains, because its name is the text of that line."""
    chosen: dict[tuple[str, str, int], Match] = {}
    for match in matches:
        line = match.folder.name, match.path, match.line
        if line not in chosen or (chosen[line].kind != match.kind == _SECTION):
            chosen[line] = match
    return [*chosen.values()]


_SECTION: Final = KINDS[SymbolKind.SECTION].code
