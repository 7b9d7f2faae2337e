"""Which stretches of a file the parser need not see: the insides of functions that cannot define anything.

Most of a file is the code in its functions, and most of that code defines nothing. A pass over the bytes, far cheaper than a
parse, finds where such bodies begin and end. Whatever it is not sure of stays: a brace that matches none, a quote that nothing
closes, a body that holds one of the words or shapes with which something could be defined there.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, TypeAlias

from symindex.errors import GrammarError
from symindex.extract.captures import Comment, Definition
from symindex.extract.languages.registry import Language, compile_bytes, compile_pattern
from symindex.extract.languages.rules import needed_literals
from symindex.extract.languages.schema import BodyRules, SuiteRules

Stretches: TypeAlias = list[tuple[int, int]]
"""Where stretches of a file begin and end, in their order."""

SMALL_FILE: Final = 500
"""Bytes. What a parser needs for such a file is less than what it costs to look where it need not be."""

_SMALL_BODY: Final = 24
"""Bytes. To leave out less than this costs as much as it saves."""

_OPENING: Final = ord("{")
_CLOSING: Final = ord("}")


_Gated: TypeAlias = tuple[tuple[bytes, ...], Callable[..., re.Match[bytes] | None]]
"""A search for a pattern, and texts of which it cannot match without one; none where they are too many to be looked for."""


def _gated(pattern: str, whole: str = "") -> _Gated:
    needs = needed_literals(compile_pattern(pattern))
    regex = compile_bytes(whole or pattern)
    # A search would try what begins the text at every place of it.
    find = regex.match if (whole or pattern).startswith(r"\A") else regex.search
    return tuple(need.encode() for need in needs if len(needs) <= _MOST_NEEDS), find


_MOST_NEEDS: Final = 4


def _head(pattern: str) -> _Gated:
    begins = pattern.removeprefix(r"\A")
    return _gated(begins, (r"\A\s*+" if begins != pattern else "") + rf"(?:{begins})\s*+\{{\Z")


class Shapes:
    """Patterns that are searched in bytes. None is searched where what it cannot match without is not found."""

    def __init__(self, patterns: Sequence[_Gated]) -> None:
        self._patterns = patterns

    def within(self, data: bytes) -> "Shapes":
        """Those of them that can be found in some data at all: few, as a rule, and all are searched in each of its bodies."""
        return Shapes([gated for gated in self._patterns if not gated[0] or any(need in data for need in gated[0])])

    def first(self, data: bytes, start: int, end: int) -> int:
        """Where the first of them begins between two places; `end` where there is none."""
        for needs, search in self._patterns:
            for need in needs:
                if data.find(need, start, end) >= 0:
                    break
            else:
                if needs:
                    continue
            match = search(data, start, end)
            if match is not None:
                end = match.start()
        return end


class Bodies:
    """Finds the insides of bodies by a language's `[bodies]`."""

    def __init__(self, rules: BodyRules) -> None:
        breaks = re.escape(rules.breaks)
        self._signs = [sign.encode() for sign in rules.signs] or [b""]
        self._pieces = compile_bytes(rf"((?:[^{{}}{breaks}]++|{'|'.join(rules.quiet)})*+(?:[\s\S]|\Z))")
        self._heads = [_head(pattern) for pattern in rules.heads]
        self._values = [_head(pattern) for pattern in rules.values]
        self._inner = [_gated(rules.inner, rf"\A\s*+(?:{rules.inner})")] if rules.inner else []
        self._openers, _ = _gated(rules.comments)
        self._comment = compile_bytes(rules.comments).sub
        self._filler = rules.filler.encode()
        self._token = compile_bytes(rf"({rules.comments})|{'|'.join(rules.quiet)}|[{breaks}]")
        self._behind = compile_bytes(rules.behind).match if rules.behind else None
        self._others = Shapes([_gated(pattern) for pattern in rules.others])
        self._inside = Shapes([_gated(pattern) for pattern in rules.inside])

    def find(self, data: bytes, around: Stretches) -> tuple[bytes, Stretches]:
        """The data, with what stands in place of the bodies that can be left out, and the insides of these: none where the file
        is not understood, nor what reaches into the stretches `around`."""
        if len(data) < SMALL_FILE or not any(sign in data for sign in self._signs):
            return data, []
        # Each piece ends with a brace, the last one with the file.
        pieces = self._pieces.findall(data)
        if self._pieces.groups > 1:
            pieces = [piece for piece, *_ in pieces]
        ends = list(accumulate(map(len, pieces)))
        closing = _match_braces(pieces, ends[-1])
        return self._choose(data, pieces, ends, closing, around)

    def comments(self, data: bytes, start: int, end: int) -> Stretches:
        """The comments in a body."""
        return [match.span() for match in self._token.finditer(data, start, end) if match[1]]

    def _choose(
        self, data: bytes, pieces: list[bytes], ends: list[int], closing: dict[int, int], around: Stretches
    ) -> tuple[bytes, Stretches]:
        found: Stretches = []
        filled: list[int] = []
        inside, other = self._inside.within(data).first, self._others.within(data).first
        opening = {last: first for first, last in closing.items()}
        searched = hit = 0  # nothing is found from `searched` to `hit`
        skipped = -1
        for number, last in closing.items():
            if number <= skipped:
                continue
            start, end = ends[number], ends[last] - 1
            if end - start < _SMALL_BODY:
                continue
            head = self._last_statement(_whole_head(pieces, opening, number))
            is_function = _is_found(self._heads, head)
            if not (is_function or _is_found(self._values, head)) or other(head, 0, len(head)) < len(head):
                continue
            if not searched <= start < hit:
                searched, hit = start, inside(data, start, end)
            if hit < end or self._has_inner(pieces, number, last):
                continue
            if self._behind is not None and self._behind(data, end + 1) is not None:
                continue
            skipped = last
            if _reaches_into(around, start, end):
                continue
            if is_function and self._filler:
                filled.append(start)
                start += len(self._filler)
            found.append((start, end))
        return _fill(data, filled, self._filler), found

    def _last_statement(self, piece: bytes) -> bytes:
        """What stands behind the last semicolon, without comments. What looks like a comment in a string goes, too."""
        for opener in self._openers:
            if opener in piece:
                piece = self._comment(b" ", piece)
                break
        return piece[piece.rfind(b";") + 1 :]

    def _has_inner(self, pieces: list[bytes], number: int, last: int) -> bool:
        """Whether something is defined by a brace in a body."""
        if self._inner:
            for piece in pieces[number + 1 : last]:
                if piece[-1] == _OPENING and _is_found(self._inner, self._last_statement(piece)):
                    return True
        return False


