"""The weak tiers of `search/match/names`, typo and subsequence, for many names at once: the same rules and the same scores.

Odd names (`index/word_postings`) go through `search/match/names` one by one.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.index.arrays import F64, I8, I64, U8, Mask, Numbers
from symindex.index.columns import Index
from symindex.index.name_bitmaps import Slice, begins_word, initial, letter, letters_of, pair
from symindex.search.match.bulk import AT_ONCE, Points, gather, odd_among, place_in, to_points
from symindex.search.match.names import (
    BANDS,
    POINTS,
    PREFIX_EDITS,
    WORD_EDITS,
    Needle,
    Tier,
    match_subsequence,
    match_typo,
)
from symindex.text.folding import fold

_COMPARED: Final = 131_072
"""So many names are compared at a time."""

_FAR: Final = 100
"""Edits of what is too far away."""


def score_typos(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier typo, in order, and their points; 0 for those that do not."""
    if not needle.max_typos:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    numbers = _may_be_near(index, needle)
    if not needle.folded.isascii():
        return _one_by_one(index, numbers, lambda name: match_typo(needle, name, fold(name)))
    limit = needle.max_typos
    some = [_edits_of_names(index, needle, numbers[at : at + _COMPARED]) for at in range(0, len(numbers), _COMPARED)]
    best = np.concatenate([np.empty(0), *some])
    odd = numbers[odd_among(index, numbers)]
    numbers, best = numbers[best < limit + 1], best[best < limit + 1]
    by_word, of_word = _edits_of_words(index, needle)
    edits = np.full(len(index.names), float(_FAR))
    edits[numbers] = best
    edits[by_word] = np.where(edits[by_word] > 1.0, np.minimum(edits[by_word], of_word + WORD_EDITS), edits[by_word])
    edits[odd] = _FAR
    near: I64 = np.flatnonzero(edits < limit + 1.0)
    points = to_points(place_in(BANDS[Tier.TYPO], 1.0 - edits[near] / (limit + 1.0)))
    _, of_odd = _one_by_one(index, odd, lambda name: match_typo(needle, name, fold(name)))
    order = np.argsort(np.append(near, odd), kind="stable")
    return np.append(near, odd)[order], np.append(points, of_odd)[order]


def _one_by_one(index: Index, numbers: I64, score: Callable[[str], float]) -> tuple[I64, Points]:
    names = index.names.take(numbers)
    return numbers, np.array([round(POINTS * score(name)) for name in names], dtype=np.int32)


