"""The weak tiers of `search/match/names`, typo and subsequence, for many names at once: the same
rules and the same scores."""

from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F64, I8, I64, U8, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.name_bitmaps import begins_word, initial, letter, letters_of, pair
from symindex.search.match.bulk import (
    Points,
    gather,
    in_batches,
    odd_among,
    one_by_one,
    place_in,
    to_points,
    with_odd,
)
from symindex.search.match.names import (
    BANDS,
    PREFIX_EDITS,
    WORD_EDITS,
    Needle,
    Tier,
    match_subsequence,
    match_typo,
)

_COMPARED: Final = 131_072
"""Names in a batch that is compared with the needle."""

_FAR: Final = 100
"""Edits of what is too far away."""

_MANY: Final = 2_000
"""Fewer names are compared at once, more are filtered first."""


def score_typos(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier typo, in order, and their points; 0 for those that do
    not match."""
    limit = needle.max_typos
    if not limit:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    numbers = _may_be_near(index, needle)
    if not needle.folded.isascii():
        return numbers, one_by_one(index, needle, numbers, match_typo)
    edits = np.full(len(index.names), float(_FAR))
    edits[numbers] = in_batches(numbers, partial(_edits_of_names, index, needle), float, _COMPARED)
    by_word, of_word = _edits_of_words(index, needle)
    edits[by_word] = np.where(
        edits[by_word] > 1.0, np.minimum(edits[by_word], of_word + WORD_EDITS), edits[by_word]
    )
    edits[numbers[odd_among(index, numbers)]] = 0.0  # scored by the rule below
    near: I64 = np.flatnonzero(edits < limit + 1.0)
    points = to_points(place_in(BANDS[Tier.TYPO], 1.0 - edits[near] / (limit + 1.0)))
    return near, with_odd(index, needle, near, points, match_typo)


def _may_be_near(index: Index, needle: Needle) -> I64:
    """The names whose whole or beginning may be near enough. An edit removes at most one letter and
    three pairs of neighbours, and leaves one of the needle's pieces."""
    letters = {number for number in map(letter, needle.squashed) if number is not None}
    pairs = {pair(*two) for two in pairwise(needle.folded)}
    chosen = index.slices.choose()
    chosen.keep_most(sorted(letters), len(letters) - needle.max_typos)
    chosen.keep_most(sorted(pairs), len(pairs) - 3 * needle.max_typos)
    if needle.pieces:
        chosen.keep_one_of(
            [[pair(*two) for two in pairwise(part)] or [letter(part)] for _, part in needle.pieces]
        )
    numbers = chosen.numbers()
    numbers = numbers[index.names.lengths[numbers] >= max(len(needle.folded) - needle.max_typos, 1)]
    if len(numbers) <= _MANY or not needle.folded.isascii() or not needle.pieces:
        return numbers
    held: I64 = numbers[in_batches(numbers, partial(_hold_in_place, index, needle), bool)]
    return held


def _hold_in_place(index: Index, needle: Needle, numbers: I64) -> Mask:
    """By name: whether one of the pieces stands where it may. Odd names pass."""
    limit = needle.max_typos
    starts = index.names.offset[numbers].astype(np.int64)
    eights = range(0, len(needle.folded) + limit, 8)
    read = (
        np.concatenate([_eight_rows(index.names.blob, starts + at) for at in eights]) | _SMALL_BIT
    )
    hold = np.zeros(len(numbers), dtype=bool)
    hold[odd_among(index, numbers)] = True
    for place, part in needle.pieces:
        wanted = [code | _SMALL_BIT for code in part.encode()]
        for at in range(max(place - limit, 0), place + limit + 1):
            here = read[at] == wanted[0]
            for step, code in enumerate(wanted[1:], start=at + 1):
                here &= read[step] == code
            hold |= here
    return hold


def _hold_in_order(index: Index, letters: bytes, numbers: I64) -> Mask:
    """By name: whether it may hold the letters in order, judged by its first _READ bytes. Odd names
    pass."""
    wanted = np.frombuffer(bytes(code | _SMALL_BIT for code in letters) + b"\0", dtype=np.uint8)
    hold = np.zeros(len(numbers), dtype=bool)
    hold[odd_among(index, numbers)] = True
    left, starts = np.arange(len(numbers)), index.names.offset[numbers].astype(np.int64)
    count = np.zeros(len(numbers), dtype=np.uint8)
    for _ in range(_READ // 8):
        goes_on = np.ones(len(left), dtype=bool)
        for row in _eight_rows(index.names.blob, starts):
            goes_on &= row != 0
            count += (row | _SMALL_BIT == wanted[count]) & goes_on
        hold[left[count == len(letters)]] = True
        kept = np.flatnonzero(goes_on & (count < len(letters)))
        left, starts, count = left[kept], starts[kept] + 8, count[kept]
    hold[left] = True
    return hold


def _eight_rows(blob: memoryview, starts: I64) -> U8:
    """The eight bytes at each place: a row of the first bytes, a row of the second ones and so on;
    0 behind the end of the blob."""
    padded = blob if len(blob) > 7 else bytes(blob).ljust(8, b"\0")
    pieces = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))
    beyond = np.clip(starts - len(pieces) + 1, 0, 8)
    read = pieces[np.minimum(starts, len(pieces) - 1)]
    for number in np.flatnonzero(beyond).tolist():
        read[number] = int(read[number]) >> 8 * int(beyond[number])
    return np.ascontiguousarray(read.view(np.uint8).reshape(-1, 8).T)


