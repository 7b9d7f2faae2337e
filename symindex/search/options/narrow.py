"""From options to narrowings: which rows of a snapshot they let through."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from symindex.extract.languages.registry import Languages
from symindex.index.columns.arrays import Mask
from symindex.index.snapshot import Part
from symindex.search.answer.filters import Narrowing
from symindex.search.answer.items import rows_where
from symindex.search.language.fields import FACTS, with_language_ids
from symindex.search.language.query import FIELDS, Node, Term, fields_in
from symindex.search.options.dates import DATES, DateRange, files_within, own_date
from symindex.search.options.exact_values import ALIASES as FILTER_ALIASES
from symindex.search.options.exact_values import VALUES, rows_with_values
from symindex.search.options.field_names import check_field_names
from symindex.search.options.field_queries import ALIASES as FIELD_ALIASES
from symindex.search.options.read import EVERY_SPACE, Options
from symindex.search.options.scopes import rows_in_scopes, rows_of_types
from symindex.search.words.meaning import Tolerance


def narrowings(options: Options, languages: Languages) -> tuple[Narrowing, ...]:
    """What the options leave out, beside what the query itself decides. Raises RequestError for an
    unknown language."""
    of_fields = [
        _matching(with_language_ids(node, languages), options.tolerance) for node in options.fields
    ]
    each = [
        _each(lambda part, values=values: rows_with_values(part, values, languages))  # type: ignore[misc]
        for values in options.filters
    ]
    if (dates := options.dates) is not None:
        each.append(_each(lambda part: _within(part, dates)))
    if scopes := options.scopes:
        each.append(_each(lambda part: rows_in_scopes(part, scopes)))
    if types := options.types:
        each.append(_each(lambda part: rows_of_types(part, types)))
    if options.space != EVERY_SPACE:
        each.append(_each(lambda part: FACTS["space"](part, Term("space", options.space))))
    return (
        *_checked(options),
        *each,
        *of_fields,
    )  # in this order, because only the last may have to read files


def _within(part: Part, dates: DateRange) -> Mask:
    """By row: whether its date is in a range. The date of an item is what its metadata says, and
    else that of its file."""
    of_files: Mask = part.index.spread_files(files_within(part.index, dates)).astype(bool)
    is_dated = rows_where(part.index, lambda fact: own_date(fact) is not None)
    is_inside = rows_where(part.index, lambda fact: dates.holds(own_date(fact)))
    inside: Mask = np.where(is_dated, is_inside, of_files)
    return inside


def _checked(options: Options) -> Iterator[Narrowing]:
    """Narrowings that leave out nothing, but refuse fields that nothing has."""
    of_filters = {each.field for each in options.filters}
    of_fields = {field for node in options.fields for field in fields_in(node)}
    if of_filters - VALUES.keys():
        yield _with_known_fields("filters", of_filters, {*VALUES, *FILTER_ALIASES, *DATES})
    if of_fields - {*FIELDS}:
        yield _with_known_fields("fields", of_fields, {*FIELDS, *FIELD_ALIASES})


def _with_known_fields(option: str, wanted: set[str], known: set[str]) -> Narrowing:
    def narrow(parts: Sequence[Part]) -> list[Mask]:
        check_field_names(option, parts, sorted(wanted), known)
        return [np.ones(part.index.n_symbols, dtype=bool) for part in parts]

    return narrow


def _matching(node: Node, tolerance: Tolerance) -> Narrowing:
    """A narrowing to what a query matches."""
    from symindex.search.language.boolean import (
        rows_matching,
    )  # here, because few requests have such queries

    return partial(rows_matching, node=node, tolerance=tolerance)


def _each(rows: Callable[[Part], Mask]) -> Narrowing:
    """A narrowing that looks at each part by itself."""

    def narrow(parts: Sequence[Part]) -> list[Mask]:
        return [rows(part) for part in parts]

    return narrow
