"""Decides what a qualified or pasted name means in a source tree.

The passes, of which the first to find something decides: the readings of the name
(`search/language/pasted_names`) that some symbol has exactly; a file, or a line of one; a reading
without its first qualifiers; the name of a module; the best match of any reading; a file with
another suffix.

Arguments and an arity put symbols with such parameters first. Notices say what was left out, and
what was taken for what.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symindex.extract.clauses import split_parameters
from symindex.index.columns.arrays import distinct_of
from symindex.index.columns.columns import Index
from symindex.protocol.kinds import KIND_OF_CODE, SymbolKind
from symindex.search.answer.filters import PartFilter
from symindex.search.language.pasted_names import Reading, place_of, readings_of, shortened
from symindex.search.language.query import Name
from symindex.search.match.lookup import Points
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.hits import PartHits, RowHits
from symindex.search.names.named_files import list_files
from symindex.text.escaping import shorten

_EXACT: Final = round((BANDS[Tier.EXACT][0] - BAND_TOLERANCE) * POINTS)
_PREFIX: Final = round((BANDS[Tier.PREFIX][0] - BAND_TOLERANCE) * POINTS)

_MOST_COMPARED: Final = 256
"""Most symbols of one name whose signatures are compared with the typed arguments."""

_LONGEST_QUOTED: Final = 60
"""Longest query, in characters, that a notice repeats in full."""


@dataclass(frozen=True)
class ChosenReading:
    """A reading that was chosen. query: the reading. hits: by part. is_place: whether they are the
    symbols of a file, which is not a name. notices: what the answer says about it."""

    query: Name
    hits: list[PartHits]
    is_place: bool = False
    notices: tuple[str, ...] = ()


def choose_reading(
    filters: Sequence[PartFilter],
    query: Name,
    find: Callable[[Name], list[PartHits]],
    central: Callable[[int], Points],
    may_guess: bool,
) -> ChosenReading:
    """Returns what a query means that is not merely a word.

    find: returns the hits of a name in the strong tiers, by part. central: returns the points of
    rows of a part that no name decides. may_guess: whether parts of the name that nothing has may
    be left out.
    """
    tried: list[tuple[int, Reading, list[PartHits]]] = []
    for reading in readings_of(query):
        hits = find(reading.query) if reading.query.name else []
        tried.append((_best(hits), reading, hits))
        if tried[-1][0] >= _EXACT:
            return _by_parameters(*tried[-1][1:])
    place = place_of(query.literal)
    if place is not None and (listed := list_files(filters, place, central)) is not None:
        return ChosenReading(query, listed.hits, True, listed.notices)
    points, reading, hits = max(tried, key=lambda attempt: attempt[0])
    bare = next((reading for _, reading, _ in tried if reading.is_bare), reading)
    if may_guess and (chosen := _shortened(bare, find)) is not None:
        return chosen
    if points < _PREFIX and (of_module := _of_module(filters, tried, find)) is not None:
        return of_module
    if points:
        return _by_parameters(reading, hits)
    reading = bare
    if may_guess and place is not None and place.may_be_built:
        listed = list_files(filters, place, central, any_suffix=True)
        if listed is not None:
            return ChosenReading(query, listed.hits, True, listed.notices)
    hits = next(hits for _, attempt, hits in tried if attempt is reading)
    is_path = place is not None and place.may_be_built and (place.line or len(place.parts) > 1)
    return ChosenReading(
        reading.query,
        hits,
        notices=(f"no file of the index is `{shorten(query.literal, _LONGEST_QUOTED)}`",)
        if is_path
        else (),
    )


def _shortened(reading: Reading, find: Callable[[Name], list[PartHits]]) -> ChosenReading | None:
    """Returns what a reading names exactly without its first qualifiers; `None` if nothing."""
    for shorter in shortened(reading):
        hits = find(shorter.query)
        if _best(hits) >= _EXACT:
            chosen, n_left = _by_parameters(shorter, hits), len(shorter.query.qualifiers)
            left_out = ".".join(reading.query.qualifiers[: len(reading.query.qualifiers) - n_left])
            notice = (
                f"nothing is inside of `{shorten(left_out, _LONGEST_QUOTED)}` here; what is shown"
                f" matches `{shorter.query}`"
            )
            return ChosenReading(chosen.query, chosen.hits, notices=(notice, *chosen.notices))
    return None


def _of_module(
    filters: Sequence[PartFilter],
    tried: Sequence[tuple[int, Reading, list[PartHits]]],
    find: Callable[[Name], list[PartHits]],
) -> ChosenReading | None:
    """Returns the symbols of a reading whose only qualifier is the last part of a module's name,
    which need be neither a folder nor a file: `gin.Context` in the module
    `github.com/gin-gonic/gin`."""
    for _, reading, _ in tried:
        *outer, module = ("", *reading.query.qualifiers)
        if not module or len(outer) > 1 or not reading.query.name:
            continue
        name = next(
            (
                name
                for chosen in filters
                for name in _modules(chosen.index)
                if name.rpartition("/")[2] == module
            ),
            "",
        )
        if not name:
            continue
        plain = Reading(
            Name(reading.query.name, (), reading.query.name), reading.arity, reading.parameters
        )
        hits = find(plain.query)
        if _best(hits) >= _EXACT:
            chosen = _by_parameters(plain, hits)
            notice = (
                f"`{shorten(module, _LONGEST_QUOTED)}` is the module"
                f" {shorten(name, _LONGEST_QUOTED)}: what is shown has the name"
            )
            return ChosenReading(chosen.query, chosen.hits, notices=(notice, *chosen.notices))
    return None


def _modules(index: Index) -> list[str]:
    """Returns the names of modules that contain a slash. They come from manifests, and no folder
    need repeat them."""
    modules: Any = index.memo.get(("modules",))
    if modules is None:
        are = np.array(
            [KIND_OF_CODE[traits & 255] is SymbolKind.MODULE for traits in index.columns.traits_of],
            dtype=bool,
        )
        rows = np.flatnonzero(are[index.traits]) if are.any() else np.empty(0, dtype=np.int64)
        names = index.names.take(distinct_of(index.name_of(rows)))
        modules = index.memo["modules",] = np.array(
            [name for name in names if "/" in name], dtype=np.str_
        )
    return [str(name) for name in modules]


def _best(hits: Sequence[PartHits]) -> int:
    return max((int(part.best(1)[1].max()) for part in hits if part.total), default=0)


def _by_parameters(reading: Reading, hits: list[PartHits]) -> ChosenReading:
    """Returns the hits; among equal ones, those with the requested parameters come first."""
    best = _best(hits)
    if reading.arity is None and not reading.parameters:
        return ChosenReading(reading.query, hits)
    columns = [part.everything() for part in hits]
    equal = [
        np.flatnonzero(points >= _EXACT if best >= _EXACT else points == best)
        for _, points in columns
    ]
    if sum(map(len, equal)) > _MOST_COMPARED:
        return ChosenReading(reading.query, hits)
    fit = [
        np.array(
            [_fit(part.chosen.index, row, reading) for row in rows[places].tolist()],
            dtype=np.float64,
        )
        for part, (rows, _), places in zip(hits, columns, equal, strict=True)
    ]
    if not any(values.any() for values in fit):
        notice = (
            f"nothing named `{reading.query}` has {reading.arity} parameters"
            if reading.arity is not None
            else ""
        )
        return ChosenReading(
            reading.query, hits, notices=(notice,) if notice and best >= _EXACT else ()
        )
    ordered: list[PartHits] = []
    keys = [
        np.stack((values == 0, -points[places], -values))
        for (_, points), places, values in zip(columns, equal, fit, strict=True)
    ]
    _, ranks = np.unique(np.concatenate(keys, axis=1), axis=1, return_inverse=True)
    for part, (rows, points), places, values in zip(
        hits, columns, equal, np.split(ranks, np.cumsum([*map(len, equal)])[:-1]), strict=True
    ):
        lower = points.copy()
        lower[places] = np.maximum(best - values, 1)
        ordered.append(RowHits(part.chosen, rows, lower))
    return ChosenReading(reading.query, ordered)


def _fit(index: Index, row: int, reading: Reading) -> float:
    """Returns how well the parameters in a symbol's signature agree with the typed ones; 0 if their
    number differs."""
    signature, name = index.signature(row), index.name_at(row)
    start = signature.find(f"{name}(")
    written = split_parameters(signature[start + len(name) :]) if start >= 0 else []
    n_typed = (
        reading.arity
        if reading.arity is not None
        else len(split_parameters(f"({reading.parameters})"))
    )
    default = _MATCHED if reading.arity is not None else _ASSIGNED
    optional = sum(1 for parameter in written if default in parameter)
    if not len(written) - optional <= n_typed <= len(written):
        return 0.0
    words, typed_words = _words(" ".join(written)), _words(reading.parameters)
    return 1.0 + len(words & typed_words) / (1 + len(words | typed_words)) - optional / 1_000


_MATCHED, _ASSIGNED = "\\\\", "="
"""What precedes a default: in languages with arities, an equals sign is a pattern."""


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+|&&|[&*]", text.lower()))
