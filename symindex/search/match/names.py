"""Whether and how well a needle matches a name.

This module knows nothing of indexes: strings in, a score out. A score says two things: its band is the tier, its place within the
band how much of the name the needle covers and how closely its letters stand together. A better tier always scores higher.

    tier          band           rule (needle n, name s)
    exact         0.98 - 1.00    n is s; then ignoring case; then ignoring case, accents, `_` and `-`. Only n == s scores 1.0
    prefix        0.87 - 0.97    the same three steps; in each, what ends where a word of s does comes first
    humps         0.70 - 0.86    n is runs of letters, each the start of a word of s, in order: `ibfo` for `initBookForOfficial`
    substring     0.45 - 0.69    at a word's start, then anywhere
    typo          0.25 - 0.44    a few edits away from the name, its beginning, or one of its words
    subsequence   0.05 - 0.24    the letters in order, the first at a word's start, or, typed as a capital, at any capital

Whoever types a capital means it: a name that is n only when case is ignored is then a prefix rather than exact, behind those that
begin with n as it was typed and before all others.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, cached_property
from itertools import pairwise
from typing import Final

from symindex.text.folding import MOST_WORDS, SEPARATORS, fold, is_in_order, squash, strip_marks, word_starts


class Tier(IntEnum):
    """How a needle matches, best first."""

    EXACT = 0
    PREFIX = 1
    HUMPS = 2
    SUBSTRING = 3
    TYPO = 4
    SUBSEQUENCE = 5


BANDS: Final[dict[Tier, tuple[float, float]]] = {
    Tier.EXACT: (0.98, 1.0),
    Tier.PREFIX: (0.87, 0.97),
    Tier.HUMPS: (0.70, 0.86),
    Tier.SUBSTRING: (0.45, 0.69),
    Tier.TYPO: (0.25, 0.44),
    Tier.SUBSEQUENCE: (0.05, 0.24),
}

BAND_TOLERANCE: Final = 0.0095
"""So little below a band a score still belongs to it: less than the gaps between bands, for what `lookup` takes off."""

EXACT_STEPS: Final = (1.0, 0.99, 0.98)
AS_TYPED: Final = ((0.938, 0.953), (0.955, 0.97))
OTHER_CASE_STEPS: Final = (0.934, 0.930)
AS_FOLDED: Final = ((0.898, 0.911), (0.913, 0.926))
AS_SQUASHED: Final = ((0.870, 0.883), (0.885, 0.896))
"""Of the tier prefix, best first: as typed; the whole name, but not with the capitals that were typed; ignoring case; ignoring
separators as well. Of prefixes: where they end inside a word, and where at the end of one."""

WORD_SUBSTRING: Final = (0.58, 0.69)
INNER_SUBSTRING: Final = (0.45, 0.57)

TYPO_STEPS: Final = ((13, 3), (8, 2), (4, 1))
"""From this many characters on, so many edits are forgiven; shorter needles forgive none."""


def tier_of(score: float) -> Tier:
    """The tier whose band the score lies in."""
    return next(tier for tier, (low, _) in BANDS.items() if score > low - BAND_TOLERANCE)


@dataclass(frozen=True)
class Needle:
    """What is looked for, prepared once: as typed, folded, without separators, and in the runs that its humps divide it into.

    capitals: as squashed, but in the case that was typed; empty if all is small, as whoever types capitals means them, but small
    letters may be mere haste.
    runs: where the needle itself shows its words, by a capital inside or a separator (`inBkOff`: in, Bk, Off); else one run.
    scattered: matches a folded name that holds its letters in order.
    max_typos: how many edits the typo tier forgives. pieces: parts of it, one of which a name within that many edits must hold:
    an edit touches at most two neighbouring parts, and there is one part more than that.
    """

    text: str
    folded: str = field(init=False)
    squashed: str = field(init=False)
    capitals: str = field(init=False)
    runs: tuple[str, ...] = field(init=False)
    max_typos: int = field(init=False)
    pieces: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        folded = fold(self.text)
        object.__setattr__(self, "folded", folded)
        object.__setattr__(self, "squashed", squash(folded))
        typed = squash(strip_marks(self.text))
        object.__setattr__(self, "capitals", typed if typed.lower() != typed else "")
        object.__setattr__(self, "runs", _typed_runs(self.text))
        max_typos = next((edits for length, edits in TYPO_STEPS if len(folded) >= length), 0)
        object.__setattr__(self, "max_typos", max_typos)
        object.__setattr__(self, "pieces", _cut(folded, 2 * max_typos + 1))

    @property
    def begins_capital(self) -> bool:
        """Whether the first letter was typed as a capital."""
        return self.capitals[:1].isupper()

    @cached_property
    def scattered(self) -> re.Pattern[str]:
        """Made when it is first asked for: compiling it takes longer than many a search."""
        return _scattered(self.squashed)


def _scattered(letters: str) -> re.Pattern[str]:
    # Each gap excludes the letter that ends it, so there is nothing to backtrack into.
    return re.compile("".join(f"[^{re.escape(letter)}]*+{re.escape(letter)}" for letter in letters), re.DOTALL)


def _cut(text: str, n_pieces: int) -> tuple[str, ...]:
    edges = [len(text) * number // n_pieces for number in range(n_pieces + 1)]
    return tuple(text[start:end] for start, end in pairwise(edges))


def _typed_runs(text: str) -> tuple[str, ...]:
    plain = strip_marks(text)
    runs: list[str] = []
    before = ""
    for character in plain:
        if not character.isalnum():
            before = ""
            continue
        # Capitals alone (`HTTP`, or a caps-lock) say nothing about words.
        begins = not before or (character.isupper() and not before.isupper())
        if begins:
            runs.append("")
        runs[-1] += character
        before = character
    if plain.isupper() and len(runs) == 1:
        return (fold(runs[0]),)
    divided: list[str] = []
    for run in runs:
        # `HTTPServ`: a run of capitals before small letters is initials, the last of which begins a word; `UTF16` has none
        capitals = len(run) - len(run.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        if capitals > 1 and run[capitals : capitals + 1].isalpha():
            divided.append(run[: capitals - 1])
            run = run[capitals - 1 :]
        divided.append(run)
    return tuple(fold(run) for run in divided)


def match_strong(needle: Needle, name: str, folded: str) -> float:
    """The score by the tiers exact, prefix, humps and substring; 0.0 for no match.

    folded: the name's folded form.
    """
    if name == needle.text:
        return EXACT_STEPS[0]
    return _match_literal(needle, name, folded) or match_humps(needle, name, folded) or match_substring(needle, name, folded)


def _match_literal(needle: Needle, name: str, folded: str) -> float:
    """Exact and prefix, in three steps each."""
    squashed, wanted = (squash(folded), needle.squashed) if needle.squashed else (folded, needle.folded)
    if squashed == wanted:
        is_other_case = needle.capitals and squash(strip_marks(name)) != needle.capitals
        ignores_case, ignores_separators = OTHER_CASE_STEPS if is_other_case else EXACT_STEPS[1:]
        return ignores_case if folded == needle.folded else ignores_separators
    if not squashed.startswith(wanted):
        return 0.0
    is_typed = name.startswith(needle.text)
    share = len(wanted) / len(squashed)
    if not is_typed and len(needle.runs) > 1:
        # `cL` means `classList` before `class`, which only has the letters.
        share = (share + divides(needle, name, folded)) / 2
    steps = AS_TYPED if is_typed else AS_FOLDED if folded.startswith(needle.folded) else AS_SQUASHED
    return _place(steps[_ends_word(needle, name, folded)], share)


def _ends_word(needle: Needle, name: str, folded: str) -> bool:
    """Whether a name that begins with the needle, but for separators, goes on with a new word."""
    if not needle.squashed:
        return True
    behind = 0
    for _ in needle.squashed:
        while folded[behind] in SEPARATORS:
            behind += 1
        behind += 1
    return not folded[behind].isalnum() or behind in word_starts(name)


POINTS: Final = 10_000
"""Scores are whole ten-thousandths, so that equal shares are equal scores on every machine and by every way to compute them."""


def _place(band: tuple[float, float], share: float) -> float:
    """A score within a band; `share` from 0.0 to 1.0."""
    low, high = band
    return round((low + (high - low) * min(max(share, 0.0), 1.0)) * POINTS) / POINTS


def match_substring(needle: Needle, name: str, folded: str) -> float:
    """The score of the tier substring; 0.0 for no match."""
    if needle.folded not in folded:
        return 0.0
    starts = word_starts(name)
    coverage = len(needle.folded) / len(folded)
    if needle.capitals and needle.text not in name:
        coverage /= 1.0 + OTHER_CASE
    step = folded.find(needle.folded)
    while step >= 0:
        if step in starts:
            return _place(WORD_SUBSTRING, coverage)
        step = folded.find(needle.folded, step + 1)
    return _place(INNER_SUBSTRING, coverage)


def match_humps(needle: Needle, name: str, folded: str) -> float:
    """The score of the tier humps, 0.0 for no match: runs of the needle, each the start of a word, in order; words may be
    skipped, at a cost.

    Inside a run that the needle itself marks (`Bk` in `inBkOff`) letters of the word may be left out, at a cost.
    """
    if len(needle.squashed) < 2 or not needle.squashed.isalnum() or needle.scattered.match(folded) is None:
        return 0.0
    starts = word_starts(name)
    if len(starts) < 2:
        return 0.0
    words = _words(folded, starts)
    cost = _cost_of_humps(needle.runs, words)
    if cost is None:
        return 0.0
    if needle.capitals and not _has_capitals(needle, name, folded, starts):
        cost += OTHER_CASE
    # The share of the letters of the name's words, less what was skipped; never quite nothing.
    coverage = len(needle.squashed) / max(sum(map(len, words)), 1)
    return _place(BANDS[Tier.HUMPS], 0.4 * coverage + 0.6 / (1.0 + cost))


def _has_capitals(needle: Needle, name: str, folded: str, starts: tuple[int, ...]) -> bool:
    """Whether the needle's letters are beginnings of the name's words in the very case they were typed in."""
    plain = strip_marks(name)
    # Where `ß` folds to two letters, the words' places do not fit the name as it is written.
    return len(plain) != len(folded) or _can_divide(needle.capitals, _words(plain, starts))


def _words(folded: str, starts: tuple[int, ...]) -> list[str]:
    """The words of a name, the first MOST_WORDS of them, without what stands between them."""
    ends = (*starts[1:], len(folded))
    return [_trim(folded[start:end]) for start, end in zip(starts, ends, strict=False)][:MOST_WORDS]


def _trim(word: str) -> str:
    while word and not word[-1].isalnum():
        word = word[:-1]
    return word


LATE_START = 1.0
SKIPPED_WORD = 0.5
SKIPPED_LETTERS = 0.75
OTHER_CASE = 0.4
TRAILING_WORD = 0.25
"""Costs of a hump match, in the order of what disturbs most: not beginning with the name, letters left out inside a
word, a word skipped in the middle, capitals that the name does not have, a word left over at the end."""


def _cost_of_humps(runs: tuple[str, ...], words: list[str]) -> float | None:
    """The least cost of dividing the letters of a needle into beginnings of words, in order; `None` if that cannot be.

    A needle in one run falls to two words or more: one alone is a prefix or a substring. Where the needle shows its runs, each
    begins a word, of which it may leave out letters, or goes on into the following words (`URLpar` has the run `url`).
    """
    letters = "".join(runs)
    ends = run_ends(runs)
    whole = len(letters) - 1 if len(runs) == 1 else len(letters)
    if len(runs) == 1 and not _can_divide(letters, words):
        return None
    best: dict[tuple[int, int], float | None] = {}

    def cheapest(at: int, word: int) -> float | None:
        if at == len(letters):
            return TRAILING_WORD * (len(words) - word)
        if word == len(words):
            return None
        key = (at, word)
        if key not in best:
            best[key] = None  # words only grow, so there is no way back to this key
            ways = [(at, LATE_START if word == 0 else SKIPPED_WORD)]
            run = letters[at : ends[at]]
            shared = _common_prefix(run, 0, words[word])
            ways += [(at + length, 0.0) for length in range(1, min(shared, whole - at if at == 0 else shared) + 1)]
            if len(runs) > 1 and shared and _begins_run(ends, at) and shared < len(run) and is_in_order(run, words[word]):
                ways.append((ends[at], SKIPPED_LETTERS))
            costs = [(cheapest(behind, word + 1), cost) for behind, cost in ways]
            best[key] = min((rest + cost for rest, cost in costs if rest is not None), default=None)
        return best[key]

    return cheapest(0, 0)


def divides(needle: Needle, name: str, folded: str) -> bool:
    """Whether the needle can be divided among the name's words, be it in one of them."""
    words = _words(folded, word_starts(name))
    if len(needle.runs) == 1:
        return _can_divide(needle.squashed, words)
    return _cost_of_humps(needle.runs, words) is not None


