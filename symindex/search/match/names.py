"""Decides whether and how well a needle matches one name: strings in, a score out.
`symindex/search/match/README.md` has the rules of the tiers.

The band of a score is the tier. The place within the band depends on how much of the name the
needle covers, and on how close together its letters are.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from itertools import accumulate, pairwise
from typing import Final

from symindex.text.folding import (
    MOST_WORDS,
    SEPARATORS,
    fold,
    fold_each,
    forms_of,
    is_in_order,
    squash,
    strip_marks,
    word_starts,
)


class Tier(IntEnum):
    """The ways in which a needle can match, best first."""

    EXACT = 0
    PREFIX = 1
    HUMPS = 2
    SUBSTRING = 3
    TYPO = 4
    SUBSEQUENCE = 5


BANDS: Final = {
    Tier.EXACT: (0.98, 1.0),
    Tier.PREFIX: (0.87, 0.97),
    Tier.HUMPS: (0.70, 0.86),
    Tier.SUBSTRING: (0.45, 0.69),
    Tier.TYPO: (0.25, 0.44),
    Tier.SUBSEQUENCE: (0.05, 0.24),
}

BAND_TOLERANCE: Final = 0.0095
"""How far below a band a score may be and still belong to it. It is less than the gap between
bands, and makes room for what skipped containers cost."""

EXACT_STEPS: Final = (1.0, 0.99, 0.98)
AS_TYPED: Final = ((0.938, 0.953), (0.955, 0.97))
OTHER_CASE_STEPS: Final = (0.934, 0.930)
AS_FOLDED: Final = ((0.898, 0.911), (0.913, 0.926))
AS_SQUASHED: Final = ((0.870, 0.883), (0.885, 0.896))
"""The steps of the tier prefix, best first: as typed; the whole name, but with other capitals than
those typed; ignoring case; ignoring separators as well. Of each pair of bands, the first is for a
prefix that ends inside a word and the second for one at the end of a word."""

WORD_SUBSTRING: Final = (0.58, 0.69)
INNER_SUBSTRING: Final = (0.45, 0.57)

TYPO_STEPS: Final = ((13, 3), (8, 2), (4, 1))
"""How many edits a word forgives: the least length in characters, and the edits from that length
on. Shorter words forgive none."""


def tier_of(score: float) -> Tier:
    """Returns the tier whose band contains the score."""
    return next(tier for tier, (low, _) in BANDS.items() if score > low - BAND_TOLERANCE)


class Needle:
    """The word that is searched for, prepared once.

    capitals: as `squashed`, but in the case that was typed; empty if everything is lower case,
    which may only be haste.

    runs: the parts that humps match. A needle shows several runs by a capital inside it or by a
    separator (`inBkOff`: in, Bk, Off).

    contracted: where those runs begin that may leave out vowels (`Bk` for `Book`): every run after
    the first that is a capital and one consonant. A word with more letters missing, or missing
    elsewhere, is as likely misspelt.

    max_typos: how many edits the tier typo forgives (`edits_allowed`).

    pieces: parts of the folded needle, with their places. A name within `max_typos` edits contains
    at least one piece, shifted by at most as many places. There is one more piece than edits, and
    one letter between each two pieces, so an edit touches only one piece, even if it swaps two
    letters. Empty if the needle is too short for as many pieces.
    """

    def __init__(self, text: str, most_typos: int | None = None) -> None:
        self.text = text
        forms: tuple[str, str, str, str] = forms_of(text)
        plain, folded, squashed, typed = forms
        self.folded: str = folded
        self.squashed: str = squashed
        self.capitals: str = typed if typed.lower() != typed else ""
        self.begins_capital: bool = self.capitals[:1].isupper()
        typed_runs = _typed_runs(plain)
        self.runs: tuple[str, ...] = tuple(fold_each(typed_runs))
        starts = accumulate(map(len, self.runs), initial=0)
        self.contracted: frozenset[int] = frozenset(
            start
            for start, run in zip(starts, typed_runs, strict=False)
            if start and _CONTRACTION.fullmatch(run)
        )
        self.max_typos: int = edits_allowed(self.folded, most_typos)
        n_pieces = self.max_typos + 1
        edges = [(len(self.folded) + 1) * number // n_pieces for number in range(n_pieces + 1)]
        pieces = [(start, self.folded[start : end - 1]) for start, end in pairwise(edges)]
        self.pieces: list[tuple[int, str]] = pieces if all(piece for _, piece in pieces) else []


def edits_for(length: int, steps: Sequence[tuple[int, int]] = TYPO_STEPS) -> int:
    """Returns how many edits a word of a length in characters forgives. steps: as TYPO_STEPS."""
    return next((edits for least, edits in steps if length >= least), 0)


def edits_allowed(word: str, limit: int | None) -> int:
    """Returns how many edits may lead from a word to another. limit: the number that a request asks
    for, but never more than half the letters of the word, beyond which any word would match; `None`
    for as many as the length allows."""
    return edits_for(len(word)) if limit is None else min(limit, len(word) // 2)


VOWELS: Final = "aeiou"
MOST_VOWELS: Final = 2
"""Most vowels that may be missing between the two letters of a contracted word."""

_CONTRACTION: Final = re.compile(r"[A-Z][b-df-hj-np-tv-z]")


def _typed_runs(plain: str) -> tuple[str, ...]:
    """Returns the runs of a text without marks, in the case that was typed."""
    runs: list[str] = []
    previous = ""
    for character in plain:
        if character.isalnum():
            # A capital after a capital (`HTTP`, or caps lock) does not begin a run.
            if not previous or (character.isupper() and not previous.isupper()):
                runs.append("")
            runs[-1] += character
        previous = character if character.isalnum() else ""
    if plain.isupper() and len(runs) == 1:
        return (runs[0],)
    divided: list[str] = []
    for run in runs:
        # `HTTPServ`: capitals before lower case are initials, the last of which begins a word;
        # `UTF16` has no such word
        capitals = len(run) - len(run.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        if capitals > 1 and run[capitals : capitals + 1].isalpha():
            divided.append(run[: capitals - 1])
            run = run[capitals - 1 :]
        divided.append(run)
    return tuple(divided)


def match_strong(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tiers exact, prefix, humps and substring; 0.0 for no match. folded:
    the folded name."""
    if name == needle.text:
        return EXACT_STEPS[0]
    if not needle.folded:
        return 0.0
    score = last_part_score(needle, name, folded) or _match_literal(needle, name, folded)
    return score or match_humps(needle, name, folded) or match_substring(needle, name, folded)


