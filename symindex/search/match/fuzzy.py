"""Scores the weak tiers of `search/match/names`, typo and subsequence, for many names at once, with
the same scores as the rules for one name.

Typo: the bitmaps of names choose candidates by their letters and pairs; if many remain, those are
kept that contain a piece of the needle near its place; a table of edits is then filled for all
candidates at once, and once for the distinct words of names.

Subsequence: the bitmaps choose the names with all letters; if many remain, eight bytes of each are
read at a time until the letters were found in order; the rest is scored from the positions of each
letter.
"""

from functools import partial
from typing import Final

import numpy as np

from symindex.index.columns.arrays import F64, I8, I64, U8, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.name_bitmaps import begins_word
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
"""Number of edits that stands for "more than the limit"."""

_MANY: Final = 2_000
"""Most names that are compared without filtering them first."""


def score_typos(index: Index, needle: Needle) -> tuple[I64, Points]:
    """Returns the names that may match in the tier typo, in order, and their points; names that do
    not match have 0 points."""
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
    edits[numbers[odd_among(index, numbers)]] = 0.0  # rescored by the rule below
    near: I64 = np.flatnonzero(edits < limit + 1.0)
    points = to_points(place_in(BANDS[Tier.TYPO], 1.0 - edits[near] / (limit + 1.0)))
    return near, with_odd(index, needle, near, points, match_typo)


def _may_be_near(index: Index, needle: Needle) -> I64:
    """Returns the names that may be near enough as a whole or by their beginning."""
    pieces = [piece for _, piece in needle.pieces]
    numbers = index.slices.within_edits(needle.folded, needle.squashed, pieces, needle.max_typos)
    numbers = numbers[index.names.lengths[numbers] >= max(len(needle.folded) - needle.max_typos, 1)]
    if len(numbers) <= _MANY or not needle.folded.isascii() or not needle.pieces:
        return numbers
    passing: I64 = numbers[in_batches(numbers, partial(_hold_in_place, index, needle), bool)]
    return passing


def _hold_in_place(index: Index, needle: Needle, numbers: I64) -> Mask:
    """Returns, by name, whether one of the pieces occurs where it may be shifted to. Odd names
    pass."""
    limit = needle.max_typos
    starts = index.names.offset[numbers].astype(np.int64)
    eights = range(0, len(needle.folded) + limit, 8)
    read = (
        np.concatenate([_eight_rows(index.names.blob, starts + offset) for offset in eights])
        | _SMALL_BIT
    )
    hold = np.zeros(len(numbers), dtype=bool)
    hold[odd_among(index, numbers)] = True
    for place, part in needle.pieces:
        codes = [code | _SMALL_BIT for code in part.encode()]
        for offset in range(max(place - limit, 0), place + limit + 1):
            matching = read[offset] == codes[0]
            for step, code in enumerate(codes[1:], start=offset + 1):
                matching &= read[step] == code
            hold |= matching
    return hold