def _may_be_near(index: Index, needle: Needle) -> I64:
    """The names of which the whole or the beginning may be so near. An edit takes away at most one letter and three pairs of
    neighbours, and leaves one of the needle's pieces."""
    letters = {number for number in map(letter, needle.squashed) if number is not None}
    pairs = {number for two in pairwise(needle.folded) if (number := pair(*two)) is not None}
    chosen = index.slices.choose()
    chosen.keep_most(sorted(letters), len(letters) - needle.max_typos)
    chosen.keep_most(sorted(pairs), len(pairs) - 3 * needle.max_typos)
    chosen.keep_one_of([_conditions(part) for _, part in _parts(needle)])
    numbers = chosen.numbers()
    numbers = numbers[index.names.lengths[numbers] >= max(len(needle.folded) - needle.max_typos, 1)]
    if len(numbers) <= _MANY or not needle.folded.isascii():
        return numbers
    numbers = numbers[_begin_near(index, needle, numbers)]
    some = [_hold_in_place(index, needle, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    held: I64 = numbers[np.concatenate([np.zeros(0, dtype=bool), *some])]
    return held


def _parts(needle: Needle) -> list[tuple[int, str]]:
    """Parts of the needle, and their places. One of them stands in every name that is so near, no more edits away from its place:
    there is one part more than edits, and with a letter between each two an edit touches only one, even a swap of letters."""
    n_parts = needle.max_typos + 1
    edges = [(len(needle.folded) + 1) * number // n_parts for number in range(n_parts + 1)]
    return [(start, needle.folded[start : end - 1]) for start, end in pairwise(edges)]


def _hold_in_place(index: Index, needle: Needle, numbers: I64) -> Mask:
    """By name: whether one of the parts stands where it may. Odd names are as good as any."""
    limit = needle.max_typos
    starts = index.names.offset[numbers].astype(np.int64)
    eights = range(0, len(needle.folded) + limit, 8)
    read = np.concatenate([_eight_rows(index.names.blob, starts + at) for at in eights]) | _SMALL_BIT
    hold = np.zeros(len(numbers), dtype=bool)
    hold[odd_among(index, numbers)] = True
    for place, part in _parts(needle):
        wanted = [code | _SMALL_BIT for code in part.encode()]
        for at in range(max(place - limit, 0), place + limit + 1):
            here = read[at] == wanted[0]
            for step, code in enumerate(wanted[1:], start=at + 1):
                here &= read[step] == code
            hold |= here
    return hold


def _hold_in_order(index: Index, letters: bytes, numbers: I64) -> Mask:
    """By name: whether it may hold the letters in order, as far as its beginning tells. Odd names are as good as any."""
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
    """The eight bytes at each place: a row of all first ones, one of all second ones and so on; 0 behind the end of the blob."""
    padded = blob if len(blob) > 7 else bytes(blob).ljust(8, b"\0")
    pieces = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))
    beyond = np.clip(starts - len(pieces) + 1, 0, 8)
    read = pieces[np.minimum(starts, len(pieces) - 1)]
    for number in np.flatnonzero(beyond).tolist():
        read[number] = int(read[number]) >> 8 * int(beyond[number])
    return np.ascontiguousarray(read.view(np.uint8).reshape(-1, 8).T)


_SMALL_BIT: Final = np.uint8(32)
"""What makes capitals small letters; it makes no two different letters or digits the same."""

_READ: Final = 64
"""Most names are no longer."""

_MANY: Final = 2_000
"""So few names are compared sooner than they are looked at first."""


def _conditions(part: str) -> list[Slice]:
    return [pair(*two) for two in pairwise(part)] if len(part) > 1 else [letter(part)]


def _begin_near(index: Index, needle: Needle, numbers: I64) -> Mask:
    """By name: whether it may be so near as far as its first word tells. To leave out of both what is neither letter nor digit
    brings them no farther apart."""
    words = index.words
    letters = "".join(filter(str.isalnum, needle.folded)).encode()
    offsets, lengths = words.table.offset[:-1].astype(np.int64), words.table.lengths.astype(np.int64)
    may = may_go_on(words.table.blob, offsets, lengths, letters, needle.max_typos)
    near: Mask = np.append(may, True)[words.firsts[numbers]]
    return near


def _edits_of_names(index: Index, needle: Needle, numbers: I64) -> F64:
    """By name: how many edits it is away from the needle, or its nearest beginning and a little more; _FAR for odd names."""
    starts = index.names.offset[numbers].astype(np.int64)
    lengths = index.names.lengths[numbers].astype(np.int64)
    whole, head = count_edits(index.names.blob, starts, lengths, needle.folded.encode(), needle.max_typos)
    best: F64 = np.minimum(whole, head + PREFIX_EDITS)
    best[odd_among(index, numbers)] = _FAR
    return best


def _edits_of_words(index: Index, needle: Needle) -> tuple[I64, I8]:
    """The names that have a word near the needle, in order, and how many edits it is away."""
    words = index.words
    size, limit = len(needle.folded), needle.max_typos
    near = np.flatnonzero(np.abs(words.table.lengths.astype(np.int64) - size) <= limit)
    offsets = words.table.offset[near].astype(np.int64)
    whole, _ = count_edits(words.table.blob, offsets, words.table.lengths[near].astype(np.int64), needle.folded.encode(), limit)
    best = np.full(len(index.names), _FAR, dtype=np.int8)
    for edits in range(limit, -1, -1):
        best[words.mark_names(near[whole == edits])] = edits
    names = np.flatnonzero(best <= limit)
    return names, best[names]


def count_edits(blob: memoryview, starts: I64, lengths: I64, needle: bytes, limit: int) -> tuple[I8, I8]:
    """Of ASCII texts in `blob`: the edits (optimal string alignment) between each and the needle, and those between its nearest
    beginning and the needle; _FAR where they are more than `limit`. Letters of the texts are taken as small ones.

    The table of the usual algorithm, with a column for each beginning that neighbouring texts share instead of a number, and only
    near its diagonal. What is too far away already is not read on.
    """
    size = len(needle)
    whole = np.full(len(starts), _FAR, dtype=np.int8)
    head = whole.copy()
    table = _Table(needle, limit)
    alive = np.flatnonzero(lengths >= size - limit)
    group = np.zeros(len(alive), dtype=np.int64)  # by text that is alive: its column
    read = 0
    while read < size + limit and len(alive):
        # Before that many letters nothing can be near, and all texts have them: they are taken in pieces.
        step = _PIECE if read + _PIECE < size - limit else 1
        letters = _letters_at(blob, starts[alive] + read, step)
        new = np.ones(len(alive), dtype=bool)
        new[1:] = (letters[1:] != letters[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        columns = group[first]
        for row in letters[first].view(np.uint8).reshape(-1, step).T:
            table.read(columns, row)
            columns = np.arange(len(first))
        read += step
        group = np.cumsum(new) - 1
        if read >= size - limit:
            edits = table.nearest[group]
            ended = (lengths[alive] == read) & (edits <= limit)
            whole[alive[ended]] = edits[ended]
            shorter = (lengths[alive] > read) & (edits <= limit)
            head[alive[shorter]] = np.minimum(head[alive[shorter]], edits[shorter])
        is_near = table.keep_near()
        kept = is_near[group] & (lengths[alive] > read)
        alive, group = alive[kept], (np.cumsum(is_near) - 1)[group[kept]]
    return whole, head


def may_go_on(blob: memoryview, starts: I64, lengths: I64, needle: bytes, limit: int) -> Mask:
    """Of ASCII texts in `blob`: whether something that begins with the text may be within `limit` edits of the needle, or has a
    beginning within the text that is."""
    may = np.zeros(len(starts), dtype=bool)
    table = _Table(needle, limit)
    alive, group = np.arange(len(starts)), np.zeros(len(starts), dtype=np.int64)
    read = 0
    while len(alive):
        letters = _letters_at(blob, starts[alive] + read, 1)
        new = np.ones(len(alive), dtype=bool)
        new[1:] = (letters[1:] != letters[:-1]) | (group[1:] != group[:-1])
        first = np.flatnonzero(new)
        table.read(group[first], letters[first].view(np.uint8))
        read += 1
        group = np.cumsum(new) - 1
        is_whole = table.nearest <= limit
        is_near = table.keep_near()
        ended = lengths[alive] == read
        may[alive[is_whole[group] | (ended & is_near[group])]] = True
        kept = is_near[group] & ~ended
        alive, group = alive[kept], (np.cumsum(is_near) - 1)[group[kept]]
    return may


_PIECE: Final = 2


def _letters_at(blob: memoryview, places: I64, count: int) -> Numbers:
    """The next `count` letters at each place, small, in one number."""
    pieces = np.ndarray(len(blob) - count + 1, dtype=f"<u{count}", buffer=blob, strides=(1,))
    return _SMALL[pieces[places].view(np.uint8)].view(f"<u{count}")


class _Table:
    """Columns of the table of edits, all at the same number of letters read, near the diagonal.

    _rows[at]: the edits between what was read and as many letters of the needle as were read, less `limit`, plus `at`; _before: a
    letter earlier.
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
        """Goes on from the columns, each by one letter."""
        rows, before, letters_before = self._rows[:, columns], self._before[:, columns], self._letters[columns]
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
        """By column: the edits between the whole needle and what was read, where they are within the limit."""
        at = len(self._needle) - self._read + self._limit
        if not 0 <= at <= 2 * self._limit:
            return np.full(self._rows.shape[1], _FAR, dtype=np.int8)
        return np.where(self._rows[at] <= self._limit, self._rows[at], np.int8(_FAR))

    def keep_near(self) -> Mask:
        """Forgets the columns that cannot keep the limit any more; returns which are left."""
        near: Mask = self._rows[0] <= self._limit
        for row in self._rows[1:]:
            near |= row <= self._limit
        self._before, self._rows, self._letters = self._before[:, near], self._rows[:, near], self._letters[near]
        return near


_SMALL: Final = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)


def score_subsequences(index: Index, needle: Needle) -> tuple[I64, Points]:
    """The names that may match by the tier subsequence, in order, and their points; 0 for those that do not."""
    if len(needle.squashed) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    # A capital may begin anywhere: that it is one, no slice tells.
    begins = [] if needle.begins_capital else [[initial(needle.squashed[0])]]
    numbers = index.slices.choose(*begins, *letters_of(needle.squashed)).numbers()
    if not needle.squashed.isascii():
        return _one_by_one(index, numbers, lambda name: match_subsequence(needle, name, fold(name)))
    letters = needle.squashed.encode()
    if len(numbers) > _MANY and len(letters) < 255:
        parts = [_hold_in_order(index, letters, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
        numbers = numbers[np.concatenate(parts)]
    some = [_of_some(index, needle, numbers[at : at + AT_ONCE]) for at in range(0, len(numbers), AT_ONCE)]
    points = np.concatenate([np.empty(0, dtype=np.int32), *some])
    odd = odd_among(index, numbers)
    _, points[odd] = _one_by_one(index, numbers[odd], lambda name: match_subsequence(needle, name, fold(name)))
    return numbers, points


def _of_some(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of some names. Every word that begins with the first letter is a try, and every capital if one was typed; each
    letter is the next one behind that before."""
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
