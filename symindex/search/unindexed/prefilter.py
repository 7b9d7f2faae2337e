"""Decides from a file's bytes and path whether it can have a hit, and how likely it defines the
name.

The name of a symbol occurs in the bytes of its file, so a file without the letters of a needle has
no symbol of that name. Bytes are compared as the tiers exact, prefix and substring compare names:
without case, accents, `_` and `-`. This passes a few files too many and never one too few. Matches
by humps have scattered letters and are not searched.

No language is known here: a definition is recognised by the text around the name on its line.
"""

import re
from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Final

import msgspec

from symindex.text.folding import fold, squash
from symindex.text.patterns.whole_words import is_letter


class Atom(msgspec.Struct, array_like=True, frozen=True):
    """A text that must occur in a file's bytes, or in its path if `in_path`.

    text: folded, and without `_` and `-`, unless it consists of these alone (then `is_squashed` is
    `False`).
    """

    text: str
    is_squashed: bool
    in_path: bool


class Prefilter(msgspec.Struct, array_like=True, frozen=True):
    """What a file must contain to have hits: one atom of every group.

    name: as typed, the name by which files are ranked; empty if the query has none. any_is_enough:
    whether hits in any file are enough, rather than the best.
    """

    groups: list[list[Atom]]
    name: str
    any_is_enough: bool = False


def make_atom(text: str, in_path: bool = False) -> Atom | None:
    """Returns the atom of a part of a query; `None` for a text with a dot or a colon. In the name
    of a namespace a dot may be written as another separator, and the parts of a selector are apart,
    so the file's bytes may differ."""
    folded = fold(text).replace("\0", "")
    squashed = squash(folded)
    if not folded or "." in folded or ":" in folded:
        return None
    return Atom(squashed or folded, bool(squashed), in_path)


_LOWER: Final = bytes(range(256)).lower()
_DROPPED: Final = b"_-\0"
"""Bytes that comparisons ignore: separators, and NUL, which the tables of an index do not store
either."""
_ASCII: Final = bytes(range(128))


class Finder:
    """Checks many files against one Prefilter. likelihood: returns from a file's bytes how likely
    it defines the name; 0 if there is no name."""

    def __init__(self, prefilter: Prefilter) -> None:
        atoms = [atom for group in prefilter.groups for atom in group]
        letters = frozenset("".join(atom.text for atom in atoms))

        def matters(character: str) -> bool:
            """Whether a character folds to letters of the query, or to nothing (a combining
            accent)."""
            folded = fold(character)
            return not squash(folded) or not letters.isdisjoint(folded)

        self._matters = cache(matters)
        self._groups = prefilter.groups
        self._path_matters = any(atom.in_path for atom in atoms)
        definition = _DefinitionFinder(prefilter.name) if prefilter.name else None
        self.likelihood: Callable[[bytes], int] = (
            definition.likelihood if definition is not None else lambda _: 0
        )

    def holds(self, path: str, data: bytes) -> bool:
        """Whether the file can have a hit. data: its text (`file_text.to_utf8`)."""
        folded_path = fold(path) if self._path_matters else ""
        words = b"" if data.isascii() else self._fold_words(data)
        squashed = (
            data.translate(_LOWER, _DROPPED),
            words.translate(None, _DROPPED),
            squash(folded_path),
        )

        def is_held(atom: Atom) -> bool:
            in_data, in_words, in_path = (
                squashed if atom.is_squashed else (data, words, folded_path)
            )
            text = atom.text.encode()
            return text in in_data or text in in_words or (atom.in_path and atom.text in in_path)

        return all(any(map(is_held, group)) for group in self._groups)

    def _fold_words(self, data: bytes) -> bytes:
        """Returns the words with relevant characters beyond ASCII, folded as names are. A needle
        contains no white space."""
        # Without the ASCII bytes, few characters are left to examine.
        characters = set(data.translate(None, _ASCII).decode("utf-8", "replace"))
        mattering = set(filter(self._matters, characters))
        if not mattering:
            return b""
        lines = (line for line in data.decode("utf-8", "replace").split("\n") if not line.isascii())
        words = {word for line in lines for word in line.split() if not mattering.isdisjoint(word)}
        return "\n".join(map(fold, words)).encode()


