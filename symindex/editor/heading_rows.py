"""Headings among the rows that an editor shows: behind code that matches as well as they do, before
code that matches worse."""

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

STRONG: Final = round((BANDS[Tier.SUBSTRING][0] - BAND_TOLERANCE) * POINTS)
"""The points from which on a symbol matches by more than letters that are far from each other."""

LEAST_LETTERS: Final = 3
"""Less than a word: so few letters begin a word of nearly every document."""


def with_headings(
    view: FoldersView,
    plan: Plan,
    rows: list[Row],
    at: int,
    encoding: Encoding,
) -> list[Row]:
    """The rows of a search, at most as many as the plan asks for, with headings among them. at:
    before which of the rows."""
    text = _typed(plan.query)
    documents = view.snapshot.documents
    if len(text) < LEAST_LETTERS or not documents.parts:
        return rows
    room = None if plan.max_items is None else plan.max_items - at
    if room is not None and room <= 0:
        return rows
    found = find_headings(documents, text, plan.filter, room)
    placed = _once_a_place(place_rows(view, documents, found, encoding))
    return [*rows[:at], *((match.name, match.container, match) for match in placed), *rows[at:]][
        : plan.max_items
    ]


def _typed(query: Query) -> str:
    """What headings are compared with; empty where only symbols are meant."""
    if isinstance(query, Name):
        return query.literal if query.name else ""
    return " ".join(query.texts) if isinstance(query, Words) else ""


def first_weaker(query: Query, rows: Sequence[Row], scattered: Set[str]) -> int:
    """The number of the first row that matches worse than headings do, or how many rows there are.
    scattered: the names that only hold the letters of the query far from each other."""
    words = [fold(text) for text in query.texts] if isinstance(query, Words) else []
    if not words and not scattered:
        return len(rows)

    def is_weaker(name: str) -> bool:
        return name in scattered or any(word not in fold(name) for word in words)

    return next((at for at, row in enumerate(rows) if is_weaker(row[2].name)), len(rows))


def _once_a_place(matches: list[Match]) -> list[Match]:
    """The matches, one of those that stand in one line: of an item and its own heading, the
    heading, which stands there as it is shown."""
    chosen: dict[tuple[str, str, int], Match] = {}
    for match in matches:
        line = match.folder.name, match.path, match.line
        if line not in chosen or (chosen[line].kind != match.kind == _SECTION):
            chosen[line] = match
    return [*chosen.values()]


_SECTION: Final = KINDS[SymbolKind.SECTION].code
