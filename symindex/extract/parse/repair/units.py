"""Finds each fault of a file that has several.

In such a file no single edit helps much. So it is divided by indentation: a line and the deeper
lines below it are a unit, which is parsed alone, between the heads of the blocks around it and the
text that closes them. A unit with an error is divided in turn. The fault that remains is a head,
which is closed, opened or shortened; a line, which is completed, shortened or hidden; or the end of
a block. Each unit is parsed once for each block around it, so the work grows with size times depth.
"""

import re
from contextlib import suppress
from typing import Final

import tree_sitter

from symindex.extract.blocks import Blocks
from symindex.extract.parse.partial_tree import PartialTree
from symindex.extract.parse.repair.broken import MOST_APART, RepairParser
from symindex.extract.parse.repair.cut_off import Endings, open_in
from symindex.extract.texts.repaired_text import Edit, RepairedText

_MOST_READ: Final = 600_000
_LEAST_LOSS: Final = 50
"""Least loss, as one byte in this many: a file that has lost less is repaired well enough."""

_MOST_PARSES: Final = 800
_LONGEST_HEAD: Final = 15
"""Most lines of a head whose first line leaves brackets open."""

_MOST_JOINED: Final = 3
"""Most units that are parsed together if one alone makes no sense, like an attribute."""

_DEEPEST: Final = 12
_MOST_CUTS: Final = 16
_OPENERS: Final = ("", " {", "() {", ":", "():", " do", " then")
_PART: Final = re.compile(rb"\w+|[^\w\s]")
_INDENT: Final = re.compile(rb"(?m)^[ \t]*+(?=[^\s])")


class _Line:
    """A line of code. start: where its code begins. end: the end of the line, or of a text that
    begins in it and ends in a later one."""

    __slots__ = ("end", "indent", "passes", "start")

    def __init__(self, start: int, end: int, indent: int, passes: bool) -> None:
        self.start, self.end, self.indent, self.passes = start, end, indent, passes


class _BudgetSpent(Exception):
    """Raised once enough has been parsed or hidden."""


