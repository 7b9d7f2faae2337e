"""Finds the bodies of functions that define nothing, so that the parser can skip them.

Most of a file is code in functions, and most of that defines nothing. A pass of regular expressions
over the bytes, far cheaper than a parse, finds where such bodies begin and end. Uncertain bodies
are parsed: those with an unmatched brace, an open quote, or a word or form that could define
something.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter
from typing import Final

from symindex.errors import GrammarError
from symindex.extract.captures import Comment, Definition, Stretches
from symindex.extract.languages.language import Language, compile_bytes, compile_pattern
from symindex.extract.languages.schema import BodyRules, SuiteRules
from symindex.extract.parse.skipping.byte_patterns import (
    BytePattern,
    BytePatterns,
    only_byte,
    search_for,
)
from symindex.extract.parse.skipping.regex_literals import ends_with

SMALL_FILE: Final = 500
"""Smallest file that is searched, in bytes: parsing a smaller one costs less than the search."""

_SMALL_BODY: Final = 24
"""Smallest body that is skipped, in bytes: skipping a smaller one costs as much as it saves."""

_OPENING: Final = ord("{")
_CLOSING: Final = ord("}")
_SEMICOLON: Final = ord(";")


def _head(pattern: str) -> BytePattern:
    begins = pattern.removeprefix(r"\A")
    return search_for(begins, (r"\A\s*+" if begins != pattern else "") + rf"(?:{begins})\s*+\{{\Z")


class _DefinitionPatterns:
    """Patterns of definitions, none of which may be in a skipped body.

    first: searches for all patterns. first_often: searches for those whose literals are frequent.
    seldom: the rare literals, one of which is in every match of the other patterns. braced: rare
    literals of patterns that end with an opening brace, which few bodies contain.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        searches = [search_for(pattern) for pattern in patterns]
        seldom = [min(map(len, search.literals)) >= _LEAST_SELDOM for search in searches]
        braced = [
            pattern.endswith(r"\{") and ends_with(compile_pattern(pattern), "{")
            for pattern in patterns
        ]
        rows = [*zip(searches, seldom, braced, strict=True)]
        self.first = BytePatterns(searches).first
        self.first_often = BytePatterns(
            [search for search, is_seldom, _ in rows if not is_seldom]
        ).first
        self.seldom = _shortest(
            search for search, is_seldom, is_braced in rows if is_seldom and not is_braced
        )
        self.braced = _shortest(
            search for search, is_seldom, is_braced in rows if is_seldom and is_braced
        )


def _shortest(searches: Iterable[BytePattern]) -> list[bytes]:
    """Returns the literals of patterns, except those that contain another one."""
    literals = {literal for text in searches for literal in text.literals}
    return sorted(
        text
        for text in literals
        if not any(shorter in text and shorter != text for shorter in literals)
    )


_LEAST_SELDOM: Final = 2
"""Shortest rare literal, in letters: shorter ones are in nearly every body."""


_MOST_SEARCHED: Final = 50
"""Most searches of a byte, on average: it is searched once for each body around it that defines
something earlier."""


class _ForwardSearch:
    """Tells whether patterns match in ranges of a file that begin further and further on; each
    search uses the results of the one before."""

    def __init__(self, patterns: _DefinitionPatterns, data: bytes) -> None:
        self._patterns, self._data = patterns, data
        self._searched = self._hit = 0  # no match begins between the two
        self._left = _MOST_SEARCHED * len(data)

    def is_in(self, start: int, end: int) -> bool:
        """Whether there is a match in a range. Gives up and says yes if hundreds of nested ranges
        all have matches."""
        if not self._searched <= start < self._hit:
            self._left -= end - start
            if self._left < 0:
                return True
            first = (
                self._patterns.first if self._has_seldom(start, end) else self._patterns.first_often
            )
            self._searched, self._hit = start, first(self._data, start, end)
        return self._hit < end

    def _has_seldom(self, start: int, end: int) -> bool:
        """Whether a range contains a literal of the patterns with rare literals."""
        find = self._data.find
        for literal in self._patterns.seldom:
            if find(literal, start, end) >= 0:
                return True
        if self._patterns.braced and find(b"{", start, end) >= 0:
            for literal in self._patterns.braced:
                if find(literal, start, end) >= 0:
                    return True
        return False


