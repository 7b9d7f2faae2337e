"""Scores qualified queries: how well containers and paths match the part of `Auth.login` before the
last separator."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.index.columns.arrays import F64, I32, I64, U64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.name_bitmaps import letter, letters_and_initials
from symindex.index.columns.strings import StringTable
from symindex.search.language.query import Name
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Needle, match_strong, tier_of
from symindex.text.folding import fold
from symindex.text.patterns.wildcard import matches_wildcard


def qualify(index: Index, query: Name, rows: I64, points: I32) -> I32:
    """Returns the points of rows whose names match, lowered by how well the query's qualifiers
    match."""
    if not query.qualifiers:
        return points
    return np.rint(
        _join_parts(points / POINTS, _qualifier_scores(index, query, rows)) * POINTS
    ).astype(np.int32)


_LOWEST, _HIGHEST = np.array(sorted(BANDS.values())).T


def _join_parts(of_names: F64, of_qualifiers: F64) -> F64:
    """Returns scores in the tier of the weaker part. Their place within the tier depends half on
    that part and half on the better one: a member of exactly `Auth` comes before a shorter one of
    `Auths`."""
    weaker, better = np.minimum(of_names, of_qualifiers), np.maximum(of_names, of_qualifiers)
    tier = np.maximum(np.searchsorted(_LOWEST - BAND_TOLERANCE, weaker) - 1, 0)
    low, high = _LOWEST[tier], _HIGHEST[tier]
    return np.where(
        weaker > 0, low + (high - low) * ((weaker - low) / (high - low) + better) / 2, 0.0
    )


def member_points(index: Index, query: Name) -> I32:
    """Returns the points of all rows for `Auth.`: above 0 for members of what matches."""
    scores = _qualifier_scores(index, query, np.arange(index.n_symbols))
    points: I32 = np.rint(np.minimum(scores, 0.99) * POINTS).astype(np.int32)
    return points


def best_tier(points: Iterable[I32]) -> int:
    """Returns the lowest points in the tier of the best: members of lesser matches would only bury
    the best."""
    best = max((int(of_part.max()) for of_part in points if len(of_part)), default=0)
    low, _ = BANDS[tier_of(best / POINTS)] if best else (0.0, 0.0)
    return int((low - BAND_TOLERANCE) * POINTS) + 1 if best else 1


def matched_parts(parts: list[str], qualifiers: Iterable[str]) -> list[int]:
    """Returns which parts of a path and its containers, innermost last, the qualifiers of a hit
    matched; empty if they did not match."""
    needles = list(map(Needle, qualifiers))
    chain = _match_chain(
        len(needles), parts, lambda number, part: match_strong(needles[number], part, fold(part))
    )
    return [place for place, _ in reversed(chain)]


def _match_part(needle: Needle, part: str) -> float:
    """Returns how well a qualifier matches a part. Only the qualifiers of a wildcard contain a
    `*`."""
    folded = fold(part)
    if "*" in needle.text:
        return _WILDCARD if matches_wildcard(needle.folded, folded) else 0.0
    return match_strong(needle, part, folded)


_WILDCARD: Final = 0.9
"""Score of a part that matches a qualifier with `*`: that of a name that matches a wildcard."""


def _match_chain(
    n_needles: int, parts: list[str], score: Callable[[int, str], float]
) -> list[tuple[int, float]]:
    """Returns the parts that the needles match, in order, and how well, both from the innermost on;
    empty if some needle matches none. score: takes the number of a needle, and a part."""
    place, chain = len(parts), []
    for number in range(n_needles - 1, -1, -1):
        place -= 1
        while place >= 0 and not (matches := score(number, parts[place])):
            place -= 1
        if place < 0:
            return []
        chain.append((place, matches))
    return chain


_GAP = 0.001
"""Cost of each container or folder between two parts of a qualified name: enough to order hits, too
little to change tiers."""


def _qualifier_scores(index: Index, query: Name, rows: I64) -> F64:
    """Returns how well the path and containers of each row match the qualifiers, in order; 0.0 for
    no match.

    Passes: keep the rows with a container or path that may match any qualifier; score each distinct
    pair of container and file; copy the scores to the rows.
    """
    if len(query.qualifiers) > _DEEP and len(query.qualifiers) > _depth(index):
        return np.zeros(len(rows))
    parts = _parts_for(index, query.qualifiers)
    containers, files = index.container_of(rows).astype(np.int64), index.file_of(rows)
    may_match = np.flatnonzero(
        parts.hits(containers, index.containers, parts.of_container)
        | parts.hits(files, index.paths, parts.of_file)
    )
    in_containers = cache(
        lambda container: parts.score_chain(parts.of_container(container), innermost=not query.name)
    )

    def score(container: int, file: int) -> float:
        score = in_containers(container)
        if not score and (container or query.name or query.in_path):
            all_parts = parts.of_file(file) + parts.of_container(container)
            score = parts.score_chain(all_parts, innermost=not (query.name or query.in_path))
        return score

    # Many rows have the same container and file.
    pairs, pair_of = np.unique(
        containers[may_match] * index.n_files + files[may_match], return_inverse=True
    )
    scores = np.zeros(len(rows))
    scores[may_match] = np.array([score(*divmod(pair, index.n_files)) for pair in pairs.tolist()])[
        pair_of
    ]
    return scores


_DEEP: Final = 64
"""Number of qualifiers from which the depth of the index is checked first, because each qualifier
is compared with everything."""


def _depth(index: Index) -> int:
    """Returns the most parts that a path and a container have together."""
    tables = ((index.paths, "/"), (index.containers, "."))
    return sum(
        1 + max((text.count(mark) for text in table.all), default=0) for table, mark in tables
    )


_MANY: Final = 256
"""Most texts that are divided and compared one by one: for as few as these, searching the whole
table takes longer."""

_FEW: Final = 4
"""Searching a whole table only pays for the next query. If fewer than one text in this many is
needed, only those texts are searched."""

_INITIAL: Final = np.uint64(32)
"""How many bits above those of letters the bits of initials are."""


def _parts_for(index: Index, qualifiers: Sequence[str]) -> "_Parts":
    """Returns the parts of the last query if it had the same qualifiers, because a user is typing
    the name after them."""
    cached = index.kept.get(_CACHED)
    if not isinstance(cached, _Parts) or cached.qualifiers != tuple(qualifiers) or cached.is_large:
        cached = index.kept[_CACHED] = _Parts(index, tuple(qualifiers))
    return cached


_CACHED: Final = "qualifiers"

_MOST_CACHED: Final = 20_000
"""Most containers or files whose parts are cached for the next query: a few megabytes."""


class _Parts:
    """The parts of containers and paths, each compared with each needle only once.

    score: returns how well the needle of a number matches a part. of_container: returns the parts
    of a container, outermost first. of_file: returns the folders and the name of a file.
    """

    def __init__(self, index: Index, qualifiers: tuple[str, ...]) -> None:
        # Does not reference the index, which caches this object.
        self._memo, self._paths, containers = index.memo, index.paths, index.containers
        paths = self._paths
        self.qualifiers = qualifiers
        self.needles = needles = list(map(Needle, qualifiers))
        self._may_match: dict[str, Mask] = {}  # by table
        self.score = cache(lambda number, part: _match_part(needles[number], part))
        self.of_container = cache(lambda number: containers[number].split(".") if number else [])
        self.of_file = cache(lambda number: path_parts(paths[number]))
        self._matches = cache(
            lambda part: any(self.score(number, part) for number in range(len(needles)))
        )

    @property
    def is_large(self) -> bool:
        """Whether too much was compared to be cached."""
        return (
            max(self.of_container.cache_info().currsize, self.of_file.cache_info().currsize)
            > _MOST_CACHED
        )

    def hits(self, numbers: I64, table: StringTable, divide: Callable[[int], list[str]]) -> Mask:
        """Returns, for each number of a text of the table, whether some needle matches a part of
        the text. Numbers may be repeated."""
        is_hit = np.zeros(len(table), dtype=bool)
        is_hit[numbers] = True
        distinct = np.flatnonzero(is_hit)
        if len(distinct) > _MANY:
            is_hit[distinct] = False
            distinct = self._that_may_match(table, distinct)
        for number in distinct.tolist():
            check_wanted()
            is_hit[number] = any(map(self._matches, divide(number)))
        hits: Mask = is_hit[numbers]
        return hits

    def _that_may_match(self, table: StringTable, numbers: I64) -> I64:
        """Returns those of the numbered texts in which some needle may match a part."""
        name = "paths" if table is self._paths else "containers"
        cached = self._may_match.get(name)
        if cached is not None:
            return numbers[cached[numbers]]
        bits = self._memo.get(("qualifiers", name))
        are_few = bits is None and len(numbers) * _FEW < len(table)
        searched = table.some(numbers) if are_few else table
        if bits is None:
            bits = letters_and_initials(searched.blob, searched.offset)
        hits: Mask = np.logical_or.reduce(
            [_may_hold(searched, bits, needle) for needle in self.needles]
        )
        if are_few:
            return numbers[hits]
        self._memo["qualifiers", name] = bits
        self._may_match[name] = hits
        return numbers[hits[numbers]]

    def score_chain(self, parts: list[str], innermost: bool) -> float:
        """Matches the needles in order against the parts, innermost last. Returns the score of the
        weakest match, less a little for every part skipped.

        innermost: the last needle must match the last part, because members must be the container's
        own.
        """
        chain = _match_chain(len(self.needles), parts, self.score)
        if not chain or (innermost and chain[0][0] < len(parts) - 1):
            return 0.0
        gaps = len(parts) - chain[-1][0] - len(chain)
        weakest = min(score for _, score in chain)
        return weakest - _GAP * min(gaps, 9)


def _may_hold(table: StringTable, bits: U64, needle: Needle) -> Mask:
    """Returns, by text, whether the needle may match a part of it: the text contains the needle,
    with or without its separators, or the needle's first letter and another one begin words of the
    text."""
    check_wanted()
    if not (needle.text.isascii() and needle.squashed.isalnum()):
        return np.ones(len(table), dtype=bool)
    first, *rest = (np.uint64(1 << bit) for bit in map(letter, needle.squashed) if bit is not None)
    letters = np.bitwise_or.reduce([first, *rest])
    may = (bits & (letters | first << _INITIAL)) == letters | first << _INITIAL
    may &= (bits >> _INITIAL & np.bitwise_or.reduce(rest or [np.uint64(0)])) != 0
    for text in {needle.folded, needle.squashed}:
        may |= table.holding(re.compile(re.escape(text.encode())))
    mask: Mask = may
    return mask


def path_parts(path: str) -> list[str]:
    """Returns the folders of a path and the name of its file without the extension."""
    *folders, name = path.split("/")
    dot = name.rfind(".")
    return [*folders, name[:dot] if dot > 0 else name]
