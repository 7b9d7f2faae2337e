"""Whether a file can hold what a query looks for, told from its bytes and its path alone, and how likely it defines it.

A symbol's name stands in the bytes of its file as it is, so a file whose bytes do not hold the letters of a needle has no symbol
of that name. Bytes are compared as the tiers exact, prefix and substring compare names: without case, accents, `_` and `-`. That
lets through a little more than these tiers do and never less. Hump matches have their letters scattered and are not looked for.

No language is known here: what looks like a definition is told by what stands around the name on its line.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Final

import msgspec

from symindex.extract.file_text import to_utf8
from symindex.text.folding import fold, squash


class Atom(msgspec.Struct, array_like=True, frozen=True):
    """A text that must stand in a file's bytes, or in its path if `in_path`.

    text: folded; without `_` and `-` too, unless it is nothing else (`is_squashed` is then `False`).
    """

    text: str
    is_squashed: bool
    in_path: bool


class Sought(msgspec.Struct, array_like=True, frozen=True):
    """What a file must hold to have hits: of every group one of its atoms.

    name: as it was typed, the name that files are ranked by; empty where the query has none. any_is_enough: whether hits of any
    file will do, rather than the best.
    """

    groups: list[list[Atom]]
    name: str
    any_is_enough: bool = False


def make_atom(text: str, in_path: bool = False) -> Atom | None:
    """The atom of a part of a query; `None` where a name can hold the text and the bytes of its file another one.

    That is so for dots: in names of namespaces they stand for whatever the language writes between the parts.
    """
    folded = fold(text).replace("\0", "")
    squashed = squash(folded)
    if not folded or "." in folded:
        return None
    return Atom(squashed or folded, bool(squashed), in_path)


_LOWER: Final = bytes(range(256)).lower()
_DROPPED: Final = b"_-\0"
"""What is left out of a comparison: separators, and NUL bytes, which the tables of an index do not keep either."""
_ASCII: Final = bytes(range(128))
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Finder:
    """Looks for one Sought in many files."""

    def __init__(self, sought: Sought) -> None:
        atoms = {atom for group in sought.groups for atom in group}
        self._groups = [[(atom, atom.text.encode()) for atom in group] for group in sought.groups]
        self._letters = frozenset("".join(atom.text for atom in atoms))
        self._mattering: dict[str, bool] = {}
        self._place = _Place(sought.name) if sought.name else None
        self._path_matters = any(atom.in_path for atom in atoms)

    def holds(self, path: str, data: bytes) -> bool:
        """Whether the file can have a hit. data: its bytes, in UTF-8 or nearly so (`recode`)."""
        squashed = data.translate(_LOWER, _DROPPED)
        more = b"" if data.isascii() else self._fold_words(data)
        folded_path = fold(path) if self._path_matters else ""
        for group in self._groups:
            for atom, text in group:
                if atom.is_squashed:
                    if text in squashed or (more and text in more.translate(None, _DROPPED)):
                        break
                    if atom.in_path and atom.text in squash(folded_path):
                        break
                elif text in data or text in more or (atom.in_path and atom.text in folded_path):
                    break
            else:
                return False
        return True

    def _fold_words(self, data: bytes) -> bytes:
        """The words with characters beyond ASCII that matter, folded as names are; what is sought has no white space in it."""
        # Without the ASCII the others stand side by side, and are few.
        characters = set(data.translate(None, _ASCII).decode("utf-8", "replace"))
        mattering = {character for character in characters if self._matters(character)}
        if not mattering:
            return b""
        words = {
            word
            for line in _lines_with(mattering, data.decode("utf-8", "replace"))
            for word in line.split()
            if not mattering.isdisjoint(word)
        }
        return "\n".join(map(fold, words)).encode()

    def _matters(self, character: str) -> bool:
        """Whether it folds to letters that are sought, or to nothing (an accent of its own)."""
        known = self._mattering.get(character)
        if known is None:
            folded = fold(character)
            known = self._mattering[character] = not squash(folded) or not self._letters.isdisjoint(folded)
        return known

    def promise(self, data: bytes) -> int:
        """How likely the file defines the name, NO_PLACE to BEST."""
        return self._place.promise(data) if self._place is not None else 0


def _lines_with(characters: set[str], text: str) -> Iterator[str]:
    """The lines that hold one of the characters, some of them several times."""
    if len(characters) > 8:
        yield from (line for line in text.split("\n") if not line.isascii())
        return
    for character in characters:
        at = text.find(character)
        while at >= 0:
            end = text.find("\n", at)
            yield text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else None]
            at = text.find(character, end) if end >= 0 else -1


def recode(data: bytes) -> bytes:
    """The bytes as the extraction sees them, where these differ in more than places."""
    if not data.startswith(_UTF16):
        return data
    return to_utf8(data)[0]


MOST_PLACES: Final = 100
"""So many places of a name in one file are looked at for a definition."""

MOST_LOOSE: Final = 2_000
"""In so many files without the very name the places of others that begin with it are looked at. Where more files hold the letters
of the name, these are enough to begin with."""

_BEFORE_BYTES: Final = 200
_AFTER_BYTES: Final = 200

LEVELS: Final = {"exact": 2, "case": 0, "prefix": -2}
"""What a place is worth, beside how much it looks like a definition, by how the word there agrees with the name."""

NO_PLACE: Final = -2
BEST: Final = 4 + LEVELS["exact"]
GOOD: Final = 3 + LEVELS["exact"]
"""From this promise on, a file most likely defines the name."""


class _Place:
    """What stands around a name where it is defined."""

    def __init__(self, name: str) -> None:
        self._name = name.encode("utf-8", "replace")
        self._lower = self._name.lower()
        # No assertion stands first, so that the pattern begins with letters, which are found fast.
        boundary = rb"(?!\w)" if _is_word(self._name[-1:]) else rb""
        self._whole = re.compile(re.escape(self._name) + boundary)
        self._whole_lower = re.compile(re.escape(self._lower) + boundary)
        self._start_lower = re.compile(re.escape(self._lower))
        self._starts_word = _is_word(self._name[:1])
        self._n_left = MOST_LOOSE

    def promise(self, data: bytes) -> int:
        """The best of the file's places: `_likeness` and its level; NO_PLACE without any."""
        best = self._best(self._whole, data)
        if best:
            return best + LEVELS["exact"]
        if not self._n_left:
            return NO_PLACE
        self._n_left -= 1
        lower = data.lower()
        for pattern, level in ((self._whole_lower, "case"), (self._start_lower, "prefix")):
            best = self._best(pattern, lower)
            if best:
                return best + LEVELS[level]
        return NO_PLACE

    def _best(self, pattern: re.Pattern[bytes], data: bytes) -> int:
        best = 0
        for number, match in enumerate(pattern.finditer(data)):
            start = match.start()
            if number == MOST_PLACES:
                break
            if self._starts_word and start and _is_word(data[start - 1 : start]):
                continue
            likeness = _likeness(data, start, match.end())
            if likeness > best:
                best = likeness
                if best == 4:
                    break
        return best