_SMALL_BIT: Final = np.uint8(32)
"""Turns capitals into small letters, and no two different letters or digits into the same."""

_READ: Final = 64
"""Most names are no longer."""


def _edits_of_names(index: Index, needle: Needle, numbers: I64) -> F64:
    """By name: how many edits it is away from the needle, or its nearest beginning and a little
    more."""
    starts = index.names.offset[numbers].astype(np.int64)
    lengths = index.names.lengths[numbers].astype(np.int64)
    whole, head = count_edits(
        index.names.blob, starts, lengths, needle.folded.encode(), needle.max_typos
    )
    edits: F64 = np.minimum(whole, head + PREFIX_EDITS)
    return edits


def _edits_of_words(index: Index, needle: Needle) -> tuple[I64, I8]:
    """The names that have a word near the needle, in order, and how many edits it is away."""
    words = index.words
    size, limit = len(needle.folded), needle.max_typos
    near = np.flatnonzero(np.abs(words.table.lengths.astype(np.int64) - size) <= limit)
    offsets = words.table.offset[near].astype(np.int64)
    whole, _ = count_edits(
        words.table.blob,
        offsets,
        words.table.lengths[near].astype(np.int64),
        needle.folded.encode(),
        limit,
    )
    best = np.full(len(index.names), _FAR, dtype=np.int8)
    for edits in range(limit, -1, -1):
        best[words.mark_names(near[whole == edits])] = edits
    names = np.flatnonzero(best <= limit)
    return names, best[names]