def run_ends(runs: tuple[str, ...]) -> list[int]:
    """By letter of the runs, joined: where the run ends that it stands in."""
    ends: list[int] = []
    for run in runs:
        ends += [len(ends) + len(run)] * len(run)
    return ends


def _begins_run(ends: list[int], at: int) -> bool:
    return at == 0 or ends[at] != ends[at - 1]


def _can_divide(letters: str, words: list[str]) -> bool:
    """Whether `letters` are beginnings of words, in order: most names fail here, at a fraction of what the least cost takes."""
    reached = {0}
    for word in words:
        initial = word[:1]
        ends = [
            end for at in reached if letters[at] == initial for end in range(at + 1, at + 1 + _common_prefix(letters, at, word))
        ]
        if len(letters) in ends:
            return True
        reached.update(ends)
    return False


def _common_prefix(letters: str, at: int, word: str) -> int:
    length = 0
    for one, other in zip(letters[at:], word, strict=False):
        if one != other:
            break
        length += 1
    return length


def match_subsequence(needle: Needle, name: str, folded: str) -> float:
    """The score of the last tier: all letters in order, the first at the start of a word; 0.0 for no match.

    Inside a run of capitals each may be a word's initial (`THRE` finds `HTMLHRElement`), so one that was typed begins there, too.
    """
    letters = needle.squashed
    if len(letters) < 2 or needle.scattered.match(folded) is None:
        return 0.0
    best = 0.0
    starts = word_starts(name)
    for start in (*starts, *_capitals_inside(name, starts)) if needle.begins_capital else starts:
        if folded[start : start + 1] != letters[0]:
            continue
        at, first, gaps = start, start, 0
        for letter in letters[1:]:
            found = folded.find(letter, at + 1)
            if found < 0:
                break
            gaps += found != at + 1
            at = found
        else:
            span = at - first + 1
            share = 0.7 * len(letters) / span + 0.3 / (1 + gaps)
            best = max(best, _place(BANDS[Tier.SUBSEQUENCE], share))
    return best


