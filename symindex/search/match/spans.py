"""Finds the characters of a name that the words of a query matched, to mark them.

The spans show the way in which the name matched (`search/match/names`): one span for a name, a
prefix or a substring; the beginnings of words for humps; the nearest part for a misspelt word;
single letters for a subsequence; and for several words, the words of the name that they stand for.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from symindex.search.match.division import divide_humps, divided
from symindex.search.match.names import (
    Needle,
    last_part_score,
    match_humps,
    nearest_part,
    scattered,
)
from symindex.text.folding import SEPARATORS, fold, squash, word_starts
from symindex.text.words import deciding, stem, words_of_each

Span = tuple[int, int]
"""The start of a run of characters, and the end, which is not included."""


def match_spans(words: Sequence[str], name: str, weak: bool = True) -> list[Span]:
    """Returns which characters of a name match the words of a query, in order and apart from each
    other; empty if none do. A single word is matched by the tiers of names and otherwise, like each
    of several words, word by word. A `*` in a word is any text. weak: whether a single word may
    match by the tiers typo and subsequence."""
    folded, owner = _fold(name)
    places: Iterable[int] = ()
    if len(words) == 1 and "*" in words[0]:
        places = _of_wildcard(fold(words[0]), folded)
    elif len(words) == 1:
        of_name = _FoldedName(name, folded, word_starts(name))
        needle = Needle(words[0])
        places = of_name.strong(needle) or (of_name.weak(needle) if weak else ())
    if not places:
        places = _of_words(words, folded, word_starts(name))
    return _joined(sorted({owner[place] for place in places if place < len(owner)}), owner, name)


def _fold(name: str) -> tuple[str, Sequence[int]]:
    """Returns the folded name and, for each of its characters, the place of the character of the
    name that it is made of."""
    if name.isascii():
        return name.lower(), range(len(name))
    pieces = [*map(fold, name)]
    owner = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), owner


def _joined(places: Sequence[int], owner: Sequence[int], name: str) -> list[Span]:
    """Returns places of a name as spans. Characters that fold to nothing, such as combining marks,
    belong to the span before them."""
    spans: list[Span] = []
    visible = {*owner} if isinstance(owner, list) else owner
    for place in places:
        end = place + 1
        while end < len(name) and end not in visible:
            end += 1
        if spans and spans[-1][1] == place:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((place, end))
    return spans


class _FoldedName(NamedTuple):
    """A name, its folded form, and where its words begin in that. The methods return places in the
    folded form, none for no match."""

    name: str
    folded: str
    starts: tuple[int, ...]

    def strong(self, needle: Needle) -> Sequence[int]:
        """Matches by the tiers exact, prefix, humps and substring."""
        name, folded = self.name, self.folded
        size = len(needle.folded)
        if not size:
            return ()
        if squash(folded) == (needle.squashed or folded) or name == needle.text:
            return range(len(folded))
        if last_part_score(needle, name, folded):
            return range(len(folded) - size, len(folded))
        if needle.squashed and squash(folded).startswith(needle.squashed):
            return self._beginning(len(needle.squashed))
        for start in self.starts:  # readers see it before they see the beginnings of words
            if folded.startswith(needle.folded, start):
                return range(start, start + size)
        if match_humps(needle, name, folded):
            return self._humps(needle)
        start = folded.find(needle.folded)
        return range(start, start + size) if start >= 0 else ()

    def _beginning(self, n_letters: int) -> range:
        """Returns the beginning of the name up to a number of letters, without separators before
        the first."""
        letters = [place for place, sign in enumerate(self.folded) if sign not in SEPARATORS]
        return range(letters[0], letters[n_letters - 1] + 1)

    def _humps(self, needle: Needle) -> list[int]:
        words = divided(self.folded, self.starts)
        division = divide_humps(needle.runs, words, needle.contracted)
        places: list[int] = []
        letters, taken = needle.squashed, 0
        for start, word, after in zip(
            self.starts, words, division[1] if division else (), strict=False
        ):
            offset = 0
            for letter in letters[taken:after]:  # vowels between two letters may be left out
                offset = word.index(letter, offset) + 1
                places.append(start + offset - 1)
            taken = after
        return places

    def weak(self, needle: Needle) -> Sequence[int]:
        """Matches by the tiers typo and subsequence."""
        edits, part = nearest_part(needle, self.name, self.folded)
        return (
            part if edits < needle.max_typos + 1 else scattered(needle, self.name, self.folded)[1]
        )


def _of_wildcard(pattern: str, folded: str) -> list[int]:
    """Returns the places of the pieces of a wildcard, in order; none if one is missing."""
    places: list[int] = []
    end = 0
    for piece in pattern.split("*"):
        start = folded.find(piece, end)
        if start < 0:
            return []
        end = start + len(piece)
        places += range(start, end)
    return places


def _of_words(texts: Sequence[str], folded: str, starts: tuple[int, ...]) -> Iterator[int]:
    """Yields the places of the words of a name that match words of a query: by their stem, or by
    their beginning. A word of the query that begins no word of the name may match inside one."""
    words = dict.fromkeys(deciding([word for of_text in words_of_each(texts) for word in of_text]))
    stems, left = {*map(stem, words)}, {**words}
    for start, word in zip(starts, divided(folded, starts), strict=False):
        beginning = [text for text in words if folded.startswith(text, start)]
        size = max(map(len, beginning), default=0)
        if stem(word) in stems:
            beginning += [text for text in left if stem(text) == stem(word)]
            size = max(size, len(word))
        yield from range(start, start + size)
        for text in beginning:
            left.pop(text, None)
    for text in left:
        if (start := folded.find(text)) >= 0:
            yield from range(start, start + len(text))