def _whole_head(pieces: list[bytes], opening: dict[int, int], number: int) -> bytes:
    """What stands before a brace, without the braces that its parentheses hold, or that are empty (`interface{}`)."""
    piece = pieces[number]
    for _ in range(_MOST_PAIRS):
        first = opening.get(number - 1)
        if first is None or ((first != number - 2 or pieces[number - 1] != b"}") and piece.count(b")") <= piece.count(b"(")):
            break
        piece = pieces[first][:-1] + piece
        number = first
    return piece


_MOST_PAIRS: Final = 8
"""How many pairs of braces a head holds at most."""


def _is_found(patterns: list[_Gated], text: bytes) -> bool:
    for needs, search in patterns:
        for need in needs:
            if need in text:
                break
        else:
            if needs:
                continue
        if search(text) is not None:
            return True
    return False


def _match_braces(pieces: list[bytes], size: int) -> dict[int, int]:
    """By the number of each opening brace that of its closing one, in the order of the opening ones; empty where they do not
    match."""
    closing: dict[int, int] = {}
    open_ones: list[int] = []
    for number, piece in enumerate(pieces):
        if not piece:
            continue
        last = piece[-1]
        if last == _OPENING:
            open_ones.append(number)
            closing[number] = -1
        elif last == _CLOSING:
            if not open_ones:
                return {}
            closing[open_ones.pop()] = number
        elif number < len(pieces) - 2 or (number == len(pieces) - 2 and pieces[-1]):
            return {}  # a quote that nothing closes
    return {} if open_ones else closing