def count_edits(
    blob: memoryview, starts: I64, lengths: I64, needle: bytes, limit: int
) -> tuple[I8, I8]:
    """Of ASCII texts in `blob`: the edits (optimal string alignment) between each and the needle,
    and between its nearest proper beginning and the needle; _FAR where they are more than `limit`.
    Case is ignored.

    It is the usual table near its diagonal, but filled for all texts at once, with one column for
    each beginning that neighbouring texts share. Texts that are too far away are read no further.
    """
    shortest = len(needle) - limit
    whole = np.full(len(starts), _FAR, dtype=np.int8)
    head = whole.copy()
    data, table = np.frombuffer(blob, dtype=np.uint8), _Table(needle, limit)
    alive = np.flatnonzero(lengths >= shortest)
    group = np.zeros(len(alive), dtype=np.int64)  # by text that is alive: its column
    read = 0
    while len(alive) and read < len(needle) + limit:
        letters = _SMALL[data[starts[alive] + read]]
        new = np.ones(len(alive), dtype=bool)
        new[1:] = (letters[1:] != letters[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        table.read(group[first], letters[first])
        read += 1
        group = np.cumsum(new) - 1
        goes_on = lengths[alive] > read
        if read >= shortest:
            edits = table.nearest[group]
            whole[alive] = np.where(goes_on, whole[alive], edits)
            head[alive] = np.where(goes_on, np.minimum(head[alive], edits), head[alive])
        is_near = table.keep_near()
        kept = is_near[group] & goes_on
        alive, group = alive[kept], (np.cumsum(is_near) - 1)[group[kept]]
    return whole, head


class _Table:
    """Columns of the table of edits near its diagonal, all after the same number of letters read.

    _rows[at]: the edits between what was read and the first `read - limit + at` letters of the
    needle. _before: a letter earlier.
    """

    def __init__(self, needle: bytes, limit: int) -> None:
        self._needle = needle
        self._limit = limit
        self._far = np.int8(limit + 1)
        self._rows = np.full((2 * limit + 1, 1), self._far, dtype=np.int8)
        self._rows[limit:, 0] = np.arange(limit + 1)
        self._before = self._rows
        self._letters = np.zeros(1, dtype=np.uint8)
        self._read = 0

    def read(self, columns: I64, letters: U8) -> None:
        """Continues each of the columns with one letter."""
        rows, before, letters_before = (
            self._rows[:, columns],
            self._before[:, columns],
            self._letters[columns],
        )
        self._read += 1
        needle, read, limit = self._needle, self._read, self._limit
        now = np.full_like(rows, self._far)
        if read <= limit:
            now[limit - read] = read
        for at in range(max(limit - read + 1, 0), min(2 * limit, len(needle) - read + limit) + 1):
            i = read - limit + at  # letters of the needle
            best = rows[at] + (letters != needle[i - 1])
            if at < 2 * limit:
                np.minimum(best, rows[at + 1] + np.int8(1), out=best)
            if at:
                np.minimum(best, now[at - 1] + np.int8(1), out=best)
            if i > 1 and read > 1:
                swapped = (letters == needle[i - 2]) & (letters_before == needle[i - 1])
                np.minimum(best, np.where(swapped, before[at] + np.int8(1), self._far), out=best)
            np.minimum(best, self._far, out=now[at])
        self._before, self._rows, self._letters = rows, now, letters

    @property
    def nearest(self) -> I8:
        """By column: the edits between the whole needle and what was read; _FAR above the limit."""
        at = len(self._needle) - self._read + self._limit
        if not 0 <= at <= 2 * self._limit:
            return np.full(self._rows.shape[1], _FAR, dtype=np.int8)
        return np.where(self._rows[at] <= self._limit, self._rows[at], np.int8(_FAR))

    def keep_near(self) -> Mask:
        """Drops the columns that can no longer come within the limit; returns which are kept."""
        near: Mask = self._rows[0] <= self._limit
        for row in self._rows[1:]:
            near |= row <= self._limit
        self._before, self._rows, self._letters = (
            self._before[:, near],
            self._rows[:, near],
            self._letters[near],
        )
        return near


_SMALL: Final = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)


def score_subsequences(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier subsequence, in order, and their points; 0 for those
    that do not match."""
    if len(needle.squashed) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    # A match may begin at a capital inside a word, which has no slice.
    begins = [] if needle.begins_capital else [[initial(needle.squashed[0])]]
    numbers = index.slices.choose(*begins, *letters_of(needle.squashed)).numbers()
    if not needle.squashed.isascii():
        return numbers, one_by_one(index, needle, numbers, match_subsequence)
    if len(numbers) > _MANY and len(needle.squashed) < 255:
        numbers = numbers[
            in_batches(numbers, partial(_hold_in_order, index, needle.squashed.encode()), bool)
        ]
    points = in_batches(numbers, partial(_subsequences_of_some, index, needle))
    return numbers, with_odd(index, needle, numbers, points, match_subsequence)


def _subsequences_of_some(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of some names. Each word that begins with the first letter is tried, and each
    capital if one was typed; every further letter is the next one behind that before."""
    letters = needle.squashed.encode()
    plain, lower, names, lengths = gather(index, numbers)
    first = np.flatnonzero(lower == letters[0])
    begins = begins_word(plain, first)
    if needle.begins_capital:
        begins |= plain[first] != lower[first]
    first = first[begins]
    owner = np.searchsorted(names, first, side="right") - 1
    ends = (names + lengths)[owner]
    at, gaps = first, np.zeros(len(first), dtype=np.int64)
    for wanted in letters[1:]:
        places = np.append(np.flatnonzero(lower == wanted), len(lower))
        found = places[np.searchsorted(places, at, side="right")] if len(at) else at
        kept = np.flatnonzero(found < ends)
        gaps = gaps[kept] + (found[kept] != at[kept] + 1)
        at, first, owner, ends = found[kept], first[kept], owner[kept], ends[kept]
    share = 0.7 * len(letters) / (at - first + 1) + 0.3 / (1 + gaps)
    points = np.zeros(len(numbers), dtype=np.int32)
    np.maximum.at(points, owner, to_points(place_in(BANDS[Tier.SUBSEQUENCE], share)))
    return points