class Bodies:
    """Finds bodies between braces, by a language's `[bodies]`."""

    def __init__(self, rules: BodyRules) -> None:
        breaks = re.escape(rules.breaks)
        self._least_file, self._least_body = (0, 1) if rules.firm else (SMALL_FILE, _SMALL_BODY)
        self._signs = [sign.encode() for sign in rules.signs] or [b""]
        quiet = rf"(?:[^{{}}{breaks}]++|{'|'.join(rules.quiet)})*+"
        # Any other text ends the search, so that not each of many quotes is searched to the end of
        # the file.
        self._pieces = compile_bytes(rf"({quiet}(?:[{{}}]|\Z|[\s\S]++))")
        self._last_piece = compile_bytes(rf"({quiet}(?:[\s\S]|\Z))").fullmatch
        self._heads = BytePatterns([_head(pattern) for pattern in rules.heads])
        self._values = BytePatterns([_head(pattern) for pattern in rules.values])
        self._inner = (
            BytePatterns([search_for(rules.inner, rf"\A\s*+(?:{rules.inner})")])
            if rules.inner
            else None
        )
        # If one byte is in every such head, it rules out most braces in bodies (`else {`).
        literals = self._inner.literals if self._inner is not None else []
        self._inner_needs = (
            only_byte(literals[0]) if len(literals) == 1 and not literals[0].isspace() else -1
        )
        # A set of numbers is searched in a tenth of the time that bytes take. If no literal begins
        # comments, any byte may.
        openers = search_for(rules.comments).literals
        self._openers = {literal[0] for literal in openers} if all(openers) else set(range(256))
        self._comment = compile_bytes(rules.comments).sub
        self._filler = rules.filler.encode()
        self._token = compile_bytes(rf"({rules.comments})|{'|'.join(rules.quiet)}|[{breaks}]")
        self._behind = compile_bytes(rules.behind).match if rules.behind else None
        self._others = BytePatterns([search_for(pattern) for pattern in rules.others])
        self._inside = _DefinitionPatterns(rules.inside)

    def find(self, data: bytes, needed: Sequence[tuple[int, int]]) -> tuple[bytes, Stretches]:
        """Returns the data with fillers, and the insides of the bodies that can be skipped: none if
        the file is not understood, and none that touches one of the ranges `needed`."""
        if len(data) < self._least_file or not any(sign in data for sign in self._signs):
            return data, []
        # Each piece ends with a brace, except the last, which ends with the file.
        pieces = self._pieces.findall(data)
        if self._pieces.groups > 1:
            pieces = [piece for piece, *_ in pieces]
        if not pieces[-1]:
            pieces.pop()
        if pieces and not self._last_piece(pieces[-1]):
            return data, []  # a quote that is never closed
        kinds = bytes(map(_LAST, pieces))
        pairs = _match_braces(kinds)
        if not pairs:
            return data, []
        ends = [*accumulate(map(len, pieces))]
        bodies: Stretches = []
        filled: bytearray | None = None
        is_inside, is_other = _ForwardSearch(self._inside, data).is_in, self._others.match
        opening: dict[int, int] = {}
        last_statement, has_inner, after_body = (
            self._last_statement,
            self._inner is not None,
            self._behind,
        )
        least, is_head, is_value = self._least_body, self._heads.match, self._values.match
        skipped = -1
        for number, last in pairs:
            start, end = ends[number], ends[last] - 1
            if number <= skipped or end - start < least:
                continue
            head = pieces[number]
            if (
                number
                and kinds[number - 1] == _CLOSING
                and (pieces[number - 1] == b"}" or head.count(b")") > head.count(b"("))
            ):
                opening = opening or {last: first for first, last in pairs}
                head = _whole_head(pieces, opening, number)
            head = last_statement(head)
            is_function = is_head(head)
            if not (is_function or is_value(head)) or is_other(head):
                continue
            if is_inside(start, end):
                continue
            if has_inner and last > number + 1 and self._has_inner(pieces, kinds, number, last):
                continue
            if after_body is not None and after_body(data, end + 1) is not None:
                continue
            skipped = last
            if needed and touches(needed, start, end):
                continue
            if is_function and self._filler:
                filled = filled or bytearray(data)
                filled[start : start + len(self._filler)] = self._filler
                start += len(self._filler)
            bodies.append((start, end))
        return data if filled is None else bytes(filled), bodies

    def comments(self, data: bytes, start: int, end: int) -> Stretches:
        """Returns the comments in a body."""
        return [match.span() for match in self._token.finditer(data, start, end) if match[1]]

    def _last_statement(self, piece: bytes) -> bytes:
        """Returns the text after the last semicolon, without comments. Text in a string that looks
        like a comment is removed, too."""
        for byte in self._openers:
            if byte in piece:
                piece = self._comment(b" ", piece)
                break
        return piece[piece.rfind(b";") + 1 :] if _SEMICOLON in piece else piece

    def _has_inner(self, pieces: list[bytes], kinds: bytes, number: int, last: int) -> bool:
        """Whether a brace in a body defines something."""
        inner, needed = self._inner, self._inner_needs
        if inner is not None:
            for inner_number in range(number + 1, last):
                piece = pieces[inner_number]
                if (
                    kinds[inner_number] == _OPENING
                    and (needed < 0 or needed in piece)
                    and inner.match(self._last_statement(piece))
                ):
                    return True
        return False


