"""Removes inline Markdown from titles.

Follows CommonMark with GitHub's strikethrough: code, escapes, entities, links, images (whose
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
"""Most runs of `*`, `_` and `~` in a title that can be emphasis: the work grows with their
square."""

_PUNCTUATION: Final = re.compile(r"[^\w\s]|_")


def plain_title(text: str, is_label: Callable[[str], bool]) -> str:
    """Returns a title without markup and without a trailing `{#id}`. is_label: whether the file
    defines a link label."""
    text = _HEADING_ID.sub("", text)
    return fold_space(_Inline(text, is_label).plain() if _TOKEN.search(text) else text)


class _Run:
    """A run of `*`, `_` or `~`. left: how much of it is still text. can_open, can_close: whether it
    can open and close emphasis."""

    __slots__ = ("at", "can_close", "can_open", "left", "length", "sign")

    def __init__(self, text: str, start: int, end: int, number: int) -> None:
        self.sign, self.length, self.left, self.at = text[start], end - start, end - start, number
        last_sign, next_sign = text[start - 1 : start] or " ", text[end : end + 1] or " "
        is_left = not next_sign.isspace() and (
            not _PUNCTUATION.match(next_sign)
            or last_sign.isspace()
            or bool(_PUNCTUATION.match(last_sign))
        )
        is_right = not last_sign.isspace() and (
            not _PUNCTUATION.match(last_sign)
            or next_sign.isspace()
            or bool(_PUNCTUATION.match(next_sign))
        )
        self.can_open, self.can_close = is_left, is_right
        if self.sign == "_":
            self.can_open = is_left and (not is_right or bool(_PUNCTUATION.match(last_sign)))
            self.can_close = is_right and (not is_left or bool(_PUNCTUATION.match(next_sign)))

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
        ] = []  # of each open bracket: its piece, its offset, whether it begins an image

    def plain(self) -> str:
        text, offset = self.text, 0
        while match := _TOKEN.search(text, offset):
            self.pieces.append(text[offset : match.start()])
            offset = match.end()
            kind = match.lastgroup
            if kind == "ticks":
                offset = self._code(match[0], offset)
            elif kind == "bracket":
                self.brackets.append((len(self.pieces), offset, len(match[0]) == 2))
                self.pieces.append(match[0])
            elif kind == "closing":
                offset = self._close_bracket(offset)
            elif kind == "run" and self.n_runs < _MOST_RUNS:
                self.n_runs += 1
                self.pieces.append(_Run(text, match.start(), offset, len(self.pieces)))
            elif kind == "entity":
                self.pieces.append(without_references(match[0]))
            elif kind in ("comment", "instruction"):
                offset = self._hidden(match[0], offset)
            elif kind != "tag":
                self.pieces.append(match[kind or 0])
        self.pieces.append(text[offset:])
        self._emphasise(0)
        return "".join(
            [piece if isinstance(piece, str) else piece.sign * piece.left for piece in self.pieces]
        )

    def _code(self, ticks: str, offset: int) -> int:
        """Adds the code span that these ticks open, and returns its end. Without an end the ticks
        are text."""
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(self.text, offset)
        if closing is None:
            self.pieces.append(ticks)
            return offset
        self.pieces.append(self.text[offset : closing.start()])
        return closing.end()

    def _hidden(self, opening: str, offset: int) -> int:
        """Skips a comment or a processing instruction, and returns its end. Without an end its
        opening is text."""
        if opening == "<!--" and (short := _SHORT_COMMENT.match(self.text, offset)):
            return short.end()
        closing = "-->" if opening == "<!--" else "?>"
        end = self.text.find(closing, offset)
        if end < 0:
            self.pieces.append(opening)
            return offset
        return end + len(closing)

    def _close_bracket(self, offset: int) -> int:
        """Makes a link or an image of the text between an opening bracket and this closing one, if
        it is one; returns its end."""
        if not self.brackets:
            self.pieces.append("]")
            return offset
        piece, begin, is_image = self.brackets.pop()
        end = self._target_end(offset, self.text[begin : offset - 1])
        if end is None or piece < 0:
            self.pieces.append("]")
            return offset
        self.pieces[piece] = ""
        self._emphasise(piece)
        if not is_image:  # a link cannot contain another
            self.brackets = [
                (bracket[0] if bracket[2] else -1, *bracket[1:]) for bracket in self.brackets
            ]
        return end

    def _target_end(self, offset: int, label: str) -> int | None:
        """Returns the end of the target after a bracket with the text `label`; `None` if this is
        not a link."""
        if self.text.startswith("(", offset) and (target := _TARGET.match(self.text, offset)):
            return target.end()
        if reference := _LABEL.match(self.text, offset):
            if reference[1].strip():
                return reference.end() if self.is_label(reference[1]) else None
            offset = reference.end() if self.is_label(label) else offset
        return offset if self.is_label(label) else None

    def _emphasise(self, first: int) -> None:
        """Removes the emphasis signs from the pieces from `first` on."""
        opened: list[_Run] = []
        for piece in self.pieces[first:]:
            if not isinstance(piece, _Run):
                continue
            while piece.can_close and piece.left:
                number = next(
                    (
                        number
                        for number in range(len(opened) - 1, -1, -1)
                        if piece.closes(opened[number])
                    ),
                    -1,
                )
                if number < 0:
                    break
                opener = opened[number]
                n_signs = (
                    opener.left
                    if piece.sign == "~"
                    else 2
                    if min(piece.left, opener.left) > 1
                    else 1
                )
                piece.left -= n_signs
                opener.left -= n_signs
                del opened[number + bool(opener.left) :]
            if piece.can_open and piece.left:
                opened.append(piece)
        if first:
            for piece in self.pieces[first:]:
                if isinstance(piece, _Run):
                    piece.can_open = piece.can_close = False
