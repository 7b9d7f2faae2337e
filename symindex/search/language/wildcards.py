"""Matches wildcards: against the texts of a table, and as names with qualifiers. `Path.is*` means
members of `Path`; `*Handler.run` means `run` in any container whose name ends so."""

import re
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import I16, I64
from symindex.index.columns.columns import Index
from symindex.index.columns.strings import StringTable
from symindex.search.language.qualifiers import qualify
from symindex.search.language.query import Name
from symindex.text.folding import fold, squash
from symindex.text.patterns.wildcard import matches_wildcard

NAME_POINTS: Final = np.int16(9000)
"""Points of a name that matches a wildcard."""


def names_matching(index: Index, wildcard: str) -> I64:
    """Returns the numbers of the names that a wildcard matches as a whole, both folded, in
    order."""
    first = squash(fold(wildcard).partition("*")[0])
    return numbers_matching(
        index.names, wildcard, range(*index.squashed_range(first)) if first else None
    )


def numbers_matching(table: StringTable, wildcard: str, among: range | None = None) -> I64:
    """Returns the numbers of the texts that a wildcard matches as a whole, both folded, in order.
    among: the range that contains them, if it is known."""
    pieces = [piece.encode() for piece in fold(wildcard).replace("\0", "").split("*")]
    longest = max(pieces, key=len)
    if among is not None or not longest:
        numbers = np.array(among if among is not None else range(len(table)), dtype=np.int64)
    else:
        numbers = np.flatnonzero(table.holding(re.compile(re.escape(longest))))
    numbers = table.beginning_and_ending(numbers, pieces[0], pieces[-1])
    middle = [piece for piece in pieces[1:-1] if piece]
    if not middle or (among is None and len(middle) == 1 and not pieces[0] and not pieces[-1]):
        return numbers
    folded = fold(wildcard)
    check_wanted()
    are_matching = [matches_wildcard(folded, fold(text)) for text in table.take(numbers)]
    matching: I64 = numbers[np.array(are_matching, dtype=bool)]
    return matching


def points_of_qualified(index: Index, query: Name) -> I16:
    """Returns the points of rows whose whole name matches the query's name, and whose containers or
    files match its qualifiers."""
    if "*" in query.name:
        numbers = names_matching(index, query.name)
    else:
        numbers = np.array(index.names_written(query.name), dtype=np.int64)
    rows = index.rows_of_names(numbers)
    points = np.zeros(index.n_symbols, dtype=np.int16)
    points[rows] = qualify(index, query, rows, np.full(len(rows), NAME_POINTS, dtype=np.int32))
    return points
