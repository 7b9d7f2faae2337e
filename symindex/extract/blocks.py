"""Finds the blocks of a broken file that are never closed, by brackets and indentation.

A grammar gives up everything around a missing brace. Here brackets outside of strings and comments
are counted. Where they do not match, indentation shows which of them is missing or superfluous: a
block ends before the first line that is indented no deeper than the line where it began. Only files
that a grammar could not read come here, so odd indentation in sound files does no harm. One pass,
linear in the size of the file.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from symindex.extract.languages.language import Language, compile_bytes
from symindex.extract.texts.repaired_text import Edit

_DEEPEST_LOOK: Final = 64
"""Most open blocks that are examined for one line or bracket: hostile files open thousands."""

_CLOSED_BY: Final = {b"(": b")", b"[": b"]", b"{": b"}"}


class _OpenEntry(msgspec.Struct, gc=False):
    """An open block or bracket. sort: the number of its pair, or the bracket.

    line: the start of the code of its line. indent: the indentation of that line. inner: that of
    the first line inside, -1 before there is one. dedent: the start of the first line that is
    indented no deeper than its own, although earlier lines inside were; -1 for none. block: the
    place of a block that was opened on the line of a bracket that is still open.
    """

    sort: int | bytes
    start: int
    line: int
    indent: int
    inner: int = -1
    dedent: int = -1
    block: int = -1


class OpenText(NamedTuple):
    """What a text leaves open.

    closers: the text that closes it. brackets_closers: the text that closes the brackets after its
    last block. first: the place of its last open bracket or block, -1 for none. block: that place
    if it is a block. before: the text that closes the brackets that are open before that block.
    """

    closers: bytes
    brackets_closers: bytes
    first: int
    block: int
    before: bytes


class Blocks:
    """A language's `[blocks]`, compiled."""

    def __init__(self, language: Language) -> None:
        rules = language.rules.blocks
        pairs = [
            f"(?P<from{i}>{opens})|(?P<upto{i}>{closes})"
            for i, (opens, closes, _) in enumerate(rules.pairs)
        ]
        opening, closing = re.escape(rules.brackets[::2]), re.escape(rules.brackets[1::2])
        if rules.brackets:
            pairs += [f"(?P<bracket>[{opening}])", f"(?P<closed>[{closing}])"]
        quiet = "|".join(rules.quiet) or "(?!)"
        lost = "|".join(rules.unclosed) or "(?!)"
        self.tokens: re.Pattern[bytes] = compile_bytes(
            rf"(?P<line>\n[ \t\r\f]*+)|(?P<quiet>{quiet})|(?P<lost>{lost})|{'|'.join(pairs)}"
        )
        doc = language.rules.doc
        openers = [re.escape(mark) for mark in (*doc.line, *(pair[0] for pair in doc.block))]
        between = "|".join(filter(None, [rules.between, *openers]))
        self.between: Callable[..., re.Match[bytes] | None] = compile_bytes(between or "(?!)").match
        self.block_comments: list[tuple[bytes, bytes]] = [
            (opens.encode(), closes.encode()) for opens, closes in doc.block
        ]
        self.is_comment: Callable[..., re.Match[bytes] | None] = compile_bytes(
            "|".join(openers) or "(?!)"
        ).match
        closers = [
            *(rf"(?:{closes})" for _, closes, _ in rules.pairs),
            *([rf"[{closing}]"] if rules.brackets else []),
        ]
        self.closer: Callable[..., re.Match[bytes] | None] = compile_bytes(
            "|".join(closers) or "(?!)"
        ).match
        self.heads: Callable[..., re.Match[bytes] | None] | None = (
            compile_bytes(rules.heads).match if rules.heads else None
        )
        self.flat: Callable[..., re.Match[bytes] | None] = compile_bytes(rules.flat or "(?!)").match
        self.texts: list[bytes] = [text.encode() for _, _, text in rules.pairs]
        self.has_braces: bool = bool(self.texts) and all(
            text in (b"}", b"@end") for text in self.texts
        )
        self.filler: bytes = rules.filler.encode()

    def closers_of(self, text: bytes) -> bytes:
        """Returns the text that closes the open blocks of a text; empty if the text closes
        something that it has not opened."""
        run = _BlockPass(self, text)
        opened = [entry.sort for entry in reversed(run.stack) if isinstance(entry.sort, int)]
        return b"" if run.edits else b"".join([self.texts[sort] + b"\n" for sort in opened])

    def open_in(self, text: bytes) -> "OpenText | None":
        """Returns what a text leaves open; `None` if it closes something that it has not opened, or
        if a string in it is open."""
        run = _BlockPass(self, text)
        if run.edits:
            return None
        ends = [
            b" " + self.texts[e.sort] if isinstance(e.sort, int) else _CLOSED_BY[e.sort]
            for e in reversed(run.stack)
        ]
        brackets = []
        for entry, end in zip(reversed(run.stack), ends, strict=True):
            if isinstance(entry.sort, int):
                break
            brackets.append(end)
        block, outer_closers = -1, b""
        if not brackets and run.stack:
            block = run.stack[-1].start
            for entry in run.stack[-2::-1]:
                if isinstance(entry.sort, int):
                    break
                outer_closers += _CLOSED_BY[entry.sort]
        return OpenText(
            b"".join(ends),
            b"".join(brackets),
            run.stack[-1].start if run.stack else -1,
            block,
            outer_closers,
        )

    def has_open_text(self, text: bytes) -> bool:
        """Whether a text has an open string or comment."""
        return any(token.lastgroup == "lost" for token in self.tokens.finditer(text))

    def is_whole(self, text: bytes) -> bool:
        """Whether a text closes exactly the blocks that it opens. Brackets may stay open."""
        run = _BlockPass(self, text)
        return not any(isinstance(entry.sort, int) for entry in run.stack) and not any(
            self.closer(text, edit.start) for edit in run.edits
        )


