"""Finds the files that a query names by a path or the end of one, and lists the symbols in them or
around a line."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.search.answer.filters import PartFilter
from symindex.search.language.pasted_names import PastedPlace
from symindex.search.match.lookup import Points
from symindex.search.match.names import BANDS, POINTS, Tier
from symindex.search.names.file_names import files_called
from symindex.search.names.hits import PartHits, RowHits
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.folding import squashed

_MOST_FILES: Final = 64
"""Most files of one name whose symbols are listed."""

_LONGEST_QUOTED: Final = 60
"""Longest query, in characters, that a notice repeats in full."""

_MOST_POINTS: Final = round(BANDS[Tier.PREFIX][0] * POINTS)
"""Most points of a listed symbol: it merely is in a file of that name."""


class Files(NamedTuple):
    """The symbols of named files. hits: by part. notices: what the answer says about them."""

    hits: list[PartHits]
    notices: tuple[str, ...]


def list_files(
    filters: Sequence[PartFilter],
    place: PastedPlace,
    central: Callable[[int], Points],
    any_suffix: bool = False,
) -> Files | None:
    """Returns the symbols of the files whose paths end with the given path, or those around its
    line; `None` if there is no such file. any_suffix: whether a file may have another suffix, as a
    built file has."""
    files = [_files_at(chosen, place, any_suffix) for chosen in filters]
    n_parts = max((length for length, _ in files), default=0)
    if not n_parts:
        return None
    chosen_files = [
        numbers[:_MOST_FILES] if length == n_parts else numbers[:0] for length, numbers in files
    ]
    paths = [
        chosen.part.prefix + path
        for chosen, numbers in zip(filters, chosen_files, strict=True)
        for path in chosen.index.paths.take(numbers)
    ]
    hits, is_around = [], False
    if place.line:
        hits = [
            _around(chosen, numbers, place.line - 1)
            for chosen, numbers in zip(filters, chosen_files, strict=True)
        ]
        is_around = any(part.total for part in hits)
    if not is_around:
        hits = [
            _in_file(chosen, numbers, central(number))
            for number, (chosen, numbers) in enumerate(zip(filters, chosen_files, strict=True))
        ]
    n_more = sum(len(numbers) for length, numbers in files if length == n_parts) - len(paths)
    notice = _notice(place, paths, any(part.total for part in hits), is_around)
    more_notice = f"the symbols of {count_of(n_more, 'more file')} are not listed" * bool(n_more)
    missing_notice = (
        f"no file is called `{shorten(place.parts[-1], _LONGEST_QUOTED)}`" if any_suffix else ""
    )
    return Files(hits, tuple(filter(None, (missing_notice, notice, more_notice))))


def _notice(place: PastedPlace, paths: Sequence[str], has_hits: bool, is_around: bool) -> str:
    """Returns the notice about the files of these paths."""
    is_one = len(paths) == 1
    files = f"`{paths[0]}`" if is_one else f"`{paths[0]}` and {len(paths) - 1} more"
    if not has_hits:
        return f"{files} is a file that contains none of the symbols asked for" if is_one else ""
    if is_around:
        return f"line {place.line} of {files}: the symbols around it, the innermost first"
    nothing = f"no symbol is around line {place.line}; " if place.line else ""
    return (
        f"{files} {'is a file' if is_one else 'are files'}: {nothing}these are the symbols of"
        f" {'it' if is_one else 'them'}"
    )


def _files_at(chosen: PartFilter, place: PastedPlace, any_suffix: bool) -> tuple[int, I64]:
    """Returns how many of a path's last parts the best files of a part have, and these files; 0 if
    there is none."""
    typed_parts = [part.lower() for part in place.parts]
    typed_parts[-1] = typed_parts[-1].rpartition(".")[0] if any_suffix else typed_parts[-1]
    index, base = chosen.index, place.parts[-1]
    numbers = files_called(index, squashed(base.partition(".")[0]))
    if chosen.part.live is not None:
        numbers = numbers[chosen.part.live[numbers]]
    best = 0
    best_files: list[int] = []
    for number, path in zip(numbers.tolist(), index.paths.take(numbers), strict=True):
        parts = (chosen.part.prefix + path).lower().split("/")
        parts[-1] = parts[-1].rpartition(".")[0] if any_suffix else parts[-1]
        shared = 0
        for ours, theirs in zip(reversed(parts), reversed(typed_parts), strict=False):
            if ours != theirs:
                break
            shared += 1
        if shared > best:
            best, best_files = shared, []
        if shared and shared == best:
            best_files.append(number)
    return best, np.array(best_files, dtype=np.int64)


def _rows_of(chosen: PartFilter, numbers: I64) -> I64:
    index = chosen.index
    rows = [
        index.row_at[int(index.file_first[number]) : int(index.file_first[number + 1])]
        for number in numbers.tolist()
    ]
    every = np.concatenate(rows).astype(np.int64) if rows else np.empty(0, dtype=np.int64)
    passing: I64 = every if chosen.lets_all else every[chosen.mask[every]]
    return passing


def _in_file(chosen: PartFilter, numbers: I64, central: Points) -> PartHits:
    rows = _rows_of(chosen, numbers)
    return RowHits(chosen, rows, np.clip(central[rows], 1, _MOST_POINTS).astype(np.int32))


def _around(chosen: PartFilter, numbers: I64, line: int) -> PartHits:
    """Returns the symbols around a line, which is 0-based, the innermost first."""
    spans = []
    for row in _rows_of(chosen, numbers).tolist():
        first, last = chosen.index.lines(row)
        if first <= line <= last:
            spans.append((last - first, -first, row))
    spans.sort()
    rows = np.array([row for _, _, row in spans], dtype=np.int64)
    return RowHits(chosen, rows, (_MOST_POINTS - np.arange(len(rows))).clip(1).astype(np.int32))
