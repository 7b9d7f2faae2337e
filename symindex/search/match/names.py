"""Decides whether and how well a needle matches one name: strings in, a score out.
`symindex/search/match/README.md` has the rules of the tiers.

The band of a score is the tier. The place within the band depends on how much of the name the
needle covers, and on how close together its letters are.
"""

import re
from collections.abc import Sequence
from enum import IntEnum
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import Final

from symindex.search.match.division import (
    OTHER_CASE,
    can_divide,
    can_divide_runs,
    divide_humps,
    divided,
)
from symindex.text.folding import (
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
    words = divided(folded, starts)
    division = divide_humps(needle.runs, words, needle.contracted)
    if division is None:
        return 0.0
    cost, _ = division
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
    return len(plain) != len(folded) or can_divide(needle.capitals, divided(plain, starts))


def divides(needle: Needle, name: str, folded: str) -> bool:
    """Whether the needle can be divided among the name's words, or begins one of them."""
    words = divided(folded, word_starts(name))
    return (
        can_divide(needle.squashed, words)
        if len(needle.runs) == 1
        else can_divide_runs(needle.runs, words, needle.contracted)
    )


def match_subsequence(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier subsequence; 0.0 for no match."""
    share, _ = scattered(needle, name, folded)
    return _place(BANDS[Tier.SUBSEQUENCE], share) if share else 0.0


def scattered(needle: Needle, name: str, folded: str) -> tuple[float, list[int]]:
    """Returns the share of the best match in the tier subsequence, and the places of its letters in
    the folded name; 0.0 for no match.

    A needle with a capital may begin inside a run of capitals, each of which may be the initial of
    a word (`THRE` finds `HTMLHRElement`).
    """
    letters = needle.squashed
    best: tuple[float, list[int]] = (0.0, [])
    if len(letters) < 2 or not is_in_order(letters, folded):
        return best
    starts = word_starts(name)
    for start in (*starts, *_capitals_inside(name, starts)) if needle.begins_capital else starts:
        if folded[start : start + 1] != letters[0]:
            continue
        places, gaps = [start], 0
        for letter in letters[1:]:
            following = folded.find(letter, places[-1] + 1)
            if following < 0:
                break
            gaps += following != places[-1] + 1
            places.append(following)
        else:
            share = 0.7 * len(letters) / (places[-1] - start + 1) + 0.3 / (1 + gaps)
            best = max(best, (share, places), key=itemgetter(0))
    return best


def _capitals_inside(name: str, starts: tuple[int, ...]) -> list[int]:
    """Returns the places, in the folded name, of capitals that do not begin a word of it."""
    places, offset, begins = [], 0, {*starts}
    for character in strip_marks(name):
        if character.isupper() and offset not in begins:
            places.append(offset)
        offset += len(character.casefold())
    return places


PREFIX_EDITS: Final = 0.3
WORD_EDITS: Final = 0.6
"""Added to the edits if only the beginning of the name matches, or only one of its words."""


def match_typo(needle: Needle, name: str, folded: str) -> float:
    """Returns the score in the tier typo; 0.0 for no match."""
    limit = needle.max_typos
    edits, _ = nearest_part(needle, name, folded)
    if edits >= limit + 1.0:
        return 0.0
    return _place(BANDS[Tier.TYPO], 1.0 - edits / (limit + 1.0))


def nearest_part(needle: Needle, name: str, folded: str) -> tuple[float, range]:
    """Returns the fewest edits between the needle and a part of a name, and where that part is in
    the folded name. The edits are at least `max_typos + 1` if no part is near."""
    limit = needle.max_typos
    best: tuple[float, range] = (limit + 1.0, range(0))
    if not limit or (needle.pieces and not any(piece in folded for _, piece in needle.pieces)):
        return best
    from rapidfuzz.distance import (
        OSA,
    )  # imported here, because most queries do without it and the import takes 15 ms

    def nearer(part: range, extra: float = 0.0) -> tuple[float, range]:
        text = folded[part.start : part.stop]
        edits = OSA.distance(
            needle.folded, text, score_cutoff=limit
        )  # limit + 1 for any text that is farther away
        return min(best, (edits + extra, part), key=itemgetter(0))

    length = len(needle.folded)
    if abs(len(folded) - length) <= limit:
        best = nearer(range(len(folded)))
    if len(folded) > length - limit:
        # The nearest beginning of the name is at most `limit` characters shorter or longer than the
        # needle. Of equally near ones, the one that is as long as the needle is meant.
        sizes = range(max(length - limit, 1), min(length + limit, len(folded) - 1) + 1)
        for size in sorted(sizes, key=lambda size: abs(size - length)):
            best = nearer(range(size), PREFIX_EDITS)
    if best[0] > 1.0:
        starts = word_starts(name)
        for start, word in zip(starts, divided(folded, starts), strict=False):
            if abs(len(word) - length) <= limit:
                best = nearer(range(start, start + len(word)), WORD_EDITS)
    return best