@lru_cache(maxsize=64)
def blocks_of(language: Language) -> Blocks | None:
    """Returns the compiled `[blocks]` of a language, `None` if it has none."""
    return Blocks(language) if language.rules.blocks.quiet else None


def find_open(blocks: Blocks, source: bytes) -> list[int]:
    """Returns the places of brackets and blocks that are never closed, and of open strings, in
    order."""
    run = _BlockPass(blocks, source)
    run.finish()
    return sorted(run.left)


def find_unclosed(blocks: Blocks, source: bytes) -> list[Edit]:
    """Returns the edits that close open blocks and hide superfluous closers, in order; none if
    brackets match."""
    run = _BlockPass(blocks, source)
    run.finish()
    return sorted(run.edits, key=lambda edit: edit.start)


class _BlockPass:
    """One pass over a source."""

    def __init__(self, blocks: Blocks, source: bytes) -> None:
        self._blocks, self._source = blocks, source
        self.stack: list[_OpenEntry] = []
        self.edits: list[Edit] = []
        self.left: list[int] = []  # starts of what is never closed
        self._line, self._indent = 0, 0
        self._head: tuple[int, int] | None = (
            None  # the end of a line that needs a body, and its indentation
        )
        text = b"\n" + source  # the first line begins like all others
        for token in blocks.tokens.finditer(text):
            sort, start, end = token.lastgroup or "", token.start() - 1, token.end() - 1
            if sort == "line":
                self._begin_line(end, len(token[0].strip(b"\n\r").expandtabs(8)))
            elif sort == "lost":
                self._lose(start)
            elif sort == "bracket":
                self._open(token[0], start)
            elif sort == "closed":
                self._close_bracket(token[0], start, end)
            elif sort.startswith("from"):
                self._open(int(sort[4:]), start)
            elif sort.startswith("upto"):
                self._close_block(int(sort[4:]), start, end)

    def _begin_line(self, start: int, indent: int) -> None:
        self._end_line(start)
        self._line, self._indent = start, indent
        source, blocks, stack = self._source, self._blocks, self.stack
        if (
            source[start : start + 1] in (b"", b"\n", b"\r")
            or blocks.between(source, start) is not None
        ):
            return
        if self._head is not None:
            self._fill(indent)
        if blocks.closer(source, start) is not None:
            return
        if stack and stack[-1].inner < 0:
            stack[-1].inner = indent
        for entry in stack[: -_DEEPEST_LOOK - 1 : -1]:
            if entry.indent < indent:
                break
            if entry.dedent < 0 and entry.inner > entry.indent:
                entry.dedent = source.rfind(b"\n", 0, start) + 1
        if blocks.heads is not None and (head := blocks.heads(source, start)) is not None:
            self._head = head.end(), indent

    def _end_line(self, end: int) -> None:
        """Notes that a block has code on the line that opens it, so that it ends before a line that
        is indented no deeper."""
        top = self.stack[-1] if self.stack and self._blocks.has_braces else None
        if (
            top is not None
            and isinstance(top.sort, int)
            and top.line == self._line
            and top.inner < 0
        ):
            rest = self._source[top.start + 1 : self._source.rfind(b"\n", 0, max(end, 0))].lstrip()
            if rest and not self._blocks.is_comment(rest):
                top.inner = top.indent + 1

    def _fill(self, indent: int) -> None:
        """Gives a head without a body one, if the next line is indented no deeper."""
        if self._head is not None and indent <= self._head[1]:
            self.edits.append(Edit(self._head[0], self._head[0], self._blocks.filler))
        self._head = None

    def _open(self, sort: int | bytes, start: int) -> None:
        if isinstance(sort, int):
            for entry in self.stack[-4:]:
                if isinstance(entry.sort, bytes) and entry.line == self._line and entry.block < 0:
                    entry.block = start
        self.stack.append(_OpenEntry(sort, start, self._line, self._indent))

    def _lose(self, start: int) -> None:
        """Hides the rest of a line that begins an open string or comment, together with the code
        before it on the line."""
        stack = self.stack
        self.left.append(start)
        while stack and isinstance(stack[-1].sort, bytes) and stack[-1].line == self._line:
            stack.pop()
        has_block = bool(stack) and stack[-1].line == self._line
        if has_block and self._blocks.has_braces:
            start = stack[-1].start + 1
        self._hide(
            start
            if has_block or self._blocks.closer(self._source, self._line) is not None
            else self._line
        )

    def _hide(self, start: int) -> None:
        """Hides the rest of a line."""
        end = self._source.find(b"\n", start)
        self.edits.append(Edit(start, end if end >= 0 else len(self._source), self._blocks.filler))

    def _close_bracket(self, bracket: bytes, start: int, end: int) -> None:
        stack = self.stack
        for depth, entry in enumerate(stack[:-5:-1]):
            if isinstance(entry.sort, bytes) and _CLOSED_BY[entry.sort] == bracket:
                for _ in range(depth):
                    self._leave_open(stack.pop(), start)
                stack.pop()
                return
        self.edits.append(Edit(start, end))

    def _close_block(self, sort: int, start: int, end: int) -> None:
        stack = self.stack
        if stack and stack[-1].sort == b"[" and self._blocks.texts[sort] != b"}":
            return  # a word for the last index
        near = stack[: -_DEEPEST_LOOK - 1 : -1]
        if not any(entry.sort == sort for entry in near):
            self.edits.append(Edit(start, end))
            return
        while stack[-1].sort != sort:
            self._leave_open(stack.pop(), start)
        if start == self._line:
            top, indent = stack[-1], self._indent
            if indent > top.indent and 0 <= top.inner <= indent:
                self.edits.append(Edit(start, end))
                return
            if indent < top.indent and any(
                entry.sort == sort and entry.indent == indent for entry in near
            ):
                while stack[-1].indent != indent or stack[-1].sort != sort:
                    self._leave_open(stack.pop(), start)
        closed = stack.pop()
        if (
            start == self._line
            and stack
            and stack[-1].line == closed.line
            and isinstance(stack[-1].sort, int)
        ):
            stack[-1].inner = max(stack[-1].inner, stack[-1].indent + 1)

    def _leave_open(self, entry: _OpenEntry, place: int) -> None:
        """Closes an open block or bracket where its lines end, at `place` at the latest. A bracket
        is closed before the block on its line. Otherwise its line is hidden: only the part after
        the opening of the block around it, if that is on the same line."""
        around = self.stack[-1] if self.stack else None
        self.left.append(entry.start)
        if isinstance(entry.sort, int):
            end = entry.dedent if entry.dedent >= 0 else place
            self.edits.append(Edit(end, end, self._blocks.texts[entry.sort] + b"\n"))
        elif entry.block >= 0:
            self.edits.append(Edit(entry.block, entry.block, _CLOSED_BY[entry.sort] + b" "))
        elif around is not None and isinstance(around.sort, int) and around.line == entry.line:
            line_end = self._source.find(b"\n", entry.start)
            start = around.start + 1 if self._blocks.has_braces else entry.start
            self.edits.append(
                Edit(start, place if line_end < 0 else min(place, line_end), self._blocks.filler)
            )
        else:
            is_closer = self._blocks.closer(self._source, entry.line) is not None
            self._hide(entry.start if is_closer else entry.line)

    def finish(self) -> None:
        """Closes everything that is open at the end."""
        self._fill(-1)
        while self.stack:
            self._leave_open(self.stack.pop(), len(self._source))
