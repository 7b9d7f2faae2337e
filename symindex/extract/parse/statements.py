"""Hides the contents of routines in languages whose grammars know few routines.

A grammar loses its way in statements it does not know. So a routine is found by its first words,
and its end by the language's way of ending statements: a line that ends a batch, a delimiter that
the file sets, or a semicolon outside of blocks. The grammar then sees a short statement in as many
bytes, with the name of the routine in its place.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from symindex.extract.languages.schema import StatementRules

_FLAGS: Final = re.MULTILINE | re.IGNORECASE | re.DOTALL
_NEVER: Final = "(?!)"

_BLANKS: Final = re.compile(r"\s*+")

_MOST_BRACKETS: Final = 3
"""Most open brackets that are closed: nobody leaves more open by mistake."""


def hide_statements(rules: StatementRules, source: bytes) -> bytes:
    """Replaces each routine of a source by a short statement, in as many bytes. Returns the same
    object if there is none."""
    if not rules.heads:
        return source
    patterns, text = _patterns(rules), source.decode("latin-1")  # one character for each byte
    if patterns.worth.search(text) is None:
        return source
    hidden = _StatementPass(patterns, text).hidden()
    return source if hidden == text else hidden.encode("latin-1")


def texts_of(rules: StatementRules, source: bytes) -> list[tuple[int, int]]:
    """Returns the comments and strings of a source, in order. The text between tags counts as
    code."""
    tokens = _patterns(rules).plain.finditer(source.decode("latin-1"))
    return [match.span() for match in tokens if match.lastgroup in ("hides", "comment", "quiet")]


class _StatementToken(NamedTuple):
    sort: str
    start: int
    end: int


class _RoutineHead(NamedTuple):
    """The words that begin a routine. opening, bodies: what the grammar sees before the routine's
    name and after its header; the first body that fits is used."""

    pattern: re.Pattern[str]
    opening: str
    bodies: tuple[str, ...]


class _StatementPatterns:
    """The compiled rules. A missing rule becomes a pattern that never matches."""

    def __init__(self, rules: StatementRules) -> None:
        self.heads = [
            _RoutineHead(re.compile(row[0], _FLAGS), "".join(row[1:2]), row[2:])
            for row in rules.heads
        ]
        self.declares = re.compile(rules.declares or _NEVER, _FLAGS)
        self.tags = re.compile(rf"(?=({rules.tags or _NEVER}))", _FLAGS)
        self.goes_on = re.compile(rules.goes_on or _NEVER, _FLAGS)
        self.begins = re.compile(rules.begins or _NEVER, _FLAGS)
        self.worth = re.compile(
            rf"^[ \t]*(?:{rules.begins or _NEVER})|{rules.hides or _NEVER}", _FLAGS
        )
        self.delimiter = re.compile(rules.delimiter or _NEVER, _FLAGS)
        self._sorts = "|".join(
            f"(?P<{sort}>{pattern or _NEVER})"
            for sort, pattern in (
                ("hides", rules.hides),
                ("comment", rules.comments),
                ("quiet", "|".join(rules.quiet)),
                ("name", rules.names),
                ("tag", rules.tags),
                ("delimiter", rules.delimiter),
                ("separator", rules.separators),
                ("head", rf"^[ \t]*(?={rules.begins or _NEVER})"),
                ("stop", rf"^(?={rules.stops or _NEVER})"),
                ("body", rules.bodies),
                ("opens", rules.opens),
                ("closes", rules.closes),
                ("end", ";"),
                ("bracket", "[()]"),
            )
        )
        self.plain = re.compile(self._sorts, _FLAGS)

    def with_delimiter(self, text: str) -> re.Pattern[str]:
        """Returns the tokens of statements once the file has set a delimiter."""
        return (
            re.compile(f"(?P<own>{re.escape(text)})|{self._sorts}", _FLAGS)
            if text.strip(";")
            else self.plain
        )


_patterns: Final = lru_cache(maxsize=16)(_StatementPatterns)


class _StatementPass:
    """One pass over a text."""

    def __init__(self, patterns: _StatementPatterns, text: str) -> None:
        self._patterns, self._text = patterns, text
        self._tags: dict[str, list[int]] = {}  # the places of each tag
        self._tokens = [*self._read(), _StatementToken("last", len(text), len(text))]
        self._pieces: list[str] = []
        self._at = 0  # the end of the text that `_pieces` covers
        self._needs_end = False  # whether a statement has begun

    def _read(self) -> Iterator[_StatementToken]:
        text, place, patterns = self._text, 0, self._patterns
        tokens = patterns.plain
        while match := tokens.search(text, place):
            sort, (start, end) = match.lastgroup or "", match.span()
            if sort == "tag":
                sort, end = "quiet", self._end_of_tagged(start, end)
            place = end if end > start else end + 1
            if sort == "delimiter" and (delimiter := patterns.delimiter.match(text, start)):
                tokens = patterns.with_delimiter(delimiter["text"])
            if sort in ("head", "stop") and self._head_at(end) is not None:
                yield _StatementToken("head", end, end)
            elif sort != "head" or start == end:
                yield _StatementToken("stop" if sort == "head" else sort, start, end)

    def _end_of_tagged(self, start: int, end: int) -> int:
        """Returns the end of a string that begins and ends with the same tag."""
        text = self._text
        if not self._tags:
            for match in self._patterns.tags.finditer(text):
                self._tags.setdefault(match[1], []).append(match.start())
        places = self._tags.get(text[start:end], [])
        number = bisect_left(places, end)
        return places[number] + end - start if number < len(places) else end

    def _head_at(self, start: int) -> re.Match[str] | None:
        return next(
            (
                match
                for head in self._patterns.heads
                if (match := head.pattern.match(self._text, start))
            ),
            None,
        )

    def hidden(self) -> str:
        """Returns the text with its routines hidden."""
        tokens, text, done, is_delimited = self._tokens, self._text, 0, False
        number, depth, has_body = 0, 0, False
        blocks: list[bool] = []  # for each open block: whether it is within a statement
        while number < len(tokens):
            token = tokens[number]
            sort, number = token.sort, number + 1
            was_open = self._needs_end or bool(text[done : token.start].strip())
            if sort != "end" and (text[done : token.start].strip() or sort in ("quiet", "name")):
                self._needs_end = True
            done = token.end
            if (
                was_open
                and (depth > 0 or has_body)
                and sort in ("head", "stop")
                and self._begins_line(token.start)
            ):
                self._close(token.start, ")" * min(depth, _MOST_BRACKETS) + ";")
            if sort == "head":
                number = self._hide(number - 1, is_delimited)
                done = tokens[number].start
            elif sort == "bracket":
                depth = max(0, depth + (1 if text[token.start] == "(" else -1))
            elif sort in ("separator", "delimiter", "own"):
                self._put(token.start, token.end, ";" if self._needs_end else "")
                is_delimited = (
                    not text[token.start : token.end].rstrip().endswith(";")
                    if sort == "delimiter"
                    else is_delimited
                )
                self._needs_end = False
            elif sort == "opens":
                blocks.append(was_open)
                if not was_open:
                    self._put(token.start, token.end, "")
                    self._needs_end = False
            elif sort == "closes" and blocks and not blocks.pop():
                self._put(token.start, token.end, ";" if was_open else "")
                self._needs_end = False
            elif sort == "hides":
                self._put(token.start, token.end, "")
            elif sort == "end":
                self._needs_end = False
            has_body = self._needs_end and (has_body or sort == "body")
            depth = depth if self._needs_end else 0
        self._pieces.append(text[self._at :])
        return "".join(self._pieces)

    def _begins_line(self, start: int) -> bool:
        return (
            start > 0
            and self._text[start - 1] == "\n"
            and self._patterns.begins.match(self._text, start) is not None
        )

    def _close(self, place: int, ending: str) -> None:
        """Ends a statement that the next one cuts off, by replacing its last characters."""
        while place > self._at and self._text[place - 1].isspace():
            place -= 1
        if place - len(ending) >= self._at:
            self._put(place - len(ending), place, ending)

    def _put(self, start: int, end: int, instead: str) -> None:
        """Replaces a range by a text and blanks; line breaks stay."""
        text = self._text
        blanks = "\n".join(
            [" " * len(line) for line in text[start + len(instead) : end].split("\n")]
        )
        self._pieces += [text[self._at : start], instead, blanks]
        self._at = end

    def _hide(self, number: int, is_delimited: bool) -> int:
        """Hides the routine at a token. Returns the number of the token that ends it."""
        start = self._tokens[number].start
        last, body = self._end_of(number, is_delimited)
        ending = self._tokens[last]
        end = start + len(self._text[start : ending.start].rstrip())
        shown = self._seen(start, min(body, end), end)
        if shown is not None:
            has_ending = ending.sort in ("end", "separator", "delimiter", "own", "last")
            is_padded = shown[-1:].isspace() or (shown[-1:] == shown[-2:-1])
            self._put(start, end, shown[:-1] + ";" if is_padded and not has_ending else shown)
            self._needs_end = has_ending and bool(shown)
        else:
            self._needs_end = True
        return last

    def _end_of(self, number: int, is_delimited: bool) -> tuple[int, int]:
        """Returns the number of the token that ends a routine, and the start of the routine's
        body."""
        tokens = self._tokens
        ends = ("own", "delimiter", "last") if is_delimited else ("separator", "head", "last")
        last = next(
            number_of_end
            for number_of_end in range(number + 1, len(tokens))
            if tokens[number_of_end].sort in ends
        )
        is_batch = is_delimited or tokens[last].sort == "separator"
        body, depth, blocks = -1, 0, 0
        is_declaring = has_closed = False
        stop = last
        for number_of_end in range(number + 1, last):
            sort, start, end = tokens[number_of_end]
            if sort == "bracket":
                depth += 1 if self._text[start] == "(" else -1
            elif body < 0 and depth <= 0 and sort in ("body", "opens"):
                body = start
                is_declaring = self._patterns.declares.match(self._text, start) is not None
            if sort == "opens":
                blocks += 1
            elif sort == "closes":
                has_closed, blocks = True, max(0, blocks - 1)
            if is_batch and body >= 0:
                break
            if is_batch:
                continue
            if sort == "stop" and stop == last:
                stop = number_of_end
            if blocks or not (sort == "end" or (sort == "stop" and body >= 0)):
                continue
            if sort == "stop" or not is_declaring or (has_closed and not self._goes_on(end)):
                return number_of_end, body if body >= 0 else tokens[number_of_end].start
        end_number = stop if blocks and not is_batch else last
        return end_number, body if body >= 0 else tokens[end_number].start

    def _goes_on(self, place: int) -> bool:
        """Whether the text after a block and its semicolon belongs to the same routine."""
        blanks = _BLANKS.match(self._text, place)
        return (
            blanks is not None
            and self._patterns.goes_on.match(self._text, blanks.end()) is not None
        )

    def _seen(self, start: int, body: int, end: int) -> str | None:
        """Returns what the grammar sees instead of a routine: an empty text if the routine defines
        nothing, `None` if the grammar reads the routine itself."""
        text = self._text
        for pattern, opening, bodies in self._patterns.heads:
            match = pattern.match(text, start, end)
            if match is None or (opening and len(opening) >= match.start("name") - start):
                continue
            if not opening:
                return "" if "" in bodies else None
            header = opening.ljust(match.start("name") - start) + match["name"]
            if (owner := match.groupdict().get("owner")) is not None:
                header = header.ljust(match.start("owner") - 1 - start) + f"({owner})"
            least = len(header) + (0 if header.endswith(")") else 1)
            for place, body_text in self._places(start, min(body, end), end, bodies):
                if least <= place <= end - start - len(body_text):
                    return (header.ljust(place) + body_text).ljust(
                        end - start, body_text[-1:] if body_text[-1:].isalnum() else " "
                    )
        return None

    def _places(
        self, start: int, body: int, end: int, bodies: tuple[str, ...]
    ) -> Iterator[tuple[int, str]]:
        """Yields the places for bodies: after the whole header, or as near to the end as they
        fit."""
        yield from ((body - start, body_text) for body_text in bodies)
        for body_text in bodies:
            last = end - len(body_text)
            yield (
                max((self._text.rfind(blank, start, last) for blank in " \t\n"), default=start)
                + 1
                - start,
                body_text,
            )
