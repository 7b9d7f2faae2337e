"""Finds the comment or docstring of a definition, and its text without markers."""

import re
import sys
from bisect import bisect_right
from collections.abc import Callable
from operator import attrgetter
from typing import Final

from symindex.extract.captures import Comment, Definition
from symindex.extract.languages.language import Language
from symindex.extract.texts.comment_text import CommentText, comment_text_of
from symindex.extract.texts.source_text import SourceText

DOC_CHARACTERS: Final = 1000
"""Longest doc, in characters, including the mark of the cut. The file itself has the rest."""


class Docs:
    """The documentation of one file's definitions.

    A comment documents a definition if it ends on the line before it, or on its line with only
    blanks between. Line comments on adjacent lines are one comment. Attributes may be between
    comment and definition.
    """

    def __init__(
        self, language: Language, data: bytes, text: SourceText, comments: list[Comment]
    ) -> None:
        self.comment_text: CommentText = comment_text_of(language)
        self.data = data
        self.text: Callable[[int, int], str] = text.between
        self.block_openers: tuple[bytes, ...] = tuple(
            opening.encode() for opening, _ in language.rules.doc.block
        )
        comments = sorted(comments, key=attrgetter("start_byte"))
        of_bodies = [comment for comment in comments if comment.role == "body"]
        self.by_body: dict[int, list[Comment]] = self._runs_inside(of_bodies)
        self.before: list[Comment] = (
            [comment for comment in comments if comment.role != "body"] if of_bodies else comments
        )
        self.starts: list[int] = [*map(attrgetter("start_byte"), self.before), NEVER]
        self.ends: list[int] = [*map(attrgetter("end_byte"), self.before)]
        self._reaches_to = [-1] * len(self.ends)

    def of(self, definition: Definition) -> tuple[str, str, int, int]:
        """Returns the definition's doc (empty if it has none), the text of the attributes before
        it, their start, and the start of the first comment that ends after the definition's start
        (NEVER if there is none)."""
        start = first = definition.start_byte
        number = bisect_right(self.ends, start) - 1
        following = self.starts[number + 1]
        run: list[Comment] = []
        attributes = ""
        if following == start:
            number, start = self._inside(number, definition)
        if number >= 0 and start <= (
            self._reaches_to[number] if self._reaches_to[number] >= 0 else self._reach_of(number)
        ):
            run, attributes, first = self._run_before(start, number)
            first = min(first, definition.start_byte)
        if self.by_body:
            run = self.by_body.get(definition.body_byte, run)
        return self._clean(run) if run else "", attributes, first, following

    def _reach_of(self, number: int) -> int:
        """The last place that a comment can belong to: many definitions have the same comment
        before them."""
        end = self.ends[number]
        line = self.data.find(b"\n", end - (self.data[end - 1 : end] == b"\n"))
        second = self.data.find(b"\n", line + 1, end + _GAP_BYTES) if line >= 0 else -1
        self._reaches_to[number] = reach = second if second >= 0 else end + _GAP_BYTES
        return reach

    def without_comments(self, start: int, end: int) -> str:
        """Returns the text from `start` to `end`, with a line break instead of each comment."""
        number = bisect_right(self.ends, start)
        if number == len(self.ends) or self.before[number].start_byte >= end:
            return self.text(start, end)
        pieces = []
        for comment in self.before[number : bisect_right(self.ends, end) + 1]:
            if (
                not comment.role and start <= comment.start_byte < end
            ):  # the last one may go beyond the end
                pieces.append(self.text(start, comment.start_byte))
                start = comment.end_byte
        return "\n".join([*pieces, self.text(start, end)])

    def _runs_inside(self, comments: list[Comment]) -> dict[int, list[Comment]]:
        """The docs at the start of bodies, by the start of the body: its brace, or the doc
        itself."""
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

    def _inside(self, number: int, definition: Definition) -> tuple[int, int]:
        """Returns the last of the comments that a definition itself begins with, and the start of
        its header after them. number: that of the last comment before it."""
        start = definition.start_byte
        while number + 1 < len(self.before):
            comment = self.before[number + 1]
            if (
                comment.role
                or comment.start_byte != start
                or comment.end_byte > definition.name_start
            ):
                break
            number, start = number + 1, comment.end_byte
            while self.data[start : start + 1].isspace():
                start += 1
        return number, start

    def _run_before(self, start: int, number: int) -> tuple[list[Comment], str, int]:
        """Returns the comments that document a definition at `start`, the attributes among them,
        and the start of the first attribute (`start` if there is none). number: that of the
        nearest comment."""
        run: list[Comment] = []
        attributes: list[str] = []
        edge = first = start
        while number >= 0:
            comment = self.before[number]
            if not self._reaches(comment, edge, is_first=edge == start):
                break
            if comment.role == "attribute":
                attributes.append(self.text(comment.start_byte, comment.end_byte) + "\n")
                first = comment.start_byte
            elif not self._stands_alone(comment) or (
                run and not (self._is_line(comment) and self._is_line(run[-1]))
            ):
                break
            else:
                run.append(comment)
            edge = comment.start_byte
            number -= 1
        return run[::-1], "".join(attributes[::-1]), first

    def _reaches(self, comment: Comment, edge: int, is_first: bool) -> bool:
        """Whether only white space with at most one line break is between the comment and `edge`.
        Words before a definition on its line (`export`, `const`) do not count, unless they open its
        container (`enum E { A }`: the comment documents E)."""
        start = comment.end_byte - (self.data[comment.end_byte - 1 : comment.end_byte] == b"\n")
        if edge - comment.end_byte > _GAP_BYTES or self.data.count(b"\n", start, edge) > 1:
            return False
        gap = self.data[start:edge]
        line = gap.rfind(b"\n") + 1
        if is_first and line and not _OPENING.search(gap, line):
            gap = gap[:line]
        return not gap.strip()

    def _stands_alone(self, comment: Comment) -> bool:
        """Whether only blanks are before it on its line; a comment after code belongs to that
        code."""
        line_start = self.data.rfind(b"\n", 0, comment.start_byte) + 1
        return not self.data[line_start : comment.start_byte].strip()

    def _is_line(self, comment: Comment) -> bool:
        """Line comments continue each other; a block comment is a doc by itself."""
        return not self.data.startswith(self.block_openers, comment.start_byte)

    def _clean(self, run: list[Comment]) -> str:
        return self.comment_text.clean(
            (self.text(comment.start_byte, comment.end_byte) for comment in run), DOC_CHARACTERS
        )


NEVER: Final = sys.maxsize
"""A place after every other place."""

_GAP_BYTES: Final = 1000
"""Farthest that a comment can be from its definition, in bytes, so that long gaps are not read
again and again."""

_OPENING: Final = re.compile(rb"[{(;,]")
