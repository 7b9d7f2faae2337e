"""Wildcards with qualifiers: `Path.is*` are members of `Path`, `*Handler.run` is `run` in any of these."""

import re

import msgspec
import numpy as np

from symindex.index.arrays import I16
from symindex.index.columns import Index
from symindex.search.qualifiers import best_tier, member_points, qualify
from symindex.search.query import Name

_NAME_POINTS = np.int16(9000)
"""The points of a name that a wildcard matches."""


def points_of_qualified(index: Index, query: Name, pattern: re.Pattern[bytes]) -> I16:
    """By row: the points of whole names that the query's name matches, where containers or files match its qualifiers.

    `Path.*` is `Path.`: the members of what matches best. pattern: of the folded name.
    """
    if not query.name.strip("*"):
        members = member_points(index, msgspec.structs.replace(query, name=""))
        return np.where(members >= best_tier([members]), members, 0).astype(np.int16)
    if "*" in query.name:
        numbers = np.flatnonzero(index.names.holding(pattern))
    else:
        numbers = np.array(index.names_written(query.name), dtype=np.int64)
    rows = index.rows_of_names(numbers)
    points = np.zeros(index.n_symbols, dtype=np.int16)
    points[rows] = qualify(index, query, rows, np.full(len(rows), _NAME_POINTS, dtype=np.int32))
    return points
