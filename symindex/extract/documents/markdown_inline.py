"""Markdown inside of a line: what is left of a title when its markup is gone.

As CommonMark has it, with GitHub's strikethrough: code, escapes, entities, links, images (whose
description stays), tags and emphasis.
"""

import re
from collections.abc import Callable
from typing import Final

from symindex.extract.texts.source_text import fold_space
from symindex.text.entities import without_references

TAG: Final = (
    r"""</?[a-zA-Z][a-zA-Z0-9-]*+(?:\s++[a-zA-Z_:][a-zA-Z0-9_.:-]*+(?:\s*+=\s*+(?:[^\s"'=<>`]++|'[^']*+'|"[^"]*+"))?+)*+\s*+/?>"""
    r"""|<![a-zA-Z][^>]*+>"""
)
_TOKEN: Final = re.compile(
    r"""\\(?P<escaped>[!-/:-@\[-`{-~])"""
    r"""|(?P<ticks>`++)"""
    r"""|<(?P<address>[a-zA-Z][a-zA-Z0-9+.-]{1,31}:[^\s<>]*+|[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]++@[a-zA-Z0-9][a-zA-Z0-9.-]*+)>"""
    r"""|(?P<comment><!--)|(?P<instruction><\?)"""
    rf"""|(?P<tag>{TAG})"""
    r"""|(?P<entity>&(?:\#[xX][0-9a-fA-F]{1,6}|\#[0-9]{1,7}|[a-zA-Z][a-zA-Z0-9]{1,40});)"""
    r"""|(?P<bracket>!?\[)|(?P<closing>\])|(?P<run>\*++|_++|~++)"""
)
_TARGET: Final = re.compile(
    r"""\(\s*+(?:<(?:[^<>\n\\]|\\.)*+>|(?!<)(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+\))*+)"""
    r"""(?:\s++(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+\s*+\)""",
    re.DOTALL,
)
_LABEL: Final = re.compile(r"\[((?:[^\[\]\\]|\\.)*+)\]", re.DOTALL)
_SHORT_COMMENT: Final = re.compile(r"-?>")
_HEADING_ID: Final = re.compile(
    r"[ \t]*+(?:\{:?[ \t]*+[#.][^{}]*+\}|\{/\*(?:[^{}*]|\*(?!/))*+\*/\})$"
)
_MOST_RUNS: Final = 30
"""So many runs of `*`, `_` and `~` in a title can be emphasis; the work grows with their square."""

_PUNCTUATION: Final = re.compile(r"[^\w\s]|_")


def plain_title(text: str, is_label: Callable[[str], bool]) -> str:
    """A title without markup and without a trailing `{#id}`. is_label: whether a link's label is
    defined in the file."""
    text = _HEADING_ID.sub("", text)
    return fold_space(_Inline(text, is_label).plain() if _TOKEN.search(text) else text)


class _Run:
    """A run of `*`, `_` or `~`: how much of it is still text, and whether it can open and close
    emphasis."""

    __slots__ = ("at", "can_close", "can_open", "left", "length", "sign")

    def __init__(self, text: str, start: int, end: int, at: int) -> None:
        self.sign, self.length, self.left, self.at = text[start], end - start, end - start, at
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        is_left = not after.isspace() and (
            not _PUNCTUATION.match(after) or before.isspace() or bool(_PUNCTUATION.match(before))
        )
        is_right = not before.isspace() and (
            not _PUNCTUATION.match(before) or after.isspace() or bool(_PUNCTUATION.match(after))
        )
        self.can_open, self.can_close = is_left, is_right
        if self.sign == "_":
            self.can_open = is_left and (not is_right or bool(_PUNCTUATION.match(before)))
            self.can_close = is_right and (not is_left or bool(_PUNCTUATION.match(after)))

    def closes(self, opener: "_Run") -> bool:
        if opener.sign != self.sign or not opener.left:
            return False
        if self.sign == "~":
            return opener.left == self.left <= 2
        is_both = opener.can_close or self.can_open
        return not (
            is_both
            and (opener.length + self.length) % 3 == 0
            and (opener.length % 3 or self.length % 3)
        )