MOST_PLACES: Final = 100
"""Occurrences of a name in one file that are examined."""

MOST_LOOSE: Final = 2_000
"""Files without the exact name in which other cases and longer names are examined. If more files
contain the letters of the name, these are enough for a first answer."""

_BEFORE_BYTES: Final = 200
_AFTER_BYTES: Final = 200

EXACT: Final = 2
OTHER_CASE: Final = 0
LONGER: Final = -2
"""Added to the likeness of a place, depending on how the word there agrees with the name."""

NO_PLACE: Final = -2
GOOD: Final = 3 + EXACT
"""Likelihood from which a file probably defines the name."""


class _DefinitionFinder:
    """Recognises places where a name is defined."""

    def __init__(self, name: str) -> None:
        encoded = name.encode("utf-8", "replace")
        # The pattern begins with letters instead of an assertion, because letters are found fast.
        boundary = rb"(?!\w)" if is_letter(encoded[-1:]) else rb""
        self.exact = re.compile(re.escape(encoded) + boundary)
        self.other_case = re.compile(re.escape(encoded.lower()) + boundary)
        self._longer = re.compile(re.escape(encoded.lower()))
        self._starts_word = is_letter(encoded[:1])
        self._n_left = MOST_LOOSE

    def likelihood(self, data: bytes) -> int:
        """Returns the `_likeness` of the best place plus EXACT, OTHER_CASE or LONGER; NO_PLACE if
        there is none."""
        best = self.best(self.exact, data)
        if best:
            return best + EXACT
        if not self._n_left:
            return NO_PLACE
        self._n_left -= 1
        lower = data.lower()
        for pattern, agreement in ((self.other_case, OTHER_CASE), (self._longer, LONGER)):
            best = self.best(pattern, lower)
            if best:
                return best + agreement
        return NO_PLACE

    def best(self, pattern: re.Pattern[bytes], data: bytes) -> int:
        best = 0
        for match in islice(pattern.finditer(data), MOST_PLACES):
            start = match.start()
            if self._starts_word and start and is_letter(data[start - 1 : start]):
                continue
            best = max(best, _likeness(data, start, match.end()))
            if best == 4:
                break
        return best


class ExactName:
    """Finds a name as it is typed, or with other capitals."""

    def __init__(self, name: str) -> None:
        self._definition = _DefinitionFinder(name)

    def likeness(self, data: bytes) -> int:
        """Returns the `_likeness` of the best place in a file; 0 if the name does not occur."""
        definition = self._definition
        return definition.best(definition.exact, data) or definition.best(
            definition.other_case, data.lower()
        )


# What precedes a defined name: words, type arguments, pointers; or, after words, a receiver in
# parentheses.
_PLAIN = re.compile(rb"[\w \t@.,*&<>\[\]?:]*[\w>\])?*&][ \t*&]+\Z")
_RECEIVER = re.compile(rb"[ \t]*\w+[ \t]*\([^()]*\)[ \t]+\Z")
_OPENS = re.compile(rb"[ \t]*(?:[({<:=\[]|\w[^;]*[{:(=,][ \t\r]*\Z|\r?\Z)")
_BODY = re.compile(rb".*[{:=(,][ \t\r]*\Z", re.DOTALL)


def _likeness(data: bytes, start: int, end: int) -> int:
    """Returns how much a place looks like a definition.

    1: not at all. 2: it begins its line. 3: words precede it, and what follows is usual for a
    definition. 4: in addition, a bracket or block opens at the end of the line.
    """
    if start and data[start - 1] not in b" \t*&\n":
        return 1
    line = max(
        data.rfind(b"\n", max(start - _BEFORE_BYTES, 0), start) + 1, start - _BEFORE_BYTES, 0
    )
    text_before = data[line:start]
    if not text_before.strip():
        return 2
    line_end = data.find(b"\n", end, end + _AFTER_BYTES)
    text_after = data[end : line_end if line_end >= 0 else end + _AFTER_BYTES]
    if not _OPENS.match(text_after) or not (
        _PLAIN.match(text_before) or _RECEIVER.match(text_before)
    ):
        return 1
    return 4 if _BODY.match(text_after) else 3