def _whole_head(pieces: list[bytes], opening: dict[int, int], number: int) -> bytes:
    """Returns the text before a brace, across pairs of braces that are empty (`interface{}`) or
    inside parentheses."""
    piece = pieces[number]
    for _ in range(_MOST_PAIRS):
        first = opening.get(number - 1, -1)
        if first < 0 or (
            (first != number - 2 or pieces[number - 1] != b"}")
            and piece.count(b")") <= piece.count(b"(")
        ):
            break
        piece = pieces[first][:-1] + piece
        number = first
    return piece


_MOST_PAIRS: Final = 8
"""Most pairs of braces in a head."""


def _match_braces(kinds: bytes) -> list[tuple[int, int]]:
    """Returns the numbers of the pieces that end with an opening brace and with the matching
    closing brace, in order; empty if braces do not match. kinds: the last byte of each piece."""
    if kinds.count(b"{") != kinds.count(b"}"):
        return []
    open_ones: list[int] = []
    closing = [0] * len(kinds)
    for number, kind in enumerate(kinds):
        if kind == _OPENING:
            open_ones.append(number)
        elif kind == _CLOSING:
            if not open_ones:
                return []
            closing[open_ones.pop()] = number
    return [(first, last) for first, last in enumerate(closing) if last]


_LAST: Final = itemgetter(-1)


class Suites:
    """Finds bodies that are delimited by lines, by a language's `[suites]`."""

    def __init__(self, rules: SuiteRules) -> None:
        self._match = compile_bytes(rules.body).match
        self._inside = BytePatterns([search_for(pattern) for pattern in rules.inside])
        self._filler = rules.filler.encode()
        self._closer = rules.closer.encode()

    def find(self, data: bytes, needed: Sequence[tuple[int, int]]) -> tuple[bytes, Stretches]:
        """Returns what `Bodies.find` returns."""
        bodies: Stretches = []
        if len(data) < SMALL_FILE:
            return data, bodies
        inside = self._inside.that_may_be_in(data).first
        source = bytearray(data)
        place = read = 0
        while (match := self._match(data, place)) is not None and match.end() > place:
            read += match.end() - place
            place = match.end()
            if read > _MOST_READ * len(data):
                return data, []
            first = match.start("first")
            if first < 0:
                continue
            end = match.end("rest")
            end -= len(data[first:end]) - len(data[first:end].rstrip())
            kept_end = match.end("kept")
            hit = inside(data, kept_end if kept_end >= 0 else data.rfind(b"\n", 0, first), end)
            if hit < end:
                place = data.rfind(b"\n", first, hit) + 1 or data.rfind(b"\n", 0, first) + 1
                continue
            start = kept_end if kept_end >= 0 else first + len(self._filler)
            stop = end - len(self._closer)
            if (
                stop - start < _SMALL_BODY
                or data[end - 1 : end] in (b";", b"\\")
                or touches(needed, first, end)
            ):
                continue
            if kept_end < 0:
                source[first:start] = self._filler
            source[stop:end] = self._closer
            bodies.append((start, stop))
        return bytes(source), bodies


_MOST_READ: Final = 8
"""Most reads of a byte, on average: the search starts again for each function inside a function."""


def touches(ranges: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether a range touches one of several, which are in order."""
    number = bisect_left(ranges, start, key=itemgetter(1))
    return number < len(ranges) and ranges[number][0] <= end


@lru_cache(maxsize=64)
def bodies_of(language: Language) -> Bodies | Suites | None:
    """Returns the finder of bodies in a language's files, compiled once; `None` without `[bodies]`
    and `[suites]`. Raises GrammarError for an invalid pattern."""
    rules = language.rules
    try:
        if rules.suites.body:
            return Suites(rules.suites)
        return Bodies(rules.bodies) if rules.bodies.heads else None
    except (re.error, IndexError) as error:
        raise GrammarError(
            f"grammars/{language.id}/language.toml: bodies or suites: {error}"
        ) from None


def comments_of_signatures(
    definitions: list[Definition], finder: Bodies, data: bytes, bodies: Stretches
) -> Iterator[Comment]:
    """Yields the comments in skipped bodies that are part of a signature, such as those of a
    function in a default value."""
    for definition in definitions:
        end = definition.end_byte if definition.body_byte < 0 else definition.body_byte
        for body in bodies[
            bisect_left(bodies, (definition.header_byte, 0)) : bisect_left(bodies, (end, 0))
        ]:
            for comment_start, comment_end in finder.comments(data, *body):
                yield Comment(comment_start, comment_end)
