"""Scores the literal tiers of `search/match/names` (exact, prefix, substring) for many names at
once.

Each tier exists twice, with equal scores: as a rule for one name in `search/match/names`, and as
array code for a batch of names in this module, `humps` and `fuzzy`. The rule is used for odd names
(`index/words/name_words`), and where there are so few names that arrays do not pay.

A batch is scored in these passes: gather the bytes of the names side by side; find the positions of
the needle in them; mark the names that own a position; compute the coverage of each name and place
it in the band of its tier; correct the odd names by the rule. If very many names may contain the
needle, their distinct words are searched instead of their bytes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from symindex.background import give_way
from symindex.index.columns.arrays import F64, I32, I64, U8, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import join_ranges
from symindex.index.columns.name_bitmaps import NameSelection, begins_word
from symindex.index.columns.strings import occurrences
from symindex.search.match.division import OTHER_CASE
from symindex.search.match.names import (
    AS_FOLDED,
    AS_SQUASHED,
    AS_TYPED,
    EXACT_STEPS,
    INNER_SUBSTRING,
    POINTS,
    WORD_SUBSTRING,
    Needle,
    match_strong,
    match_substring,
)
from symindex.text.folding import SEPARATORS, fold_each

FEW: Final = 48
"""Most names that are scored one by one: for as few as these, setting up the arrays takes
longer."""

MANY: Final = 8_192
"""Number of names from which it is cheaper to search the distinct words of all names than to read
the names."""

AT_ONCE: Final = 32_768
"""Names in a batch. Its arrays then fit in the processor's cache."""

Points = I32
"""Scores in ten-thousandths, as integers."""

Rule = Callable[[Needle, str, str], float]
"""A tier for one name: a function from needle, name and folded name to a score."""


def one_by_one(index: Index, needle: Needle, numbers: I64, rule: Rule) -> Points:
    """Returns the points of names, each scored by a rule."""
    names = index.names.take(numbers) if len(numbers) else []
    pairs = zip(names, fold_each(names), strict=True) if names else ()
    return np.array(
        [round(POINTS * rule(needle, name, folded)) for name, folded in pairs], dtype=np.int32
    )


def in_batches(
    numbers: I64, score: Callable[[I64], Numbers], dtype: Any = np.int32, size: int | None = None
) -> Numbers:
    """Returns what `score` returns for the names, computed batch by batch."""
    size = size or AT_ONCE
    results: list[Numbers] = [np.empty(0, dtype)]
    for start in range(0, len(numbers), size):
        give_way()
        results.append(score(numbers[start : start + size]))
    return np.concatenate(results)


def with_odd(index: Index, needle: Needle, numbers: I64, points: Points, rule: Rule) -> Points:
    """Returns the points of names, which are in order, after rescoring the odd names by the
    rule."""
    odd = odd_among(index, numbers)
    if len(odd):
        points[odd] = one_by_one(index, needle, numbers[odd], rule)
    return points


def _score_names(
    index: Index, needle: Needle, numbers: I64, rule: Rule, score: Callable[[I64], Points]
) -> Points:
    """Returns the points of names, which are in order. score: equals the rule for a batch of ASCII
    names."""
    if len(numbers) <= FEW or not needle.text.isascii():
        return one_by_one(index, needle, numbers, rule)
    return with_odd(index, needle, numbers, in_batches(numbers, score), rule)


def odd_among(index: Index, numbers: I64) -> I64:
    """Returns where the odd names (`index/words/name_words`) are in a sorted array of names."""
    if not len(index.odd_names) or not len(numbers):
        return np.empty(0, dtype=np.int64)
    places = np.minimum(np.searchsorted(numbers, index.odd_names), len(numbers) - 1)
    odd: I64 = places[numbers[places] == index.odd_names]
    return odd


def place_in(band: tuple[float, float], share: F64) -> F64:
    """Returns scores within a band for shares from 0.0 to 1.0."""
    low, high = band
    return low + (high - low) * np.clip(share, 0.0, 1.0)


def to_points(scores: F64) -> Points:
    """Rounds scores to whole ten-thousandths."""
    return np.rint(scores * POINTS).astype(np.int32)


