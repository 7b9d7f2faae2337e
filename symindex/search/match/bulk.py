"""The literal tiers of `search/match/names` for many names at once, and what all tiers need for
that.

Each tier has two forms with the same scores: a rule for one name in `search/match/names`, and array
code here and beside for a batch. The rule is used for odd names (`index/words/name_words`) and
where there are too few names for arrays to pay. Where a needle may occur in very many names, their
words are searched instead of their bytes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from symindex.background import give_way
from symindex.index.columns.arrays import F64, I32, I64, U8, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import join_ranges
from symindex.index.columns.name_bitmaps import Chosen, begins_word, initial, letters_of, pairs_of
from symindex.index.columns.strings import occurrences
from symindex.search.match.names import (
    AS_FOLDED,
    AS_SQUASHED,
    AS_TYPED,
    EXACT_STEPS,
    INNER_SUBSTRING,
    OTHER_CASE,
    POINTS,
    WORD_SUBSTRING,
    Needle,
    match_strong,
    match_substring,
)
from symindex.text.folding import SEPARATORS, fold

FEW: Final = 48
"""Up to so many names are scored one by one faster than the arrays are set up."""

MANY: Final = 8_192
"""From so many names on, it is cheaper to search the words of all names than to read these."""

AT_ONCE: Final = 32_768
"""Names in a batch, so that its arrays stay in the processor's cache."""

Points = I32
"""Scores in ten-thousandths."""

Rule = Callable[[Needle, str, str], float]
"""A tier for one name: needle, name and folded name to a score."""


def one_by_one(index: Index, needle: Needle, numbers: I64, rule: Rule) -> Points:
    """The points of names by a rule."""
    names = index.names.take(numbers)
    return np.array(
        [round(POINTS * rule(needle, name, fold(name))) for name in names], dtype=np.int32
    )


def in_batches(
    numbers: I64, score: Callable[[I64], Numbers], dtype: Any = np.int32, size: int | None = None
) -> Numbers:
    """What `score` makes of the names, batch by batch."""
    size = size or AT_ONCE
    found: list[Numbers] = [np.empty(0, dtype)]
    for at in range(0, len(numbers), size):
        give_way()
        found.append(score(numbers[at : at + size]))
    return np.concatenate(found)


def with_odd(index: Index, needle: Needle, numbers: I64, points: Points, rule: Rule) -> Points:
    """The points of names, in order, where those of odd names are replaced by the rule's."""
    odd = odd_among(index, numbers)
    if len(odd):
        points[odd] = one_by_one(index, needle, numbers[odd], rule)
    return points


def _score_names(
    index: Index, needle: Needle, numbers: I64, rule: Rule, score: Callable[[I64], Points]
) -> Points:
    """The points of names, in order. score: the same as the rule for a batch of ASCII names."""
    if len(numbers) <= FEW or not needle.text.isascii():
        return one_by_one(index, needle, numbers, rule)
    return with_odd(index, needle, numbers, in_batches(numbers, score), rule)


def odd_among(index: Index, numbers: I64) -> I64:
    """The places, among names in order, of the odd ones (`index/words/name_words`)."""
    if not len(index.odd_names) or not len(numbers):
        return np.empty(0, dtype=np.int64)
    at = np.minimum(np.searchsorted(numbers, index.odd_names), len(numbers) - 1)
    odd: I64 = at[numbers[at] == index.odd_names]
    return odd


def place_in(band: tuple[float, float], share: F64) -> F64:
    """Scores within a band; `share` from 0.0 to 1.0."""
    low, high = band
    return low + (high - low) * np.clip(share, 0.0, 1.0)


def to_points(scores: F64) -> Points:
    """Scores in whole ten-thousandths."""
    return np.rint(scores * POINTS).astype(np.int32)


def gather(index: Index, numbers: I64) -> tuple[U8, U8, I64, I64]:
    """The bytes of names as they are and in small letters, with a NUL byte behind each; where each
    name begins, and its length."""
    offsets = index.names.offset
    first = offsets[numbers].astype(np.int64)
    sizes = offsets[numbers + 1].astype(np.int64) - first
    ends = np.cumsum(sizes)
    starts = ends - sizes
    blob = np.frombuffer(index.names.blob, dtype=np.uint8)
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        plain = blob[first[0] : first[0] + ends[-1]]  # neighbours
    else:
        plain = blob[join_ranges(first, sizes)]
    return plain, np.frombuffer(plain.tobytes().lower(), dtype=np.uint8), starts, sizes - 1


def score_literals(
    index: Index, needle: Needle, low: int, high: int, divides: Callable[[I64], Mask]
) -> Points:
    """The points of the names from `low` up to `high`, all of which begin with the needle when both
    are folded and stripped of separators. divides: by name, whether the runs of the needle begin
    words of it."""
    score = partial(_literals_of_some, index, needle, divides=divides)
    return _score_names(index, needle, np.arange(low, high), match_strong, score)