JOINED_BY: Final = (".", ":", "/")
"""Characters before the last part of a name that is itself qualified."""


def last_part(name: str) -> str:
    """Returns the last part of a name that is itself qualified, and any other name unchanged."""
    part = _LAST_PART.search(name)
    return name if part is None or any(map(str.isspace, name)) else part[0]


_LAST_PART: Final = re.compile(r"(?<=[\w\])][.:/])\w+$")


def last_part_score(needle: Needle, name: str, folded: str) -> float:
    """Returns the score of a name that is itself qualified, as a module's may be, and whose last
    part is the needle. Returns 0.0 for any other name, and if the needle has capitals that the part
    does not have."""
    if not folded.endswith(needle.folded) or len(folded) == len(needle.folded):
        return 0.0
    part = last_part(name)
    if part == name or fold(part) != needle.folded:
        return 0.0
    return EXACT_STEPS[0] if part == needle.text else 0.0 if needle.capitals else EXACT_STEPS[1]


def _match_literal(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tiers exact and prefix, which have three steps each."""
    squashed, searched = (
        (squash(folded), needle.squashed) if needle.squashed else (folded, needle.folded)
    )
    if squashed == searched:
        is_other_case = needle.capitals and squash(strip_marks(name)) != needle.capitals
        ignores_case, ignores_separators = OTHER_CASE_STEPS if is_other_case else EXACT_STEPS[1:]
        return ignores_case if folded == needle.folded else ignores_separators
    if not squashed.startswith(searched):
        return 0.0
    is_typed = name.startswith(needle.text)
    share = len(searched) / len(squashed)
    if not is_typed and len(needle.runs) > 1:
        # `cL` means `classList` before `class`, which merely has the letters.
        share = (share + divides(needle, name, folded)) / 2
    steps = AS_TYPED if is_typed else AS_FOLDED if folded.startswith(needle.folded) else AS_SQUASHED
    return _place(steps[_ends_word(needle, name, folded)], share)


def _ends_word(needle: Needle, name: str, folded: str) -> bool:
    """Whether a word ends where the needle ends, in a name that begins with the needle if
    separators are ignored."""
    if not needle.squashed:
        return True
    end = 0
    for _ in needle.squashed:
        while folded[end] in SEPARATORS:
            end += 1
        end += 1
    return not folded[end].isalnum() or end in word_starts(name)


POINTS: Final = 10_000
"""Steps of a score. Scores are whole ten-thousandths, so that equal shares give equal scores on
every machine and in every implementation."""


def _place(band: tuple[float, float], share: float) -> float:
    """Returns a score within a band for a share from 0.0 to 1.0."""
    low, high = band
    return round((low + (high - low) * min(max(share, 0.0), 1.0)) * POINTS) / POINTS


def match_substring(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier substring; 0.0 for no match."""
    if needle.folded not in folded:
        return 0.0
    coverage = len(needle.folded) / len(folded)
    if needle.capitals and needle.text not in name:
        coverage /= 1.0 + OTHER_CASE
    at_word = any(folded.startswith(needle.folded, start) for start in word_starts(name))
    return _place(WORD_SUBSTRING if at_word else INNER_SUBSTRING, coverage)


def match_humps(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier humps; 0.0 for no match."""
    if (
        len(needle.squashed) < 2
        or not needle.squashed.isalnum()
        or not is_in_order(needle.squashed, folded)
    ):
        return 0.0
    starts = word_starts(name)
    if len(starts) < 2:
        return 0.0
    words = _words(folded, starts)
    cost = _cost_of_humps(needle.runs, words, needle.contracted)
    if cost is None:
        return 0.0
    if needle.capitals and not _has_capitals(needle, name, folded, starts):
        cost += OTHER_CASE
    # The share of the letters of the name's words, less the cost of skipped words.
    coverage = len(needle.squashed) / max(sum(map(len, words)), 1)
    return _place(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + cost))


def _has_capitals(needle: Needle, name: str, folded: str, starts: tuple[int, ...]) -> bool:
    """Whether the needle's letters, in the case they were typed in, are beginnings of the name's
    words."""
    plain = strip_marks(name)
    # If `ß` folds to two letters, the places of words do not fit the name as written.
    return len(plain) != len(folded) or _can_divide(needle.capitals, _words(plain, starts))


def _words(folded: str, starts: tuple[int, ...]) -> list[str]:
    """Returns the first MOST_WORDS words of a name, without the characters between them."""
    ends = (*starts[1:], len(folded))
    return [_trim(folded[start:end]) for start, end in zip(starts, ends, strict=False)][:MOST_WORDS]


def _trim(word: str) -> str:
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word


LATE_START = 1.0
SKIPPED_WORD = 0.5
SKIPPED_VOWELS = 0.75
OTHER_CASE = 0.4
TRAILING_WORD = 0.25
"""Costs of a hump match, in this order: the match does not begin with the name's first word; a word
in the middle is skipped; vowels inside a word are left out; the name lacks capitals of the needle;
a word is left over at the end."""


def _cost_of_humps(
    runs: tuple[str, ...], words: list[str], contracted: frozenset[int] = frozenset()
) -> float | None:
    """Returns the least cost of dividing the letters of a needle into beginnings of words, in
    order; `None` if they cannot be divided.

    A needle of one run must be divided among two words or more: within one word it is a prefix or a
    substring. If the needle shows its runs, each run begins a word and may continue in the
    following words (`URLpar` has the run `url`). contracted: see Needle.
    """
    letters = "".join(runs)
    ends = run_ends(runs)
    most_in_one_word = len(letters) - 1 if len(runs) == 1 else len(letters)
    if len(runs) == 1 and not _can_divide(letters, words):
        return None

    @cache
    def cheapest(taken: int, word: int) -> float | None:
        if taken == len(letters):
            return TRAILING_WORD * (len(words) - word)
        if word == len(words):
            return None
        ways = [(taken, LATE_START if word == 0 else SKIPPED_WORD)]
        run = letters[taken : ends[taken]]
        shared = _common_prefix(run, words[word])
        ways += [
            (taken + length, 0.0)
            for length in range(
                1, min(shared, most_in_one_word - taken if taken == 0 else shared) + 1
            )
        ]
        if taken in contracted and shared == 1 and _is_contraction_of(run, words[word]):
            ways.append((ends[taken], SKIPPED_VOWELS))
        costs = [(cheapest(after, word + 1), cost) for after, cost in ways]
        return min((rest + cost for rest, cost in costs if rest is not None), default=None)

    return cheapest(0, 0)


def divides(needle: Needle, name: str, folded: str) -> bool:
    """Whether the needle can be divided among the name's words, or begins one of them."""
    words = _words(folded, word_starts(name))
    return (
        _can_divide(needle.squashed, words)
        if len(needle.runs) == 1
        else _can_divide_runs(needle.runs, words, needle.contracted)
    )


def run_ends(runs: tuple[str, ...]) -> list[int]:
    """Returns, for each letter of the joined runs, where its run ends."""
    return [end for run, end in zip(runs, accumulate(map(len, runs)), strict=True) for _ in run]


def _can_divide(letters: str, words: list[str]) -> bool:
    """Whether `letters` are beginnings of words, in order. Most names fail this test, which is far
    cheaper than the least cost."""
    reached = {0}
    for word in words:
        initial = word[:1]
        ends = [
            end
            for taken in reached
            if letters[taken] == initial
            for end in range(taken + 1, taken + 1 + _common_prefix(letters[taken:], word))
        ]
        if len(letters) in ends:
            return True
        reached.update(ends)
    return False


def _can_divide_runs(
    runs: tuple[str, ...], words: list[str], contracted: frozenset[int] = frozenset()
) -> bool:
    """Whether `_cost_of_humps` finds a way for several runs, in a tenth of the time that the least
    cost takes."""
    letters, ends = "".join(runs), run_ends(runs)
    reached = {0}
    for word in words:
        ways: set[int] = set()
        for taken in reached:
            run = letters[taken : ends[taken]]
            shared = _common_prefix(run, word)
            ways.update(range(taken + 1, taken + shared + 1))
            if taken in contracted and shared == 1 and _is_contraction_of(run, word):
                ways.add(ends[taken])
        if len(letters) in ways:
            return True
        reached |= ways
    return False


def _is_contraction_of(run: str, word: str) -> bool:
    """Whether a word begins with the two letters of a contracted run and one or two vowels between
    them."""
    consonants = word[1:].lstrip(VOWELS)
    return consonants[:1] == run[1] and 0 < len(word) - 1 - len(consonants) <= MOST_VOWELS


def _common_prefix(letters: str, word: str) -> int:
    length = 0
    for letter, word_letter in zip(letters, word, strict=False):
        if letter != word_letter:
            break
        length += 1
    return length


def match_subsequence(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier subsequence; 0.0 for no match.

    A needle with a capital may begin inside a run of capitals, each of which may be the initial of
    a word (`THRE` finds `HTMLHRElement`).
    """
    letters = needle.squashed
    if len(letters) < 2 or not is_in_order(letters, folded):
        return 0.0
    best = 0.0
    starts = word_starts(name)
    for start in (*starts, *_capitals_inside(name, starts)) if needle.begins_capital else starts:
        if folded[start : start + 1] != letters[0]:
            continue
        position, gaps = start, 0
        for letter in letters[1:]:
            following = folded.find(letter, position + 1)
            if following < 0:
                break
            gaps += following != position + 1
            position = following
        else:
            share = 0.7 * len(letters) / (position - start + 1) + 0.3 / (1 + gaps)
            best = max(best, _place(BANDS[Tier.SUBSEQUENCE], share))
    return best


def _capitals_inside(name: str, starts: tuple[int, ...]) -> list[int]:
    """Returns the places, in the folded name, of capitals that do not begin a word of it."""
    places, offset = [], 0
    for character in strip_marks(name):
        if character.isupper() and offset not in starts:
            places.append(offset)
        offset += len(character.casefold())
    return places


PREFIX_EDITS: Final = 0.3
WORD_EDITS: Final = 0.6
"""Added to the edits if only the beginning of the name matches, or only one of its words."""


def match_typo(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier typo; 0.0 for no match."""
    limit = needle.max_typos
    if not limit or (needle.pieces and not any(piece in folded for _, piece in needle.pieces)):
        return 0.0
    from rapidfuzz.distance import (
        OSA,
    )  # imported here, because most queries do without it and the import takes 15 ms

    def distance(text: str) -> int:
        return OSA.distance(
            needle.folded, text, score_cutoff=limit
        )  # limit + 1 for any text that is farther away

    length = len(needle.folded)
    best = limit + 1.0
    if abs(len(folded) - length) <= limit:
        best = distance(folded)
    if len(folded) > length - limit:
        # The nearest beginning of the name is at most `limit` characters shorter or longer than the
        # needle.
        for size in range(max(length - limit, 1), min(length + limit, len(folded) - 1) + 1):
            best = min(best, distance(folded[:size]) + PREFIX_EDITS)
    if best > 1.0:
        for word in _words(folded, word_starts(name)):
            if abs(len(word) - length) <= limit:
                best = min(best, distance(word) + WORD_EDITS)
    if best >= limit + 1.0:
        return 0.0
    return _place(BANDS[Tier.TYPO], 1.0 - best / (limit + 1.0))