def gather(index: Index, numbers: I64) -> tuple[U8, U8, I64, I64]:
    """Returns the bytes of names as written and in lower case, with a NUL byte after each name, and
    the start and length of each name in them."""
    offsets = index.names.offset
    first = offsets[numbers].astype(np.int64)
    sizes = offsets[numbers + 1].astype(np.int64) - first
    ends = np.cumsum(sizes)
    starts = ends - sizes
    blob = np.frombuffer(index.names.blob, dtype=np.uint8)
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        plain = blob[first[0] : first[0] + ends[-1]]  # consecutive names
    else:
        plain = blob[join_ranges(first, sizes)]
    return plain, np.frombuffer(plain.tobytes().lower(), dtype=np.uint8), starts, sizes - 1


def score_literals(
    index: Index, needle: Needle, low: int, high: int, divides: Callable[[I64], Mask]
) -> Points:
    """Returns the points of the names from `low` up to `high`, all of which begin with the needle
    if case and separators are ignored.

    divides: returns, by name, whether the runs of the needle begin words of the name.
    """
    score = partial(_literals_of_some, index, needle, divides=divides)
    return _score_names(index, needle, np.arange(low, high), match_strong, score)


def _literals_of_some(
    index: Index, needle: Needle, numbers: I64, divides: Callable[[I64], Mask]
) -> Points:
    """Scores consecutive names. Nothing is copied, and only the first bytes of each name are read,
    except to count separators.

    Passes: the lengths without separators; which names begin as typed and which ignoring case; the
    share of each name that the needle covers; whether the needle ends where a word ends; then the
    best step for each name. Names that equal the needle are few and are scored by the rule.
    """
    offsets = index.names.offset[numbers[0] : numbers[-1] + 2]
    plain = np.frombuffer(index.names.blob, dtype=np.uint8)[offsets[0] : offsets[-1]]
    starts = offsets[:-1].astype(np.int64) - int(offsets[0])
    squashed = _squashed_lengths(index, numbers)
    as_typed = _begin_with(plain, starts, needle.text.encode())
    as_folded = _begin_with(plain, starts, needle.folded.encode(), _SMALL)
    n_letters = len(needle.squashed)
    share = n_letters / squashed
    other_share = share
    if len(needle.runs) > 1:
        other_share = share.copy()
        not_typed = np.flatnonzero(~as_typed)
        other_share[not_typed] = (share[not_typed] + divides(numbers[not_typed])) / 2
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
    exact = np.flatnonzero(squashed == n_letters)  # a name is written in few ways
    points[exact] = one_by_one(index, needle, numbers[exact], match_strong)
    return points


def _squashed_lengths(index: Index, numbers: I64) -> Numbers:
    """Returns the lengths of consecutive names without separators.

    The lengths of all names are cached once very many are requested, as a needle of one letter
    does.
    """
    cached = index.memo.get(("squashed lengths",))
    if cached is None and len(numbers) < MANY:
        return _count_squashed(index, numbers)
    if cached is None:
        every = np.arange(len(index.names))
        cached = in_batches(every, partial(_count_squashed, index), np.uint32)
        cached = index.memo["squashed lengths",] = cached.astype(np.min_scalar_type(cached.max()))
    lengths: Numbers = cached[numbers[0] : numbers[-1] + 1].astype(np.uint32)
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
    """Returns scores within a pair of bands: the first is for matches inside a word, the second for
    those at the edge of a word."""
    return np.where(is_at_edge, place_in(bands[True], share), place_in(bands[False], share))


def _end_words(
    index: Index, needle: Needle, numbers: I64, plain: U8, starts: I64, as_folded: Mask
) -> Mask:
    """Returns, by name, whether a word ends where the needle ends. All names begin with the needle
    if separators are ignored."""
    ends = _ends_at(
        plain, np.minimum(starts + len(needle.folded.rstrip(SEPARATORS)), len(plain) - 1)
    )
    not_folded = np.flatnonzero(~as_folded)
    if len(not_folded):
        plain, lower, starts, _ = gather(index, numbers[not_folded])
        letters = np.flatnonzero((lower != 95) & (lower != 45))
        last = np.searchsorted(letters, starts) + len(needle.squashed) - 1
        # An odd name may have fewer bytes than letters.
        ends[not_folded] = _ends_at(plain, letters[np.minimum(last, len(letters) - 2)] + 1)
    return ends


def _ends_at(plain: U8, places: I64) -> Mask:
    """Returns which of the places, each after a letter, are outside the word of that letter."""
    ends: Mask = ~_IS_ALNUM[plain[places]] | begins_word(plain, places)
    return ends


_IS_ALNUM: Final = np.array([code < 128 and chr(code).isalnum() for code in range(256)], dtype=bool)


