"""Docs: which comment or docstring belongs to a definition, and its text without markers."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from symindex.extract.captures import Comment, Definition
from symindex.extract.languages.language import Language
from symindex.extract.languages.rules import rules_of
from symindex.extract.source_text import SourceText

DOC_CHARACTERS: Final = 1000
"""The longest doc, the mark of the cut included. The file itself has the rest."""


class Docs:
    """The documentation of one file's definitions.

    A comment documents a definition when it ends on the line before it, or on its line with only blanks between; line
    comments on adjacent lines are one. Attributes may stand between comment and definition.
    """

    def __init__(self, language: Language, data: bytes, text: SourceText, comments: list[Comment]) -> None:
        self.rules = language.rules.doc
        self.skip = rules_of(language).doc_skip
        self.replacements = rules_of(language).doc_replace
        self.data = data
        self.text = text.between
        self.block_openers = tuple(pair[0].encode() for pair in self.rules.block)
        self.openers = tuple(opening for opening, _ in [*self.rules.block, *self.rules.quotes])
        self.line_markers = tuple(self.rules.line)
        comments = sorted(comments, key=_START_BYTE)
        self.by_body = self._runs_inside([comment for comment in comments if comment.role == "body"])
        self.before = [comment for comment in comments if comment.role != "body"]
        self.ends = [comment.end_byte for comment in self.before]
        self._nearest = self._farthest = -1

    def of(self, definition: Definition) -> tuple[str, str, int]:
        """The definition's doc (empty where it has none), the text of the attributes before it, and where these begin."""
        start = first = definition.start_byte
        at = bisect_right(self.ends, start) - 1
        run: list[Comment] = []
        attributes = ""
        if at >= 0:
            if at != self._nearest:
                self._nearest, self._farthest = at, self._end_of_reach(self.ends[at])
            if start <= self._farthest:
                run, attributes, first = self._run_before(start, at)
        if self.by_body:
            run = self.by_body.get(definition.body_byte, run)
        return self._clean(run) if run else "", attributes, first

    def _end_of_reach(self, end: int) -> int:
        """The last place that a comment with this end can document: after one line break at most."""
        limit = min(end + _GAP_BYTES, len(self.data))
        line = end - 1 if self.data[end - 1 : end] == b"\n" else self.data.find(b"\n", end, limit)
        second = self.data.find(b"\n", line + 1, limit) if line >= 0 else -1
        return second if second >= 0 else limit

    def without_comments(self, start: int, end: int) -> str:
        """The text from `start` to `end`, with a line break in place of each comment."""
        at = bisect_right(self.ends, start)
        if at == len(self.ends) or self.before[at].start_byte >= end:
            return self.text(start, end)
        pieces = []
        for comment in self.before[at : bisect_right(self.ends, end) + 1]:
            if not comment.role and start <= comment.start_byte < end:  # the last one may reach beyond the end
                pieces.append(self.text(start, comment.start_byte))
                start = comment.end_byte
        return "\n".join([*pieces, self.text(start, end)])

    def _runs_inside(self, comments: list[Comment]) -> dict[int, list[Comment]]:
        """The docs at the start of bodies, by where the body begins: at its brace, or at the doc itself."""
        runs: dict[int, list[Comment]] = {}
        run: list[Comment] = []
        for comment in comments:
            if run and self._reaches(run[-1], comment.start_byte, is_first=False):
                run.append(comment)
                continue
            brace = comment.start_byte - 1
            while brace >= 0 and self.data[brace : brace + 1].isspace():
                brace -= 1
            run = [comment]
            runs[brace if self.data[brace : brace + 1] == b"{" else comment.start_byte] = run
        return runs

    def _run_before(self, start: int, at: int) -> tuple[list[Comment], str, int]:
        """The comments that document a definition at `start`, the nearest being number `at`; the attributes among them; and where
        the first attribute begins, `start` where there is none."""
        run: list[Comment] = []
        attributes: list[str] = []
        edge = first = start
        while at >= 0:
            comment = self.before[at]
            if not self._reaches(comment, edge, is_first=edge == start):
                break
            if comment.role == "attribute":
                attributes.append(self.text(comment.start_byte, comment.end_byte) + "\n")
                first = comment.start_byte
            elif not self._stands_alone(comment) or (run and not (self._is_line(comment) and self._is_line(run[-1]))):
                break
            else:
                run.append(comment)
            edge = comment.start_byte
            at -= 1
        return run[::-1], "".join(attributes[::-1]), first

    def _reaches(self, comment: Comment, edge: int, is_first: bool) -> bool:
        """Whether only white space with at most one line break is between the comment and `edge`. Words before a definition on
        its line (`export`, `const`) do not count, unless they open its container (`enum E { A }`: the comment documents E)."""
        if edge - comment.end_byte > _GAP_BYTES:
            return False
        gap = self.data[comment.end_byte : edge]
        if gap.isspace():
            at_break = self.data[comment.end_byte - 1 : comment.end_byte] == b"\n"
            return gap.count(b"\n") + at_break <= 1
        if comment.end_byte > 0 and self.data[comment.end_byte - 1 : comment.end_byte] == b"\n":
            gap = b"\n" + gap
        if is_first and b"\n" in gap:
            line = gap.rfind(b"\n") + 1
            gap = gap if _OPENING.search(gap, line) else gap[:line]
        return not gap.strip() and gap.count(b"\n") <= 1

    def _stands_alone(self, comment: Comment) -> bool:
        """Whether only blanks precede it on its line; a comment behind code belongs to that code."""
        line_start = self.data.rfind(b"\n", 0, comment.start_byte) + 1
        return not self.data[line_start : comment.start_byte].strip()

    def _is_line(self, comment: Comment) -> bool:
        """Line comments run on; a block comment is a doc by itself."""
        return not self.data.startswith(self.block_openers, comment.start_byte)

    def _clean(self, run: list[Comment]) -> str:
        """The text of a run of comments without its markers, lines stripped, at most DOC_CHARACTERS long."""
        kept: list[str] = []
        size = 0
        for line in self._doc_lines(run):
            kept.append(line)
            size += len(line)
            if size > DOC_CHARACTERS:
                break
        text = "\n".join(kept).strip()
        return text if len(text) <= DOC_CHARACTERS else text[: DOC_CHARACTERS - 1] + "…"

    def _doc_lines(self, run: list[Comment]) -> Iterator[str]:
        for comment in run:
            text = self.text(comment.start_byte, comment.end_byte)
            if self.skip.is_in(text):
                continue
            for line in self._lines(text.strip()):
                if self.replacements and line:
                    line = self._replace_markup(line)
                    if not line:
                        continue
                if not line or line[0].isalnum() or _ALPHANUMERIC.search(line):
                    yield line

    def _lines(self, text: str) -> Sequence[str]:
        """The lines of a comment without its markers."""
        if not text.startswith(self.openers):
            if text and text.isprintable():  # most are a line, which no line break is part of
                return (self._clean_line(text),)
            return [self._clean_line(line.strip()) for line in text.splitlines()]
        for opening, closing in self.rules.block:
            if text.startswith(opening):
                lines = text[len(opening) :].removesuffix(closing).splitlines()
                return [line.strip().lstrip("*").strip() for line in lines]
        for opening, closing in self.rules.quotes:
            if text.startswith(opening):
                return [line.strip() for line in text[len(opening) :].removesuffix(closing).splitlines()]
        return ()

    def _clean_line(self, line: str) -> str:
        if line.startswith(self.line_markers):
            for marker in self.line_markers:
                if line.startswith(marker):
                    return line[len(marker) :].strip()
        return line

    def _replace_markup(self, line: str) -> str:
        """A line by the pairs of `doc.replace`; empty where it consists of markup alone."""
        for finder, template in self.replacements:
            line = finder.replace(template, line)
        return line.strip()


_START_BYTE: Final = attrgetter("start_byte")

_GAP_BYTES: Final = 1000
"""More than any comment is away from what it documents, so that long gaps are not read over and over."""

_OPENING: Final = re.compile(rb"[{(;,]")
_ALPHANUMERIC: Final = re.compile(r"[^\W_]")
