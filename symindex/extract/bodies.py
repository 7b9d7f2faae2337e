"""Finds the bodies of functions that define nothing, so that the parser can skip them.

Most of a file is the code in its functions, and most of that code defines nothing. A pass of regular expressions over the bytes,
far cheaper than a parse, finds where such bodies begin and end. Whatever it is not sure of is parsed: a brace without its
counterpart, a quote that is never closed, a body with a word or a shape that could define something.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter
from typing import Final, TypeAlias

from symindex.errors import GrammarError
from symindex.extract.captures import Comment, Definition
from symindex.extract.languages.language import Language, compile_bytes, compile_pattern
from symindex.extract.languages.rules import required_literals
from symindex.extract.languages.schema import BodyRules, SuiteRules

Stretches: TypeAlias = list[tuple[int, int]]
"""Byte ranges of a file, in order."""

SMALL_FILE: Final = 500
"""Bytes. To parse all of such a file costs less than to look for bodies."""

_SMALL_BODY: Final = 24
"""Bytes. To skip a smaller body costs as much as it saves."""

_OPENING: Final = ord("{")
_CLOSING: Final = ord("}")


class BytePatterns:
    """Patterns that are searched in bytes, each only where one of its required literals is found."""

    def __init__(self, patterns: Sequence["_Search"]) -> None:
        self._patterns = patterns

    def that_may_be_in(self, data: bytes) -> "BytePatterns":
        """Those whose literals a file holds at all: few, as a rule, and all are searched in each of the file's bodies."""
        return BytePatterns([each for each in self._patterns if any(literal in data for literal in each[0])])

    def first(self, data: bytes, start: int, end: int) -> int:
        """Where the first match between two places begins; `end` where there is none."""
        for literals, search in self._patterns:
            for literal in literals:
                if data.find(literal, start, end) >= 0:
                    match = search(data, start, end)
                    if match is not None:
                        end = match.start()
                    break
        return end

    def match(self, text: bytes) -> bool:
        """Whether one of them is found in a text."""
        return self.first(text, 0, len(text)) < len(text)


_Search: TypeAlias = tuple[Sequence[bytes], Callable[..., re.Match[bytes] | None]]
"""The literals that a pattern requires, and the search for it."""


def _search_for(pattern: str, whole: str = "") -> _Search:
    """whole: the expression to search for where it is more than the pattern that tells the literals."""
    literals = required_literals(compile_pattern(pattern))
    regex = compile_bytes(whole or pattern)
    # A search would try a pattern for the start of the text at every place.
    search = regex.match if (whole or pattern).startswith(r"\A") else regex.search
    return [literal.encode() for literal in literals] if 0 < len(literals) <= _MOST_LITERALS else [b""], search


_MOST_LITERALS: Final = 4
"""More are not worth to be looked for."""


def _head(pattern: str) -> _Search:
    begins = pattern.removeprefix(r"\A")
    return _search_for(begins, (r"\A\s*+" if begins != pattern else "") + rf"(?:{begins})\s*+\{{\Z")