def find_inside(
    index: Index, needle: Needle, low: int, high: int
) -> tuple[I64, Callable[[], Points]]:
    """Returns the sorted numbers of the names in the tier substring, except those from `low` up to
    `high`, and a function that returns their points."""
    chosen = index.slices.containing(needle.folded, needle.squashed)
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
    """Returns sorted numbers without those from `low` up to `high`."""
    if low == high:
        return numbers
    start, end = np.searchsorted(numbers, (low, high))
    return np.concatenate((numbers[:start], numbers[end:]))


def _find_by_words(
    index: Index, needle: Needle, low: int, high: int, chosen: NameSelection
) -> tuple[I64, Callable[[], Points]]:
    """Does the same as `find_inside` for letters and digits that very many names may contain.

    Passes: find the words that contain the needle and mark their names; among the rest, read only
    the names that may contain it across the edge of two words; check the odd names by the rule.
    """
    words, text = index.words, needle.folded.encode()
    holds = words.mark_names(words.holding(text))
    # If a name contains the needle across the edge of two words, the second word begins inside the
    # needle.
    if len(text) > 1:
        chosen.keep_with_initial(needle.folded[1:])
    rest = without(chosen.leave_out(holds).numbers(), low, high)
    across = rest[in_batches(rest, partial(_inside_some, index, needle)) > 0]
    holds[low:high] = False
    holds[across] = True
    odd = index.odd_names[(index.odd_names < low) | (index.odd_names >= high)].astype(np.int64)
    holds[odd] = one_by_one(index, needle, odd, match_substring) > 0
    numbers = np.flatnonzero(holds)
    return numbers, lambda: _score_by_words(index, needle, numbers)


def _score_by_words(index: Index, needle: Needle, numbers: I64) -> Points:
    """Returns the points of names in the tier substring.

    Passes: mark the names with a word that begins with the needle; look up the points of all names
    by their length; read the few names where the needle may begin a word and span several words.
    """
    if needle.capitals:
        points = in_batches(numbers, partial(_inside_some, index, needle))
    else:
        words, text = index.words, needle.folded.encode()
        at_word = words.mark_names(np.arange(*words.range_of(text)))
        # In other names the needle may span several words and yet begin at the start of the first
        # of them.
        firsts = [words.find(text[:size]) for size in range(1, len(text))]
        has_first = words.mark_names(
            np.array([word for word in firsts if word is not None], dtype=np.int64)
        )
        doubtful = np.flatnonzero(has_first[numbers] & ~at_word[numbers])
        # By length of the name: the points inside a word, and at the start of a word.
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
"""Longest name, in bytes, with points of its own: the points of longer names differ by less than
one."""


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
    """Returns which names begin with a needle that has no case."""
    starts = index.names.offset[numbers].astype(np.int64)
    return _begin_with(
        np.frombuffer(index.names.blob, dtype=np.uint8), starts, needle.folded.encode()
    )


def score_separators(index: Index, needle: Needle, numbers: I64) -> Points:
    """Returns the points of names, which are in order, for a needle of separators only. Separators
    have no case and begin no word."""
    text = needle.folded.encode()

    def score(batch: I64) -> Points:
        _, lower, starts, lengths = gather(index, batch)
        prefixes = np.where(
            lengths == len(text), EXACT_STEPS[0], place_in(AS_TYPED[True], len(text) / lengths)
        )
        return np.where(
            _begin_with(lower, starts, text),
            to_points(prefixes),
            _inside_some(index, needle, batch),
        )

    return _score_names(index, needle, numbers, match_strong, score)


def _begin_with(data: U8, starts: I64, prefix: bytes, table: U8 | None = None) -> Mask:
    """Returns which of the texts that begin at `starts` begin with the prefix. A NUL byte ends each
    text. table: maps each byte to the byte that it is compared as."""
    result = np.ones(len(starts), dtype=bool)
    for step, byte in enumerate(prefix):
        byte_here = data[np.minimum(starts + step, len(data) - 1)]
        result &= (byte_here if table is None else table[byte_here]) == byte
    return result


_SMALL: Final = np.frombuffer(bytes(range(256)).lower(), dtype=np.uint8)
"""Maps each byte to lower case."""


def _mark(places: I64, starts: I64) -> Mask:
    """Returns, for each text that begins at `starts`, whether one of the places is inside it."""
    marked = np.zeros(len(starts), dtype=bool)
    marked[np.searchsorted(starts, places, side="right") - 1] = True
    return marked
