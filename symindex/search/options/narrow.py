"""From options to narrowings: which rows of a snapshot they let through."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from symindex.extract.languages.registry import Languages
from symindex.index.arrays import Mask
from symindex.index.snapshot import Part
from symindex.search.fields import FACTS, with_language_ids
from symindex.search.filters import Narrowing
from symindex.search.options.dates import files_within
from symindex.search.options.exact_values import ExactValues, check_filters, rows_with_values
from symindex.search.options.read import EVERY_SPACE, Options
from symindex.search.options.scopes import rows_in_scopes, rows_of_types
from symindex.search.query import Node, Term


def narrowings(options: Options, languages: Languages) -> tuple[Narrowing, ...]:
    """What the options leave out, beside what the query itself decides. Raises RequestError for an unknown language."""
    of_fields = [_matching(with_language_ids(node, languages), options.forced_edits) for node in options.fields]
    each = [_each(lambda part, values=values: rows_with_values(part, values, languages)) for values in options.filters]  # type: ignore[misc]
    if options.filters:
        each.insert(0, _checked(options.filters))
    if (dates := options.dates) is not None:
        each.append(_each(lambda part: part.index.spread_files(files_within(part.index, dates)).astype(bool)))
    if scopes := options.scopes:
        each.append(_each(lambda part: rows_in_scopes(part, scopes)))
    if types := options.types:
        each.append(_each(lambda part: rows_of_types(part, types)))
    if options.space != EVERY_SPACE:
        each.append(_each(lambda part: FACTS["space"](part, Term("space", options.space))))
    return (*each, *of_fields)  # in this order, because only these may have to read files


def _checked(wanted: tuple[ExactValues, ...]) -> Narrowing:
    """A narrowing that leaves out nothing, but refuses fields that nothing has."""

    def narrow(parts: Sequence[Part]) -> list[Mask]:
        check_filters(parts, wanted)
        return [np.ones(part.index.n_symbols, dtype=bool) for part in parts]

    return narrow


def _matching(node: Node, edits: int | None) -> Narrowing:
    """A narrowing to what a query matches."""
    from symindex.search.boolean import rows_matching  # here, because few requests have such queries

    return partial(rows_matching, node=node, edits=edits)


def _each(rows: Callable[[Part], Mask]) -> Narrowing:
    """A narrowing that looks at each part by itself."""

    def narrow(parts: Sequence[Part]) -> list[Mask]:
        return [rows(part) for part in parts]

    return narrow