def _hold_in_order(index: Index, letters: bytes, numbers: I64) -> Mask:
    """Returns, by name, whether it may contain the letters in order, judging by its first _READ
    bytes. Odd names pass."""
    codes = np.frombuffer(bytes(code | _SMALL_BIT for code in letters) + b"\0", dtype=np.uint8)
    hold = np.zeros(len(numbers), dtype=bool)
    hold[odd_among(index, numbers)] = True
    remaining, starts = np.arange(len(numbers)), index.names.offset[numbers].astype(np.int64)
    count = np.zeros(len(numbers), dtype=np.uint8)
    for _ in range(_READ // 8):
        goes_on = np.ones(len(remaining), dtype=bool)
        for row in _eight_rows(index.names.blob, starts):
            goes_on &= row != 0
            count += (row | _SMALL_BIT == codes[count]) & goes_on
        hold[remaining[count == len(letters)]] = True
        unfinished = np.flatnonzero(goes_on & (count < len(letters)))
        remaining, starts, count = remaining[unfinished], starts[unfinished] + 8, count[unfinished]
    hold[remaining] = True
    return hold


def _eight_rows(blob: memoryview, starts: I64) -> U8:
    """Returns the eight bytes at each place as a row of first bytes, a row of second bytes and so
    on. Bytes after the end of the blob are 0."""
    padded = blob if len(blob) > 7 else bytes(blob).ljust(8, b"\0")
    pieces = np.ndarray(len(padded) - 7, dtype="<u8", buffer=padded, strides=(1,))
    beyond = np.clip(starts - len(pieces) + 1, 0, 8)
    read = pieces[np.minimum(starts, len(pieces) - 1)]
    for number in np.flatnonzero(beyond).tolist():
        read[number] = int(read[number]) >> 8 * int(beyond[number])
    return np.ascontiguousarray(read.view(np.uint8).reshape(-1, 8).T)


_SMALL_BIT: Final = np.uint8(32)
"""Bit that turns capitals into lower case. No two different letters or digits become equal by
it."""

_READ: Final = 64
"""Bytes of a name that are read, at most: few names are longer."""


def _edits_of_names(index: Index, needle: Needle, numbers: I64) -> F64:
    """Returns, by name, the edits between the needle and the name, or between the needle and the
    nearest beginning of the name plus PREFIX_EDITS."""
    starts = index.names.offset[numbers].astype(np.int64)
    lengths = index.names.lengths[numbers].astype(np.int64)
    of_name, head = count_edits(
        index.names.blob, starts, lengths, needle.folded.encode(), needle.max_typos
    )
    edits: F64 = np.minimum(of_name, head + PREFIX_EDITS)
    return edits


def _edits_of_words(index: Index, needle: Needle) -> tuple[I64, I8]:
    """Returns the names with a word near the needle, in order, and the edits between them."""
    words = index.words
    size, limit = len(needle.folded), needle.max_typos
    near = np.flatnonzero(np.abs(words.table.lengths.astype(np.int64) - size) <= limit)
    offsets = words.table.offset[near].astype(np.int64)
    of_word, _ = count_edits(
        words.table.blob,
        offsets,
        words.table.lengths[near].astype(np.int64),
        needle.folded.encode(),
        limit,
    )
    best = np.full(len(index.names), _FAR, dtype=np.int8)
    for edits in range(limit, -1, -1):
        best[words.mark_names(near[of_word == edits])] = edits
    names = np.flatnonzero(best <= limit)
    return names, best[names]


def count_edits(
    blob: memoryview, starts: I64, lengths: I64, needle: bytes, limit: int
) -> tuple[I8, I8]:
    """Counts edits (optimal string alignment) in ASCII texts of `blob`, ignoring case: between the
    needle and each text, and between the needle and the nearest proper beginning of each text. _FAR
    where there are more than `limit`.

    This is the usual table of edits, restricted to the cells near its diagonal, and filled for all
    texts at once. Each step reads one letter of every text; neighbouring texts that begin alike
    share a column; texts that can no longer come within the limit are dropped.
    """
    shortest = len(needle) - limit
    of_text = np.full(len(starts), _FAR, dtype=np.int8)
    head = of_text.copy()
    data, table = np.frombuffer(blob, dtype=np.uint8), _Table(needle, limit)
    alive = np.flatnonzero(lengths >= shortest)
    group = np.zeros(len(alive), dtype=np.int64)  # by surviving text: its column
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
            of_text[alive] = np.where(goes_on, of_text[alive], edits)
            head[alive] = np.where(goes_on, np.minimum(head[alive], edits), head[alive])
        is_near = table.keep_near()
        surviving = is_near[group] & goes_on
        alive, group = alive[surviving], (np.cumsum(is_near) - 1)[group[surviving]]
    return of_text, head


class _Table:
    """Columns of the table of edits near its diagonal, each after the same number of letters.

    _rows[diagonal]: the edits between the letters read and the first `read - limit + diagonal`
    letters of the needle. _before: the rows one letter earlier.
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
        rows, rows_before, letters_before = (
            self._rows[:, columns],
            self._before[:, columns],
            self._letters[columns],
        )
        self._read += 1
        needle, read, limit = self._needle, self._read, self._limit
        now = np.full_like(rows, self._far)
        if read <= limit:
            now[limit - read] = read
        for diagonal in range(
            max(limit - read + 1, 0), min(2 * limit, len(needle) - read + limit) + 1
        ):
            i = read - limit + diagonal  # number of letters of the needle
            best = rows[diagonal] + (letters != needle[i - 1])
            if diagonal < 2 * limit:
                np.minimum(best, rows[diagonal + 1] + np.int8(1), out=best)
            if diagonal:
                np.minimum(best, now[diagonal - 1] + np.int8(1), out=best)
            if i > 1 and read > 1:
                swapped = (letters == needle[i - 2]) & (letters_before == needle[i - 1])
                np.minimum(
                    best, np.where(swapped, rows_before[diagonal] + np.int8(1), self._far), out=best
                )
            np.minimum(best, self._far, out=now[diagonal])
        self._before, self._rows, self._letters = rows, now, letters

    @property
    def nearest(self) -> I8:
        """The edits between the whole needle and the letters read, by column; _FAR above the
        limit."""
        diagonal = len(self._needle) - self._read + self._limit
        if not 0 <= diagonal <= 2 * self._limit:
            return np.full(self._rows.shape[1], _FAR, dtype=np.int8)
        return np.where(self._rows[diagonal] <= self._limit, self._rows[diagonal], np.int8(_FAR))

    def keep_near(self) -> Mask:
        """Drops the columns that can no longer come within the limit, and returns which columns
        remain."""
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
    """Returns the names that may match in the tier subsequence, in order, and their points; names
    that do not match have 0 points."""
    if len(needle.squashed) < 2:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    # A match may begin at a capital inside a word, for which the bitmaps have no slice.
    numbers = index.slices.with_letters(needle.squashed, begins_word=not needle.begins_capital)
    if not needle.squashed.isascii():
        return numbers, one_by_one(index, needle, numbers, match_subsequence)
    if len(numbers) > _MANY and len(needle.squashed) < 255:
        numbers = numbers[
            in_batches(numbers, partial(_hold_in_order, index, needle.squashed.encode()), bool)
        ]
    points = in_batches(numbers, partial(_subsequences_of_some, index, needle))
    return numbers, with_odd(index, needle, numbers, points, match_subsequence)


def _subsequences_of_some(index: Index, needle: Needle, numbers: I64) -> Points:
    """Returns the points of some names.

    Each word that begins with the first letter of the needle is tried, and each capital if the
    first letter is a capital. From there each further letter is matched at its next occurrence.
    """
    letters = needle.squashed.encode()
    plain, lower, names, lengths = gather(index, numbers)
    first = np.flatnonzero(lower == letters[0])
    begins = begins_word(plain, first)
    if needle.begins_capital:
        begins |= plain[first] != lower[first]
    first = first[begins]
    owner = np.searchsorted(names, first, side="right") - 1
    ends = (names + lengths)[owner]
    position, gaps = first, np.zeros(len(first), dtype=np.int64)
    for code in letters[1:]:
        places = np.append(np.flatnonzero(lower == code), len(lower))
        following = (
            places[np.searchsorted(places, position, side="right")] if len(position) else position
        )
        surviving = np.flatnonzero(following < ends)
        gaps = gaps[surviving] + (following[surviving] != position[surviving] + 1)
        position, first, owner, ends = (
            following[surviving],
            first[surviving],
            owner[surviving],
            ends[surviving],
        )
    share = 0.7 * len(letters) / (position - first + 1) + 0.3 / (1 + gaps)
    points = np.zeros(len(numbers), dtype=np.int32)
    np.maximum.at(points, owner, to_points(place_in(BANDS[Tier.SUBSEQUENCE], share)))
    return points
