"""Snippets: the piece of a text around what was looked for, cut where words or lines end."""

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from symindex.text.wildcard import matches_wildcard
from symindex.text.words import stem, words_of

LONGEST: Final = 300
"""Characters of a snippet, with its marks."""

BEFORE: Final = 80
"""So many of them stand before the first match, about, so that it is still there in half of the
snippet."""

MOST_READ: Final = 200_000
"""Characters of a text in which matches are looked for."""

_SHORTEST_BEGINNING: Final = 3
"""Letters of a word from which on it stands for longer ones that it begins, as in a search."""

_CUT: Final = "…"
_BLANKS: Final = re.compile(r"(?<=\S)[^\S\n]+")
_TOKEN: Final = re.compile(r"\w+")

Run: TypeAlias = tuple[str, ...]
"""Words that stand side by side, folded (`text/words`); in one with `*`, that is any text."""


def cut_snippet(text: str, runs: Sequence[Run]) -> str:
    """The piece of a text that holds the most of some runs, the first of several; its beginning
    where none is found."""
    plain = "\n".join(
        filter(None, map(str.rstrip, _BLANKS.sub(" ", text[:MOST_READ]).split("\n")))
    ).strip()
    start = _start(plain, max(0, _best_match(plain, runs) - BEFORE))
    before = f"{_CUT} " if start else ""
    room = LONGEST - len(before)
    if len(plain) - start <= room and len(text) <= MOST_READ:
        return before + plain[start:].strip()
    end = _end(plain, start, start + room - len(_CUT) - 1)
    return f"{before}{plain[start:end].strip()} {_CUT}"


def _start(text: str, at: int) -> int:
    """Where a line begins soon behind a place, or a word."""
    if at == 0:
        return 0
    line = text.find("\n", at - 1, at + BEFORE)
    word = _BLANK.search(text, at - 1, at + BEFORE)
    return line + 1 if line >= 0 else word.end() if word is not None else at


def _end(text: str, start: int, at: int) -> int:
    """Where a line ends not far before a place, or a word."""
    line = text.rfind("\n", start + (at - start) * 2 // 3, at + 1)
    word = text.rfind(" ", start + 1, at + 1)
    return line if line > start else word if word > start else at


_BLANK: Final = re.compile(r"\s")


def _best_match(text: str, runs: Sequence[Run]) -> int:
    """Where the first match of the best piece begins: with the most different runs, and words in
    them."""
    found = _matches(text, runs)
    best, best_at, end = 0, 0, 0
    inside: dict[Run, int] = {}
    for at, run in found:
        while end < len(found) and found[end][0] < at + LONGEST - BEFORE:
            inside[found[end][1]] = inside.get(found[end][1], 0) + 1
            end += 1
        held = sum(len(each) for each, count in inside.items() if count)
        if held > best:
            best, best_at = held, at
        inside[run] -= 1
    return best_at


def _matches(text: str, runs: Sequence[Run]) -> list[tuple[int, Run]]:
    """Where runs stand, in order."""
    words: list[str] = []
    starts: list[int] = []
    known: dict[str, list[str]] = {}
    for token in _TOKEN.finditer(text):
        of_token = known.get(token[0])
        if of_token is None:
            of_token = known[token[0]] = words_of(token[0])
        words += of_token
        starts += [token.start()] * len(of_token)
    distinct = set(words)
    found: list[tuple[int, Run]] = []
    for run in dict.fromkeys(runs):
        is_phrase = len(run) > 1
        meant = [
            {word for word in distinct if _is_meant(word, wanted, is_phrase)} for wanted in run
        ]
        for at in range(len(words) - len(run) + 1) if all(meant) else ():
            if words[at] in meant[0] and all(
                map(set.__contains__, meant, words[at : at + len(run)])
            ):
                found.append((starts[at], run))
    return sorted(found)


def _is_meant(word: str, wanted: str, is_phrase: bool) -> bool:
    if "*" in wanted:
        return matches_wildcard(wanted, word)
    if word == wanted or is_phrase:
        return word == wanted
    return stem(word) == stem(wanted) or (
        len(wanted) >= _SHORTEST_BEGINNING and word.startswith(wanted)
    )