def _is_word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"


# What stands before a defined name: words, type arguments, pointers; or, with words before it, a receiver in parentheses.
_PLAIN = re.compile(rb"[\w \t@.,*&<>\[\]?:]*[\w>\])?*&][ \t*&]+\Z")
_RECEIVER = re.compile(rb"[ \t]*\w+[ \t]*\([^()]*\)[ \t]+\Z")
_OPENS = re.compile(rb"[ \t]*(?:[({<:=\[]|\w[^;]*[{:(=,][ \t\r]*\Z|\r?\Z)")
_BODY = re.compile(rb".*[{:=(,][ \t\r]*\Z", re.DOTALL)


def _likeness(data: bytes, start: int, end: int) -> int:
    """How much a place looks like a definition. 1: not at all. 2: it begins its line. 3: words stand before it and it is followed
    as names of definitions are. 4: the same, and something opens at the end of the line."""
    if start and data[start - 1] not in b" \t*&\n":
        return 1
    line = max(data.rfind(b"\n", max(start - _BEFORE_BYTES, 0), start) + 1, start - _BEFORE_BYTES, 0)
    before = data[line:start]
    if not before.strip():
        return 2
    line_end = data.find(b"\n", end, end + _AFTER_BYTES)
    after = data[end : line_end if line_end >= 0 else end + _AFTER_BYTES]
    if not _OPENS.match(after) or not (_PLAIN.match(before) or _RECEIVER.match(before)):
        return 1
    return 4 if _BODY.match(after) else 3