class Suites:
    """Finds the insides of bodies that are told by their lines, by a language's `[suites]`."""

    def __init__(self, rules: SuiteRules) -> None:
        self._match = compile_bytes(rules.body).match
        self._inside = Shapes([_gated(pattern) for pattern in rules.inside])
        self._filler = rules.filler.encode()
        self._closer = rules.closer.encode()

    def find(self, data: bytes, around: Stretches) -> tuple[bytes, Stretches]:
        """The same as `Bodies.find`."""
        found: Stretches = []
        if len(data) < SMALL_FILE:
            return data, found
        inside = self._inside.within(data).first
        source = bytearray(data)
        at = read = 0
        while (match := self._match(data, at)) is not None and match.end() > at:
            read += match.end() - at
            at = match.end()
            if read > _MOST_READ * len(data):
                return data, []
            first = match.start("first")
            if first < 0:
                continue
            end = match.end("rest")
            end -= len(data[first:end]) - len(data[first:end].rstrip())
            kept = match.end("kept")
            hit = inside(data, kept if kept >= 0 else data.rfind(b"\n", 0, first), end)
            if hit < end:
                at = data.rfind(b"\n", first, hit) + 1 or data.rfind(b"\n", 0, first) + 1
                continue
            start = kept if kept >= 0 else first + len(self._filler)
            stop = end - len(self._closer)
            if stop - start < _SMALL_BODY or data[end - 1 : end] in (b";", b"\\"):
                continue
            if _reaches_into(around, first, end):
                continue
            if kept < 0:
                source[first:start] = self._filler
            source[stop:end] = self._closer
            found.append((start, stop))
        return bytes(source), found

    def comments(self, data: bytes, start: int, end: int) -> Stretches:
        """The comments in a body: none, since a body that is left out belongs to no signature."""
        return []


_MOST_READ: Final = 8
"""How often a byte is read at most, on average: each function in a function begins anew."""


def _reaches_into(around: Stretches, start: int, end: int) -> bool:
    """Whether a stretch has something in common with one of several, which are in order."""
    at = bisect_left(around, start, key=lambda stretch: stretch[1])
    return at < len(around) and around[at][0] <= end


def blank_smallest(data: bytes, bodies: Stretches, most: int) -> tuple[bytes, Stretches]:
    """All but the largest bodies, at most so many, blanked; and the largest."""
    if len(bodies) <= most:
        return data, bodies
    size = sorted((end - start for start, end in bodies), reverse=True)[most]
    blanked, largest = bytearray(data), []
    for start, end in bodies:
        if end - start > size:
            largest.append((start, end))
        else:
            blanked[start:end] = b" " * (end - start)
    return bytes(blanked), largest


def _fill(data: bytes, places: list[int], filler: bytes) -> bytes:
    """The data with a filler at each place, in place of what is there."""
    if not places:
        return data
    filled = bytearray(data)
    for place in places:
        filled[place : place + len(filler)] = filler
    return bytes(filled)


@lru_cache(maxsize=64)
def bodies_of(language: Language) -> Bodies | Suites | None:
    """What finds the bodies of a language's files, `None` where its rules do not say; compiled once. Raises GrammarError for a
    pattern that is none."""
    rules = language.rules
    try:
        if rules.suites.body:
            return Suites(rules.suites)
        return Bodies(rules.bodies) if rules.bodies.heads else None
    except (re.error, IndexError) as error:
        raise GrammarError(f"grammars/{language.id}/language.toml: bodies or suites: {error}") from None


def overlap(some: Stretches, others: Stretches) -> bool:
    """Whether two lists of stretches, each in order, have a byte in common."""
    at = 0
    for start, end in some:
        while at < len(others) and others[at][1] <= start:
            at += 1
        if at < len(others) and others[at][0] < end:
            return True
    return False


def comments_of_signatures(
    definitions: list[Definition], finder: Bodies | Suites, data: bytes, bodies: Stretches
) -> Iterator[Comment]:
    """The comments in bodies that the parser did not see and that are a part of a signature, as functions in a value are."""
    for definition in definitions:
        end = definition.end_byte if definition.body_byte < 0 else definition.body_byte
        at = bisect_left(bodies, (definition.header_byte, 0))
        while at < len(bodies) and bodies[at][0] < end:
            for comment_start, comment_end in finder.comments(data, *bodies[at]):
                yield Comment(comment_start, comment_end, "before", -1)
            at += 1