def _literals_of_some(
    index: Index, needle: Needle, numbers: I64, divides: Callable[[I64], Mask]
) -> Points:
    """numbers: neighbours. Nothing is copied, and but for separators only the first bytes of each
    name are read."""
    offsets = index.names.offset[numbers[0] : numbers[-1] + 2]
    plain = np.frombuffer(index.names.blob, dtype=np.uint8)[offsets[0] : offsets[-1]]
    starts = offsets[:-1].astype(np.int64) - int(offsets[0])
    squashed = _squashed_lengths(index, numbers)
    as_typed = _begin_with(plain, starts, needle.text.encode())
    as_folded = _begin_with(plain, starts, needle.folded.encode(), _SMALL)
    wanted = len(needle.squashed)
    share = wanted / squashed
    other_share = share
    if len(needle.runs) > 1:
        other_share = share.copy()
        others = np.flatnonzero(~as_typed)
        other_share[others] = (share[others] + divides(numbers[others])) / 2
    ends_word = _end_words(index, needle, numbers, plain, starts, as_folded)
    scores = np.select(
        [as_typed, as_folded],
        [
            _place_at_edge(AS_TYPED, ends_word, share),
            _place_at_edge(AS_FOLDED, ends_word, other_share),
        ],
        _place_at_edge(AS_SQUASHED, ends_word, other_share),
    )
    points = to_points(scores)
    exact = np.flatnonzero(squashed == wanted)  # the ways to write one name are few
    points[exact] = one_by_one(index, needle, numbers[exact], match_strong)
    return points


def _squashed_lengths(index: Index, numbers: I64) -> Numbers:
    """The lengths of names without separators; the names are neighbours. Those of all names are
    kept from the first time on that very many are asked for, as a single letter does."""
    known = index.memo.get(("squashed lengths",))
    if known is None and len(numbers) < MANY:
        return _count_squashed(index, numbers)
    if known is None:
        every = np.arange(len(index.names))
        known = in_batches(every, partial(_count_squashed, index), np.uint32)
        known = index.memo["squashed lengths",] = known.astype(np.min_scalar_type(known.max()))
    lengths: Numbers = known[numbers[0] : numbers[-1] + 1].astype(np.uint32)
    return lengths


def _count_squashed(index: Index, numbers: I64) -> Numbers:
    offsets = index.names.offset[numbers[0] : numbers[-1] + 2]
    plain = np.frombuffer(index.names.blob, dtype=np.uint8)[offsets[0] : offsets[-1]]
    n_separators = np.add.reduceat(
        (plain == 95) | (plain == 45), (offsets[:-1] - offsets[0]).astype(np.int64), dtype=np.uint32
    )
    return np.diff(offsets) - np.uint32(1) - n_separators


def _place_at_edge(
    bands: tuple[tuple[float, float], tuple[float, float]], is_at_edge: Mask, share: F64
) -> F64:
    """Scores within a pair of bands: inside a word, and at an edge of one."""
    return np.where(is_at_edge, place_in(bands[True], share), place_in(bands[False], share))


def _end_words(
    index: Index, needle: Needle, numbers: I64, plain: U8, starts: I64, as_folded: Mask
) -> Mask:
    """By name: whether a new word begins behind the needle, with which it begins but for
    separators."""
    ends = _ends_at(
        plain, np.minimum(starts + len(needle.folded.rstrip(SEPARATORS)), len(plain) - 1)
    )
    others = np.flatnonzero(~as_folded)
    if len(others):
        plain, lower, starts, _ = gather(index, numbers[others])
        letters = np.flatnonzero((lower != 95) & (lower != 45))
        last = np.searchsorted(letters, starts) + len(needle.squashed) - 1
        # An odd name may have fewer bytes than letters.
        ends[others] = _ends_at(plain, letters[np.minimum(last, len(letters) - 2)] + 1)
    return ends


def _ends_at(plain: U8, places: I64) -> Mask:
    """Which of some places behind a letter are no longer in its word."""
    ends: Mask = ~_IS_ALNUM[plain[places]] | begins_word(plain, places)
    return ends


_IS_ALNUM: Final = np.array([code < 128 and chr(code).isalnum() for code in range(256)], dtype=bool)


def find_inside(
    index: Index, needle: Needle, low: int, high: int
) -> tuple[I64, Callable[[], Points]]:
    """The names that match by the tier substring, in order, without those from `low` up to `high`;
    and a function for their points."""
    chosen = index.slices.choose(*pairs_of(needle.folded), *letters_of(needle.squashed))
    if chosen.estimate > MANY and needle.folded.isascii() and needle.folded.isalnum():
        return _find_by_words(index, needle, low, high, chosen)
    numbers = without(chosen.numbers(), low, high)
    points = _score_names(
        index, needle, numbers, match_substring, partial(_inside_some, index, needle)
    )
    holds = points > 0
    points = points[holds]
    return numbers[holds], lambda: points


