"""Divides the letters of a needle among the beginnings of a name's words: the tier humps of
`search/match/names`."""

from functools import cache
from itertools import accumulate
from typing import Final

from symindex.text.folding import MOST_WORDS

VOWELS: Final = "aeiou"
MOST_VOWELS: Final = 2
"""Most vowels that may be missing between the two letters of a contracted word."""

LATE_START = 1.0
SKIPPED_WORD = 0.5
SKIPPED_VOWELS = 0.75
OTHER_CASE = 0.4
TRAILING_WORD = 0.25
"""Costs of a hump match, in this order: the match does not begin with the name's first word; a word
in the middle is skipped; vowels inside a word are left out; the name lacks capitals of the needle;
a word is left over at the end."""


def divided(folded: str, starts: tuple[int, ...]) -> list[str]:
    """Returns the first MOST_WORDS words of a name, without the characters between them."""
    ends = (*starts[1:], len(folded))
    return [_trim(folded[start:end]) for start, end in zip(starts, ends, strict=False)][:MOST_WORDS]


def _trim(word: str) -> str:
    end = len(word)
    while end and not word[end - 1].isalnum():
        end -= 1
    return word[:end]


def divide_humps(
    runs: tuple[str, ...], words: list[str], contracted: frozenset[int] = frozenset()
) -> tuple[float, list[int]] | None:
    """Divides the letters of a needle into beginnings of words, in order, at the least cost.
    Returns the cost, and how many letters the words have taken after each word, up to the last that
    takes one; `None` if the letters cannot be divided.

    A needle of one run must be divided among two words or more: within one word it is a prefix or a
    substring. If the needle shows its runs, each run begins a word and may continue in the
    following words (`URLpar` has the run `url`). contracted: see Needle.
    """
    letters = "".join(runs)
    ends = run_ends(runs)
    most_in_one_word = len(letters) - 1 if len(runs) == 1 else len(letters)
    if len(runs) == 1 and not can_divide(letters, words):
        return None

    @cache
    def cheapest(taken: int, word: int) -> tuple[float, int] | None:
        if taken == len(letters):
            return TRAILING_WORD * (len(words) - word), taken
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
        costs = [(cheapest(after, word + 1), cost, after) for after, cost in ways]
        return min(
            ((rest[0] + cost, after) for rest, cost, after in costs if rest is not None),
            default=None,
        )

    best = cheapest(0, 0)
    if best is None:
        return None
    taken_after = [0]
    while taken_after[-1] < len(letters):
        way = cheapest(taken_after[-1], len(taken_after) - 1)
        assert way is not None
        taken_after.append(way[1])
    return best[0], taken_after[1:]


def run_ends(runs: tuple[str, ...]) -> list[int]:
    """Returns, for each letter of the joined runs, where its run ends."""
    return [end for run, end in zip(runs, accumulate(map(len, runs)), strict=True) for _ in run]


def can_divide(letters: str, words: list[str]) -> bool:
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


def can_divide_runs(
    runs: tuple[str, ...], words: list[str], contracted: frozenset[int] = frozenset()
) -> bool:
    """Whether `divide_humps` finds a way for several runs, in a tenth of the time that it takes."""
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