class _Inline:
    """The pieces of a line: texts, and runs that may become emphasis."""

    def __init__(self, text: str, is_label: Callable[[str], bool]) -> None:
        self.text = text
        self.is_label = is_label
        self.pieces: list[str | _Run] = []
        self.n_runs = 0
        self.brackets: list[
            tuple[int, int, bool]
        ] = []  # of each open one: its piece, its place, whether it is an image's

    def plain(self) -> str:
        text, at = self.text, 0
        while match := _TOKEN.search(text, at):
            self.pieces.append(text[at : match.start()])
            at = match.end()
            kind = match.lastgroup
            if kind == "ticks":
                at = self._code(match[0], at)
            elif kind == "bracket":
                self.brackets.append((len(self.pieces), at, len(match[0]) == 2))
                self.pieces.append(match[0])
            elif kind == "closing":
                at = self._close_bracket(at)
            elif kind == "run" and self.n_runs < _MOST_RUNS:
                self.n_runs += 1
                self.pieces.append(_Run(text, match.start(), at, len(self.pieces)))
            elif kind == "entity":
                self.pieces.append(without_references(match[0]))
            elif kind in ("comment", "instruction"):
                at = self._hidden(match[0], at)
            elif kind != "tag":
                self.pieces.append(match[kind or 0])
        self.pieces.append(text[at:])
        self._emphasise(0)
        return "".join(
            [piece if isinstance(piece, str) else piece.sign * piece.left for piece in self.pieces]
        )

    def _code(self, ticks: str, at: int) -> int:
        """Takes a code span that these ticks open; where it ends. Without an end the ticks are
        text."""
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(self.text, at)
        if closing is None:
            self.pieces.append(ticks)
            return at
        self.pieces.append(self.text[at : closing.start()])
        return closing.end()

    def _hidden(self, opening: str, at: int) -> int:
        """Takes a comment or a processing instruction; where it ends. Without an end its opening is
        text."""
        if opening == "<!--" and (short := _SHORT_COMMENT.match(self.text, at)):
            return short.end()
        closing = "-->" if opening == "<!--" else "?>"
        end = self.text.find(closing, at)
        if end < 0:
            self.pieces.append(opening)
            return at
        return end + len(closing)

    def _close_bracket(self, at: int) -> int:
        """Makes a link or an image of what stands between a bracket and this one, if it is one;
        where it ends."""
        if not self.brackets:
            self.pieces.append("]")
            return at
        piece, begin, is_image = self.brackets.pop()
        end = self._target_end(at, self.text[begin : at - 1])
        if end is None or piece < 0:
            self.pieces.append("]")
            return at
        self.pieces[piece] = ""
        self._emphasise(piece)
        if not is_image:  # no link inside another
            self.brackets = [(each[0] if each[2] else -1, *each[1:]) for each in self.brackets]
        return end

    def _target_end(self, at: int, label: str) -> int | None:
        """Where the target behind a bracket ends, whose text is `label`; None where this is no
        link."""
        if self.text.startswith("(", at) and (target := _TARGET.match(self.text, at)):
            return target.end()
        if reference := _LABEL.match(self.text, at):
            if reference[1].strip():
                return reference.end() if self.is_label(reference[1]) else None
            at = reference.end() if self.is_label(label) else at
        return at if self.is_label(label) else None

    def _emphasise(self, first: int) -> None:
        """Takes the signs away that are emphasis, among the pieces from `first` on."""
        opened: list[_Run] = []
        for piece in self.pieces[first:]:
            if not isinstance(piece, _Run):
                continue
            while piece.can_close and piece.left:
                at = next(
                    (at for at in range(len(opened) - 1, -1, -1) if piece.closes(opened[at])), -1
                )
                if at < 0:
                    break
                opener = opened[at]
                n_signs = (
                    opener.left
                    if piece.sign == "~"
                    else 2
                    if min(piece.left, opener.left) > 1
                    else 1
                )
                piece.left -= n_signs
                opener.left -= n_signs
                del opened[at + bool(opener.left) :]
            if piece.can_open and piece.left:
                opened.append(piece)
        if first:
            for piece in self.pieces[first:]:
                if isinstance(piece, _Run):
                    piece.can_open = piece.can_close = False