class Bodies:
    """Finds bodies between braces, by a language's `[bodies]`."""

    def __init__(self, rules: BodyRules) -> None:
        breaks = re.escape(rules.breaks)
        self._least_file, self._least_body = (0, 1) if rules.firm else (SMALL_FILE, _SMALL_BODY)
        self._signs = [sign.encode() for sign in rules.signs] or [b""]
        self._pieces = compile_bytes(rf"((?:[^{{}}{breaks}]++|{'|'.join(rules.quiet)})*+(?:[\s\S]|\Z))")
        self._heads = BytePatterns([_head(pattern) for pattern in rules.heads])
        self._values = BytePatterns([_head(pattern) for pattern in rules.values])
        self._inner = BytePatterns([_search_for(rules.inner, rf"\A\s*+(?:{rules.inner})")]) if rules.inner else None
        self._openers, _ = _search_for(rules.comments)
        self._comment = compile_bytes(rules.comments).sub
        self._filler = rules.filler.encode()
        self._token = compile_bytes(rf"({rules.comments})|{'|'.join(rules.quiet)}|[{breaks}]")
        self._behind = compile_bytes(rules.behind or "(?!)").match
        self._others = BytePatterns([_search_for(pattern) for pattern in rules.others])
        self._inside = BytePatterns([_search_for(pattern) for pattern in rules.inside])

    def find(self, data: bytes, needed: Sequence[tuple[int, int]]) -> tuple[bytes, Stretches]:
        """The data with fillers, and the insides of the bodies that can be skipped: none in a file that is not understood, and
        none that touches one of the ranges `needed`."""
        if len(data) < self._least_file or not any(sign in data for sign in self._signs):
            return data, []
        # Each piece ends with a brace, the last one with the file.
        pieces = self._pieces.findall(data)
        if self._pieces.groups > 1:
            pieces = [piece for piece, *_ in pieces]
        ends = list(accumulate(map(len, pieces)))
        closing = _match_braces(pieces)
        found: Stretches = []
        filled: bytearray | None = None
        inside, others = self._inside.that_may_be_in(data).first, self._others.that_may_be_in(data)
        opening = {last: first for first, last in closing.items()}
        searched = hit = 0  # no pattern of `inside` matches from `searched` to `hit`
        skipped = -1
        for number, last in closing.items():
            if number <= skipped:
                continue
            start, end = ends[number], ends[last] - 1
            if end - start < self._least_body:
                continue
            head = self._last_statement(_whole_head(pieces, opening, number))
            is_function = self._heads.match(head)
            if not (is_function or self._values.match(head)) or others.match(head):
                continue
            if not searched <= start < hit:
                searched, hit = start, inside(data, start, end)
            if hit < end or self._has_inner(pieces, number, last) or self._behind(data, end + 1) is not None:
                continue
            skipped = last
            if touches(needed, start, end):
                continue
            if is_function and self._filler:
                filled = filled or bytearray(data)
                filled[start : start + len(self._filler)] = self._filler
                start += len(self._filler)
            found.append((start, end))
        return data if filled is None else bytes(filled), found

    def comments(self, data: bytes, start: int, end: int) -> Stretches:
        """The comments in a body."""
        return [match.span() for match in self._token.finditer(data, start, end) if match[1]]

    def _last_statement(self, piece: bytes) -> bytes:
        """The text after the last semicolon, without comments, and without what looks like a comment in a string."""
        for opener in self._openers:
            if opener in piece:
                piece = self._comment(b" ", piece)
                break
        return piece[piece.rfind(b";") + 1 :]

    def _has_inner(self, pieces: list[bytes], number: int, last: int) -> bool:
        """Whether a brace in a body defines something."""
        inner = self._inner
        return inner is not None and any(
            piece[-1] == _OPENING and inner.match(self._last_statement(piece)) for piece in pieces[number + 1 : last]
        )


def _whole_head(pieces: list[bytes], opening: dict[int, int], number: int) -> bytes:
    """The text before a brace, back over pairs of braces that are empty (`interface{}`) or inside parentheses."""
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


def _match_braces(pieces: list[bytes]) -> dict[int, int]:
    """The piece that ends with the closing brace, by the piece that ends with the opening one, in order; empty where braces do
    not match."""
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
            return {}  # a quote that is never closed
    return {} if open_ones else closing


class Suites:
    """Finds bodies that are delimited by lines, by a language's `[suites]`."""

    def __init__(self, rules: SuiteRules) -> None:
        self._match = compile_bytes(rules.body).match
        self._inside = BytePatterns([_search_for(pattern) for pattern in rules.inside])
        self._filler = rules.filler.encode()
        self._closer = rules.closer.encode()

    def find(self, data: bytes, needed: Sequence[tuple[int, int]]) -> tuple[bytes, Stretches]:
        """The same as `Bodies.find`."""
        found: Stretches = []
        if len(data) < SMALL_FILE:
            return data, found
        inside = self._inside.that_may_be_in(data).first
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
            if stop - start < _SMALL_BODY or data[end - 1 : end] in (b";", b"\\") or touches(needed, first, end):
                continue
            if kept < 0:
                source[first:start] = self._filler
            source[stop:end] = self._closer
            found.append((start, stop))
        return bytes(source), found


_MOST_READ: Final = 8
"""How often a byte is read at most, on average: the search starts again for each function in a function."""


def touches(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a range has a place in common with one of several, which are in order."""
    at = bisect_left(ranges, start, key=itemgetter(1))
    return at < len(ranges) and ranges[at][0] <= end


def blank_smallest(data: bytes, bodies: Stretches, most: int) -> tuple[bytes, Stretches]:
    """The data with all but the largest bodies blanked, and the largest, at most so many."""
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


@lru_cache(maxsize=64)
def bodies_of(language: Language) -> Bodies | Suites | None:
    """What finds the bodies in a language's files, compiled once; `None` without `[bodies]` and `[suites]`. Raises GrammarError
    for an invalid pattern."""
    rules = language.rules
    try:
        if rules.suites.body:
            return Suites(rules.suites)
        return Bodies(rules.bodies) if rules.bodies.heads else None
    except (re.error, IndexError) as error:
        raise GrammarError(f"grammars/{language.id}/language.toml: bodies or suites: {error}") from None


def comments_of_signatures(definitions: list[Definition], finder: Bodies, data: bytes, bodies: Stretches) -> Iterator[Comment]:
    """The comments in skipped bodies that are a part of a signature, as functions in a value are."""
    for definition in definitions:
        end = definition.end_byte if definition.body_byte < 0 else definition.body_byte
        for body in bodies[bisect_left(bodies, (definition.header_byte, 0)) : bisect_left(bodies, (end, 0))]:
            for comment_start, comment_end in finder.comments(data, *body):
                yield Comment(comment_start, comment_end)