def without(numbers: I64, low: int, high: int) -> I64:
    """The numbers, in order, without those from `low` up to `high`."""
    if low == high:
        return numbers
    start, end = np.searchsorted(numbers, (low, high))
    return np.concatenate((numbers[:start], numbers[end:]))


def _find_by_words(
    index: Index, needle: Needle, low: int, high: int, chosen: Chosen
) -> tuple[I64, Callable[[], Points]]:
    """As `find_inside`, for letters and digits that very many names may hold: their words are
    searched."""
    words, text = index.words, needle.folded.encode()
    holds = words.mark_names(words.holding(text))
    # A name that holds it across the edge of two words has a word that begins inside it.
    chosen = (
        chosen.keep([initial(letter) for letter in needle.folded[1:]]) if len(text) > 1 else chosen
    )
    others = without(chosen.leave_out(holds).numbers(), low, high)
    across = others[in_batches(others, partial(_inside_some, index, needle)) > 0]
    holds[low:high] = False
    holds[across] = True
    odd = index.odd_names[(index.odd_names < low) | (index.odd_names >= high)].astype(np.int64)
    holds[odd] = one_by_one(index, needle, odd, match_substring) > 0
    numbers = np.flatnonzero(holds)
    return numbers, lambda: _score_by_words(index, needle, numbers)


def _score_by_words(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names that match by the tier substring."""
    if needle.capitals:
        points = in_batches(numbers, partial(_inside_some, index, needle))
    else:
        words, text = index.words, needle.folded.encode()
        at_word = words.mark_names(np.arange(*words.range_of(text)))
        # Elsewhere it may stand across the edges of words, and yet at the beginning of the first of
        # these.
        firsts = [words.find(text[:size]) for size in range(1, len(text))]
        has_first = words.mark_names(
            np.array([word for word in firsts if word is not None], dtype=np.int64)
        )
        doubtful = np.flatnonzero(has_first[numbers] & ~at_word[numbers])
        # By length of the name: the points inside a word and at the beginning of one.
        coverage = len(text) / np.maximum(np.arange(_LONGEST + 1), 1)
        scores = np.stack(
            [
                to_points(place_in(INNER_SUBSTRING, coverage)),
                to_points(place_in(WORD_SUBSTRING, coverage)),
            ]
        )
        points = scores[
            at_word[numbers].astype(np.int8), np.minimum(index.names.lengths[numbers], _LONGEST)
        ]
        points[doubtful] = in_batches(numbers[doubtful], partial(_inside_some, index, needle))
    return with_odd(index, needle, numbers, points, match_substring)


_LONGEST: Final = 1000
"""Longer names have the points of this length: those differ by less than one."""


def _inside_some(index: Index, needle: Needle, numbers: I64) -> Points:
    plain, lower, starts, lengths = gather(index, numbers)
    places = occurrences(lower, needle.folded.encode())
    holds = _mark(places, starts)
    at_word = _mark(places[begins_word(plain, places)], starts)
    coverage = len(needle.folded) / lengths
    if needle.capitals:
        as_typed = _mark(occurrences(plain, needle.text.encode()), starts)
        coverage = np.where(as_typed, coverage, coverage / (1.0 + OTHER_CASE))
    return to_points(
        np.where(holds, _place_at_edge((INNER_SUBSTRING, WORD_SUBSTRING), at_word, coverage), 0.0)
    )


def begin_with(index: Index, needle: Needle, numbers: I64) -> Mask:
    """Which names begin with a needle that has no case."""
    starts = index.names.offset[numbers].astype(np.int64)
    return _begin_with(
        np.frombuffer(index.names.blob, dtype=np.uint8), starts, needle.folded.encode()
    )


def score_separators(index: Index, needle: Needle, numbers: I64) -> Points:
    """The points of names, in order, by a needle that is nothing but separators: these have no case
    and begin no word."""
    text = needle.folded.encode()

    def score(some: I64) -> Points:
        _, lower, starts, lengths = gather(index, some)
        prefixes = np.where(
            lengths == len(text), EXACT_STEPS[0], place_in(AS_TYPED[True], len(text) / lengths)
        )
        return np.where(
            _begin_with(lower, starts, text), to_points(prefixes), _inside_some(index, needle, some)
        )

    return _score_names(index, needle, numbers, match_strong, score)


def _begin_with(data: U8, starts: I64, prefix: bytes, table: U8 | None = None) -> Mask:
    """Which of the texts that begin at `starts` begin with the prefix; a NUL byte is no part of
    one. table: by byte, what it is compared as."""
    result = np.ones(len(starts), dtype=bool)
    for step, byte in enumerate(prefix):
        here = data[np.minimum(starts + step, len(data) - 1)]
        result &= (here if table is None else table[here]) == byte
    return result


_SMALL: Final = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)
"""By byte: as a small letter."""


def _mark(places: I64, starts: I64) -> Mask:
    """By text that begins at `starts`: whether one of the places is in it."""
    marked = np.zeros(len(starts), dtype=bool)
    marked[np.searchsorted(starts, places, side="right") - 1] = True
    return marked
