"""Narrowings: which rows of a snapshot the options let through."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from symindex.errors import RequestError
from symindex.extract.languages.registry import Languages
from symindex.index.columns.arrays import Mask
from symindex.index.snapshot import Part
from symindex.search.answer.filters import Narrowing
from symindex.search.answer.items import fields_of, rows_where
from symindex.search.language.fields import FACTS, with_language_ids
from symindex.search.language.query import FIELDS, METADATA, Node, Term, fields_in
from symindex.search.options.dates import DATES, DateRange, files_within, own_date
from symindex.search.options.exact_values import ALIASES as FILTER_ALIASES
from symindex.search.options.exact_values import VALUES, rows_with_values
from symindex.search.options.field_queries import ALIASES as FIELD_ALIASES
from symindex.search.options.given import shown
from symindex.search.options.read import EVERY_SPACE, Options
from symindex.search.options.scopes import rows_in_scopes, rows_of_types
from symindex.search.words.meaning import Tolerance
from symindex.text.escaping import shorten


def narrowings(options: Options, languages: Languages) -> tuple[Narrowing, ...]:
    """Returns a narrowing for each option, besides the query itself. Raises RequestError for an
    unknown language."""
    of_fields = [
        _matching(with_language_ids(node, languages), options.tolerance) for node in options.fields
    ]
    narrowings_by_value = [
        _each(lambda part, values=values: rows_with_values(part, values, languages))  # type: ignore[misc]
        for values in options.filters
    ]
    if (dates := options.dates) is not None:
        narrowings_by_value.append(_each(lambda part: _within(part, dates)))
    if scopes := options.scopes:
        narrowings_by_value.append(_each(lambda part: rows_in_scopes(part, scopes)))
    if types := options.types:
        narrowings_by_value.append(_each(lambda part: rows_of_types(part, types)))
    if options.space != EVERY_SPACE:
        narrowings_by_value.append(
            _each(lambda part: FACTS["space"](part, Term("space", options.space)))
        )
    return (
        *_checked(options),
        *narrowings_by_value,
        *of_fields,
    )  # in this order, because only the last ones may have to read files


def _within(part: Part, dates: DateRange) -> Mask:
    """Returns for each row whether its date is in a range. The date of an item is in its metadata,
    or else it is the date of its file."""
    of_files: Mask = part.index.spread_files(files_within(part.index, dates)).astype(bool)
    is_dated = rows_where(part.index, lambda fact: own_date(fact) is not None)
    is_inside = rows_where(part.index, lambda fact: dates.contains(own_date(fact)))
    inside: Mask = np.where(is_dated, is_inside, of_files)
    return inside


def _checked(options: Options) -> Iterator[Narrowing]:
    """Yields narrowings that leave out nothing, but refuse fields that do not exist."""
    of_filters = {filter.field for filter in options.filters}
    of_fields = {field for node in options.fields for field in fields_in(node)}
    if of_filters - VALUES.keys():
        yield _with_known_fields("filters", of_filters, {*VALUES, *FILTER_ALIASES, *DATES})
    if of_fields - {*FIELDS}:
        yield _with_known_fields("fields", of_fields, {*FIELDS, *FIELD_ALIASES})


def _with_known_fields(option: str, used_fields: set[str], own_fields: set[str]) -> Narrowing:
    def narrow(parts: Sequence[Part]) -> list[Mask]:
        _check_field_names(option, parts, sorted(used_fields), own_fields)
        return [np.ones(part.index.n_symbols, dtype=bool) for part in parts]

    return narrow


def _matching(node: Node, tolerance: Tolerance) -> Narrowing:
    """Returns a narrowing to the rows that a query matches."""
    from symindex.search.language.boolean import (
        rows_matching,
    )  # imported here, because few requests include queries for fields

    return partial(rows_matching, node=node, tolerance=tolerance)


def _each(rows: Callable[[Part], Mask]) -> Narrowing:
    """Returns a narrowing that examines each part separately."""

    def narrow(parts: Sequence[Part]) -> list[Mask]:
        return [rows(part) for part in parts]

    return narrow


_LONGEST_LIST: Final = 1_000
"""Longest list of fields in a message, in characters."""


def _check_field_names(
    option: str, parts: Sequence[Part], used_fields: Collection[str], own_fields: Collection[str]
) -> None:
    """Raises RequestError for a field that neither symbols nor any item of the snapshot have; it
    lists the fields that exist. Items may have any field in their metadata. own_fields: the
    fields of the option itself."""
    unknown = [field for field in used_fields if field not in own_fields and field not in METADATA]
    if not unknown:
        return
    metadata_fields = {name for part in parts for name in fields_of(part)}
    lower = {name.lower() for name in metadata_fields}
    for field in unknown:
        if field not in lower:
            reason = (
                "neither symbols nor items have a field"
                if metadata_fields
                else "symbols have no field"
            )
            listed = ", ".join(sorted({*own_fields, *METADATA, *metadata_fields}))
            raise RequestError(
                f"{option}: {reason} {shown(field)}: expected one of"
                f" {shorten(listed, _LONGEST_LIST)}"
            )