def _capitals_inside(name: str, starts: tuple[int, ...]) -> list[int]:
    """Where the capitals of a name stand that begin none of its words, as places in its folded form."""
    places, at = [], 0
    for character in strip_marks(name):
        if character.isupper() and at not in starts:
            places.append(at)
        at += len(character.casefold())
    return places


PREFIX_EDITS: Final = 0.3
WORD_EDITS: Final = 0.6
"""What counts as edits beside them: that only the beginning of the name is meant, or only one of its words."""


def match_typo(needle: Needle, name: str, folded: str) -> float:
    """The score of the typo tier: a few edits (insert, delete, replace, swap neighbours) away from the name, from its beginning,
    or from one of its words; 0.0 for no match."""
    limit = needle.max_typos
    if not limit or not any(piece in folded for piece in needle.pieces):
        return 0.0
    length = len(needle.folded)
    best = limit + 1.0
    if abs(len(folded) - length) <= limit:
        best = _distance(needle.folded, folded, limit)
    if len(folded) > length - limit:
        # The beginning of the name that is nearest: as long as the needle, or an edit shorter or longer.
        for size in range(max(length - limit, 1), min(length + limit, len(folded) - 1) + 1):
            best = min(best, _distance(needle.folded, folded[:size], limit) + PREFIX_EDITS)
    if best > 1.0:
        for word in _words(folded, word_starts(name)):
            if abs(len(word) - length) <= limit:
                best = min(best, _distance(needle.folded, word, limit) + WORD_EDITS)
    if best >= limit + 1.0:
        return 0.0
    return _place(BANDS[Tier.TYPO], 1.0 - best / (limit + 1.0))


def _distance(one: str, other: str, limit: int) -> float:
    # rapidfuzz answers limit + 1 for whatever is farther away
    return float(_edit_distance()(one, other, score_cutoff=limit))


@cache
def _edit_distance() -> Callable[..., int]:
    from rapidfuzz.distance import DamerauLevenshtein  # here, because most queries do without it and its import takes 15 ms

    return DamerauLevenshtein.distance
