"""Finds the letters of a name that a query has matched, to mark them on a terminal."""

import re
from typing import Final

from symindex.text.folding import fold

_WORDS: Final = re.compile(r"(?<![\w:])[!+-]?(?:[a-z]+:)?([^\W_][\w]*)|(\w+)")
MOST_LETTERS: Final = 200
"""Longest name, in letters, in which letters are marked: nobody reads longer names letter by
letter, and the search takes quadratic time."""

_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})


def matched_letters(query: str, name: str) -> list[int]:
    """Returns the places of a query's letters in a name, in order. A word is marked if the name
    contains it. Otherwise its letters are marked one by one if they occur in this order: each right
    after the last one, or at the beginning of a part where possible. All other words, for example
    misspelt ones, are not marked."""
    if len(name) > MOST_LETTERS:
        return []
    folded = [fold(letter) for letter in name]
    places: set[int] = set()
    for word in _words(query):
        places.update(_whole(word, folded) or _scattered(word, name, folded))
    return sorted(places)


def _words(query: str) -> list[str]:
    matches = (match[1] or match[2] for match in _WORDS.finditer(query))
    return [fold(word) for word in matches if word not in _OPERATORS and len(word) <= MOST_LETTERS]


def _whole(word: str, folded: list[str]) -> range | None:
    """Returns the place of a whole word. Places count letters of the name, whose folded forms may
    be longer."""
    if not all(len(letter) == 1 for letter in folded):
        return None
    start = "".join(folded).find(word)
    return range(start, start + len(word)) if start >= 0 else None


def _scattered(word: str, name: str, folded: list[str]) -> list[int]:
    places: list[int] = []
    first = 0
    for letter in word:
        candidates = [place for place in range(first, len(folded)) if folded[place] == letter]
        if not candidates:
            return []
        if not places or candidates[0] > first:
            rest = word[len(places) + 1 :]
            candidates[:0] = [
                place
                for place in candidates
                if _begins_part(name, place) and _goes_on(rest, folded, place + 1)
            ][:1]
        places.append(candidates[0])
        first = places[-1] + 1
    return places


def _goes_on(letters: str, folded: list[str], first: int) -> bool:
    """Whether letters occur in this order, from a place on."""
    rest = iter(folded[first:])
    return all(letter in rest for letter in letters)


def _begins_part(name: str, place: int) -> bool:
    previous = name[place - 1] if place else "_"
    return not previous.isalnum() or (name[place].isupper() and not previous.isupper())
