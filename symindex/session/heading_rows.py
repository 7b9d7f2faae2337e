"""Headings among the rows that an editor shows: behind code that matches as well as they do, before code that matches worse."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from symindex.extract.languages.registry import Languages
from symindex.protocol import SearchRequest
from symindex.search.answer import make_filter
from symindex.search.headings import find_headings
from symindex.search.match.names import Needle, match_strong
from symindex.search.query import Name, Query, Words
from symindex.session.editor_positions import Match, place_rows
from symindex.session.merged_view import FoldersView
from symindex.session.row_names import Row
from symindex.text.edit_buffer import Encoding
from symindex.text.folding import fold

LEAST_LETTERS: Final = 3
"""Less than a word: so few letters begin a word of nearly every document."""


def with_headings(
    view: FoldersView, request: SearchRequest, query: Query, rows: list[Row], languages: Languages, encoding: Encoding
) -> list[Row]:
    """The rows of a search, at most as many as the request asks for, with headings among them. Code that matches by no more than
    letters that are scattered, or by other words than those of its name, comes behind these."""
    text = _typed(query)
    documents = view.snapshot.documents
    if len(text) < LEAST_LETTERS or not documents.parts:
        return rows
    at = _first_weaker(query, rows)
    room = None if request.max_items is None else request.max_items - at
    if room is not None and room <= 0:
        return rows
    found = find_headings(documents, text, make_filter(request, languages), room)
    placed = _once_a_place(place_rows(view, documents, found, encoding))
    return [*rows[:at], *((match.name, match.container, match) for match in placed), *rows[at:]][: request.max_items]


def _typed(query: Query) -> str:
    """What headings are compared with; empty where only symbols are meant."""
    if isinstance(query, Name):
        return query.literal if query.name else ""
    return " ".join(query.texts) if isinstance(query, Words) else ""


def _first_weaker(query: Query, rows: Sequence[Row]) -> int:
    """The number of the first row that matches worse than a heading does, or how many there are."""
    if isinstance(query, Name):
        needle = Needle(query.name)

        def is_scattered(row: Row) -> bool:
            name = row[2].name
            return not match_strong(needle, name, fold(name))

        return bisect_left(rows, True, key=is_scattered)  # a better tier always comes first
    words = [fold(text) for text in query.texts] if isinstance(query, Words) else []
    return next((at for at, row in enumerate(rows) if any(word not in fold(row[2].name) for word in words)), len(rows))


def _once_a_place(matches: list[Match]) -> list[Match]:
    """The matches without those that stand where a better one does: the heading of what is an item, too."""
    first: dict[tuple[str, str, int], Match] = {}
    for match in matches:
        first.setdefault((match.folder.name, match.path, match.line), match)
    return [*first.values()]
