"""Docs: which comment or docstring belongs to a definition, and its text without markers."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Final

from symindex.source.languages import DocRules, Language, compile_pattern
from symindex.source.parse import Comment, Definition

DOC_CHARACTERS: Final = 1000
"""The longest doc that is kept, the mark of the cut included; the file itself has the rest."""


class Docs:
    """The documentation of one file's definitions.

    A comment documents a definition when it ends on the line before it, or on its line with only blanks between; line
    comments on adjacent lines are one. Attributes may stand between comment and definition.
    """

    def __init__(self, language: Language, data: bytes, comments: list[Comment]) -> None:
        self.rules = language.rules.doc
        self.data = data
        self.block_openers = tuple(pair[0].encode() for pair in self.rules.block)
        before = sorted((c for c in comments if c.where != "body"), key=lambda comment: comment.start_byte)
        self.before = before
        self.ends = [comment.end_byte for comment in before]
        self.by_body = self._runs_inside(sorted((c for c in comments if c.where == "body"), key=lambda c: c.start_byte))

    def of(self, definition: Definition) -> tuple[str, str]:
        """The definition's doc (empty where it has none) and the text of the attributes before it."""
        inner = self.by_body.get(definition.body_byte)
        run, attributes = self._run_before(definition)
        if inner is not None:
            run = inner
        return clean_doc(self.rules, (self._text(comment) for comment in run)), attributes

    def has_comment(self, start: int, end: int) -> bool:
        """Whether a comment, or an attribute, may lie between."""
        at = bisect_right(self.ends, start)
        return at < len(self.ends) and self.before[at].start_byte < end

    def cut_out(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end`, a line break for each comment that lies between."""
        pieces = []
        for comment in self.before[bisect_right(self.ends, start) : bisect_right(self.ends, end) + 1]:
            if comment.where == "before" and start <= comment.start_byte < end:  # the last one may reach beyond the end
                pieces.append(self.data[start : comment.start_byte])
                start = comment.end_byte
        return b"\n".join([*pieces, self.data[start:end]])

    def _runs_inside(self, comments: list[Comment]) -> dict[int, list[Comment]]:
        """The docs that stand in bodies, by where the body begins: at its brace, or at the doc itself."""
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

    def _text(self, comment: Comment) -> str:
        return self.data[comment.start_byte : comment.end_byte].decode("utf-8", "replace")

    def _run_before(self, definition: Definition) -> tuple[list[Comment], str]:
        run: list[Comment] = []
        attributes: list[str] = []
        edge = definition.start_byte
        at = bisect_right(self.ends, edge) - 1
        while at >= 0:
            comment = self.before[at]
            if not self._reaches(comment, edge, is_first=edge == definition.start_byte):
                break
            if comment.where == "attribute":
                attributes.append(self._text(comment))
            elif not self._stands_alone(comment) or (run and not self._continues(comment, run[-1])):
                break
            else:
                run.append(comment)
            edge = comment.start_byte
            at -= 1
        return run[::-1], "".join(text + "\n" for text in reversed(attributes))

    def _reaches(self, comment: Comment, edge: int, is_first: bool) -> bool:
        """Whether nothing but white space and at most one line break lies between the comment and `edge`; the words
        that stand before a definition on its own line (`export`, `const`) do not count, unless they open what encloses
        it (`enum E { A }`: the comment speaks of E)."""
        if edge - comment.end_byte > _GAP_BYTES:
            return False
        gap = self.data[comment.end_byte : edge]
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

    def _continues(self, comment: Comment, below: Comment) -> bool:
        """Line comments run on; a block comment is a doc by itself."""
        return self._is_line(comment) and self._is_line(below)

    def _is_line(self, comment: Comment) -> bool:
        return not self.data.startswith(self.block_openers, comment.start_byte)


_GAP_BYTES: Final = 1000
"""More than any comment stands away from what it documents; what lies between is not read over and over."""

_OPENING: Final = re.compile(rb"[{(;,]")
_ALPHANUMERIC: Final = re.compile(r"[^\W_]")


def clean_doc(rules: DocRules, comments: Iterable[str]) -> str:
    """The text of a run of comments without its markers, lines stripped, at most DOC_CHARACTERS long."""
    kept: list[str] = []
    size = 0
    for comment in comments:
        if rules.skip and compile_pattern(rules.skip).search(comment):
            continue
        lines = _replace_markup(rules, _clean_comment(rules, comment.strip()))
        lines = [line for line in lines if not line or _ALPHANUMERIC.search(line)]
        kept.extend(lines)
        size += sum(map(len, lines))
        if size > DOC_CHARACTERS:
            break
    text = "\n".join(kept).strip()
    return text if len(text) <= DOC_CHARACTERS else text[: DOC_CHARACTERS - 1] + "…"


def _clean_comment(rules: DocRules, text: str) -> list[str]:
    for pairs in (rules.block, rules.quotes):
        for opening, closing in pairs:
            if text.startswith(opening):
                lines = [line.strip() for line in text[len(opening) :].removesuffix(closing).splitlines()]
                return [line.lstrip("*").strip() for line in lines] if pairs is rules.block else lines
    return [_clean_line(rules, line.strip()) for line in text.splitlines()]


def _replace_markup(rules: DocRules, lines: list[str]) -> list[str]:
    """The lines by the pairs of `doc.replace`, without those that consist of markup alone."""
    if not rules.replace:
        return lines
    kept = []
    for line in lines:
        text = line
        for pattern, template in rules.replace:
            text = compile_pattern(pattern).sub(template, text)
        if not line or text.strip():
            kept.append(text.strip())
    return kept


def _clean_line(rules: DocRules, line: str) -> str:
    for marker in rules.line:
        if line.startswith(marker):
            return line[len(marker) :].strip()
    return line