def repair_units(
    parser: RepairParser,
    endings: Endings,
    blocks: Blocks | None,
    broken: PartialTree,
    source: bytes,
    loss: int,
) -> PartialTree | None:
    """Repairs or hides each fault of a source. Returns the new tree; `None` if it would lose more
    than half as much. loss: bytes in errors or hidden."""
    if len(source) > MOST_APART or loss * _LEAST_LOSS < len(source):
        return None
    run = _Units(parser, endings, blocks, source, loss // 2)
    with suppress(_BudgetSpent):
        run.read_all()
    if not run.edits or run.may_hide < 0:
        return None
    text = RepairedText(source, run.edits)
    tried = parser.parse_with_rules(text.source, True)
    broken_at = min(edit.start for edit in run.edits)
    return tried._replace(repairs=(*broken.repairs, text), broken_at=broken_at)


class _Units:
    def __init__(
        self,
        parser: RepairParser,
        endings: Endings,
        blocks: Blocks | None,
        source: bytes,
        may_hide: int,
    ) -> None:
        self.may_hide = may_hide
        self._parser, self._endings, self._source = parser, endings, source
        self._filler = blocks.filler if blocks is not None else b""
        self._needs_body = blocks is not None and blocks.heads is not None
        self.edits: list[Edit] = []
        self._pieces: dict[bytes, bytes] = {}
        self._left, self._parses = _MOST_READ, _MOST_PARSES
        self.lines = list(self._lines(blocks))

    def _lines(self, blocks: Blocks | None) -> list[_Line]:
        """Returns the lines with code. The rest of a string or comment belongs to the line where it
        begins."""
        source, lines, is_comment = self._source, list[_Line](), self._endings.is_comment
        quiet = [
            lines.span()
            for lines in self._endings.long_quiet(blocks, source)
            if source.find(b"\n", *lines.span()) >= 0
        ]
        number = 0
        for match in _INDENT.finditer(source):
            start = match.end()
            while number < len(quiet) and quiet[number][1] <= start:
                number += 1
            if number < len(quiet) and quiet[number][0] < start:
                if lines and is_comment(source, quiet[number][0]) is None:
                    lines[-1].end = max(lines[-1].end, _line_end(source, quiet[number][1]))
            elif is_comment(source, start) is None:
                passes = (
                    source[start : start + 1] == b"{"
                    or self._endings.passes(source, start) is not None
                )
                lines.append(
                    _Line(start, _line_end(source, start), len(match[0].expandtabs(8)), passes)
                )
        return lines

    def _tree(self, text: bytes) -> tree_sitter.Tree | None:
        self._left -= len(text)
        self._parses -= 1
        if self._left < 0 or self._parses < 0:
            raise _BudgetSpent
        return self._parser.attempt(text, self._pieces)

    def _is_sound(self, text: bytes) -> bool:
        tree = self._tree(text)
        return tree is not None and not tree.root_node.has_error

    def _closing(self, kinds: list[str]) -> bytes:
        return self._endings.closing(kinds[::-1], "").encode()

    def read_all(self) -> None:
        """Parses the whole source. The mark that begins the code of a page comes before every
        unit."""
        has_mark = self._source.startswith(b"<") and bool(self.lines)
        self.read(int(has_mark), len(self.lines), self._text(0, 1) + b"\n" if has_mark else b"", [])

    def read(self, first: int, last: int, heads: bytes, around: list[str], depth: int = 0) -> None:
        """Parses the units of some lines. heads: those of the blocks around them. around: the
        tokens that these heads open."""
        starts = self._starts(first, last) if first < last else []
        number = 0
        while number < len(starts) - 1:
            is_short = starts[number + 1] - starts[number] <= 2
            for joined in range(1, _MOST_JOINED + 1 if is_short else _MOST_JOINED):
                start, end = starts[number], starts[min(number + joined, len(starts) - 1)]
                if self._is_sound(heads + self._text(start, end) + b"\n" + self._closing(around)):
                    number += joined
                    break
            else:
                self._read_broken(starts[number], starts[number + 1], heads, around, depth)
                number += 1

    def _starts(self, first: int, last: int) -> list[int]:
        """Returns the first line of each unit, and the end of the last."""
        starts, base = [first], self.lines[first].indent if first < last else 0
        for number in range(first + 1, last):
            line = self.lines[number]
            if line.indent <= base and not line.passes:
                base = line.indent
                starts.append(number)
        return [*starts, last]

    def _text(self, first: int, last: int) -> bytes:
        line = self._source.rfind(b"\n", 0, self.lines[first].start) + 1
        return self._source[line : self.lines[last - 1].end]

    def _read_broken(
        self, first: int, last: int, heads: bytes, around: list[str], depth: int
    ) -> None:
        lines = self.lines
        head, kinds = self._head(first, last, heads, around)
        body_end = head
        while body_end < last and lines[body_end].indent > lines[first].indent:
            body_end += 1
        if depth > _DEEPEST or (body_end == head and (head == last or not kinds)):
            self._complete_line(first, head if depth <= _DEEPEST else last, heads, around)
            body_end = head if depth <= _DEEPEST else last
            if body_end < last:
                self._hide(body_end, last)
            return
        text, opened = self._repaired_head(first, head, heads, around, kinds)
        if text is None:  # its lines are parsed as if they were outside
            self._hide(first, head)
            self.read(head, body_end, heads, around, depth + 1)
            if body_end < last:
                self._hide(body_end, last)
            return
        inner, tail = heads + text + b"\n", self._text(body_end, last) if body_end < last else b""
        if not self._is_sound(inner + self._body() + tail + b"\n" + self._closing(around)):
            if body_end < last:
                self._hide(body_end, last)
            place = lines[body_end - 1].end
            self.edits.append(Edit(place, place, self._closing(opened)))
        self.read(head, body_end, inner, [*around, *opened], depth + 1)

    def _body(self) -> bytes:
        return b" " * 60 + self._filler + b"\n" if self._needs_body else b""

    def _head(
        self, first: int, last: int, heads: bytes, around: list[str]
    ) -> tuple[int, list[str]]:
        """Returns the line after a head, and the tokens that the head opens."""
        kinds: list[str] = []
        for end in range(first + 1, min(last, first + _LONGEST_HEAD) + 1):
            tree = self._tree(heads + self._text(first, end))
            opened = open_in(self._endings, tree)[len(around) :] if tree is not None else []
            if end == first + 1:
                kinds = opened
            has_brace = (
                end < last
                and self._source[self.lines[end].start : self.lines[end].start + 1] == b"{"
            )
            if not (has_brace if not opened else opened[-1] in ("(", "[")):
                return end, opened
        return first + 1, kinds

    def _repaired_head(
        self, first: int, end: int, heads: bytes, around: list[str], kinds: list[str]
    ) -> tuple[bytes | None, list[str]]:
        """Makes a head readable and adds the edits that do it. Returns its text and the tokens that
        it opens; no text if nothing helps."""
        text = self._text(first, end)
        base, start = self.lines[end - 1].end - len(text), self.lines[first].start
        body = self._body()
        code_end = len(text)
        parts = [part.start() for part in _PART.finditer(text, start - base)]
        for cut in [len(text), *parts[:1:-1][:_MOST_CUTS]]:
            for opener in _OPENERS:
                tried = text[:cut].rstrip() + opener.encode()
                tree = self._tree(heads + tried)
                opened = open_in(self._endings, tree) if tree is not None else []
                if len(opened) < len(around):
                    continue
                opened = opened[len(around) :]
                while opened and opened[-1] in ("(", "[", '"', "'", "`", "<"):
                    tried += self._endings.closed_by[opened.pop()].encode()
                is_open = bool(opened) or self._needs_body
                if is_open and self._is_sound(
                    heads + tried + b"\n" + body + self._closing([*around, *opened])
                ):
                    n_kept = len(text[:cut].rstrip())
                    if tried != text:
                        self.edits += [
                            Edit(base + n_kept, base + code_end),
                            Edit(base + code_end, base + code_end, tried[n_kept:]),
                        ]
                    return tried, opened
        return None, []

    def _complete_line(self, first: int, end: int, heads: bytes, around: list[str]) -> None:
        """Completes a line, or hides it."""
        text = self._text(first, end)
        tree = self._tree(heads + text)
        kinds = open_in(self._endings, tree)[len(around) :] if tree is not None else []
        line_end = self.lines[end - 1].end
        for rest in self._endings.rests:
            for separator in self._endings.separators:
                tail = self._endings.closing(kinds[::-1], separator).encode().rstrip(b"\n")
                if self._is_sound(
                    heads + text + rest.encode() + tail + b"\n" + self._closing(around)
                ):
                    self.edits.append(Edit(line_end, line_end, rest.encode() + tail))
                    return
        parts = [part.start() for part in _PART.finditer(text, len(text) - len(text.lstrip()))]
        for cut in parts[:1:-1][:_MOST_CUTS]:
            head = text[:cut].rstrip()
            tree = self._tree(heads + head)
            kinds = open_in(self._endings, tree)[len(around) :] if tree is not None else []
            tail = (
                self._endings.closing(kinds[::-1], self._endings.separators[-1])
                .encode()
                .rstrip(b"\n")
            )
            if self._is_sound(heads + head + tail + b"\n" + self._closing(around)):
                self.edits += [
                    Edit(line_end - len(text) + len(head), line_end),
                    Edit(line_end, line_end, tail),
                ]
                return
        self._hide(first, end)

    def _hide(self, first: int, end: int) -> None:
        edit = Edit(self.lines[first].start, self.lines[end - 1].end, self._filler)
        self.edits.append(edit)
        self.may_hide -= len(self._source[edit.start : edit.end].strip())
        if self.may_hide < 0:
            raise _BudgetSpent


def _line_end(source: bytes, place: int) -> int:
    end = source.find(b"\n", place)
    return end if end >= 0 else len(source)
