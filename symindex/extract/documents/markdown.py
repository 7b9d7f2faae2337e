"""Markdown: headings as CommonMark and GitHub read them, and headings of HTML as READMEs have them.

`markdown_blocks` says which lines are headings, `markdown_inline` what their titles are without
markup.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from symindex.extract.documents.document import Document
from symindex.extract.documents.markdown_blocks import find_blocks
from symindex.extract.documents.markdown_inline import TAG, plain_title
from symindex.extract.documents.nesting import (
    RAW_TITLE_BYTES,
    Heading,
    nest_lines,
    shorten_title,
    with_line_feeds,
    written,
)
from symindex.extract.texts.source_text import fold_space
from symindex.text.entities import without_references

_MOST_HTML_TITLE_BYTES: Final = 2000
"""A heading of HTML ends at most so far behind its beginning: one with pictures is long, one that
never ends is none."""

_HTML_HEADING: Final = re.compile(rb"(?i)<!--|<h([1-6])(?=[\s>])[^>]{0,1000}>")
_HTML_HEADING_END: Final = re.compile(rb"(?i)</h[1-6]\s*+>")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAGS: Final = re.compile(TAG, re.DOTALL)
_PICTURE: Final = re.compile(
    r"""(?i)<img\b[^<>]*?\balt\s*+=\s*+(?:"([^"<>]*+)"|'([^'<>]*+)')[^<>]*+>"""
)
_LABEL_DEFINED: Final = re.compile(
    rb"^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?\[((?:[^\[\]\\\n]|\\.){1,999}+)\]:[ \t]*+\n?"
    rb"[ \t]*+(?:<[^<>\n]*+>|[^<\s]\S*+)[ \t]*+"
    rb"(?:$|(?<=[ \t])(?:\"[^\"\n]*+(?:\"[ \t]*+)?$|'[^'\n]*+(?:'[ \t]*+)?$|\([^()\n]*+(?:\)[ \t]*+)?$))",  # noqa: E501
    re.MULTILINE,
)
_CONTINUED: Final = re.compile(r"\n[ \t>]*+")

_MARKUP: Final = re.compile(
    rb"""(?P<kept>^[ \t>]*+(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n(?:(?![ \t>]*+(?P=fence))[^\n]*+\n)*+|`[^`\n]++`)"""  # noqa: E501
    rb"""|<!--|(?<=\])\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+)?+\)|</?[a-zA-Z][^<>`]*+>|&(?:amp|lt|gt|quot|nbsp|\#39);""",
    re.MULTILINE,
)


def read(data: bytes, start: int = 0) -> Document:
    """The sections of a Markdown text."""
    lines = with_line_feeds(data)
    return nest_lines(lines, start, find_headings(lines, start), plain_text)


def find_headings(data: bytes, start: int) -> Iterator[Heading]:
    """The headings of a Markdown text with line feeds."""
    is_label = label_finder(data, start)
    behind = start
    for level, begin, end, title_start, title_end in find_blocks(data, start):
        if begin < behind:
            continue
        if not level:
            for heading in _html_headings(data, title_start, title_end):
                behind = heading.end_byte
                yield heading
            continue
        raw = data[title_start : min(title_end, title_start + RAW_TITLE_BYTES)].decode(
            "utf-8", "replace"
        )
        if title := shorten_title(plain_title(_CONTINUED.sub("\n", raw), is_label)):
            text_end = (
                title_end if begin == title_start else end
            )  # the line of `#`, or what is underlined
            yield Heading(
                level, begin, end, title_start, title_end, title, written(data, begin, text_end)
            )


def label_finder(data: bytes, start: int) -> Callable[[str], bool]:
    """A function that says whether the text defines a label of links. It looks when it is first
    asked."""

    @cache
    def labels() -> set[str]:
        return {
            _fold_label(match[1].decode("utf-8", "replace"))
            for match in _LABEL_DEFINED.finditer(data, start)
        }

    return lambda label: _fold_label(label) in labels()


def _fold_label(label: str) -> str:
    return fold_space(label).casefold()


def _html_headings(data: bytes, start: int, end: int) -> Iterator[Heading]:
    """The headings in a piece of HTML. One may reach beyond it, where a blank line has ended the
    piece."""
    at = start
    while opening := _HTML_HEADING.search(data, at, end):
        at = opening.end()
        if opening[1] is None:  # a comment
            at = data.find(b"-->", at, end)
            if at < 0:
                return
            continue
        closing = _HTML_HEADING_END.search(data, at, at + _MOST_HTML_TITLE_BYTES)
        if closing is None or _HTML_HEADING.search(data, at, closing.start()):
            continue
        inner = data[at : closing.start()]
        title_start = at + len(inner) - len(inner.lstrip())
        at = closing.end()
        if title := _html_title(inner.decode("utf-8", "replace")):
            title_end = title_start + len(inner.strip())
            yield Heading(
                int(opening[1]),
                opening.start(),
                at,
                title_start,
                title_end,
                title,
                written(data, opening.start(), at),
            )


def _html_title(text: str) -> str:
    """The title of a heading of HTML: its text; if it has none, what stands for its pictures."""
    text = _COMMENT.sub("", text)
    for with_pictures in (text, _PICTURE.sub(lambda match: match[1] or match[2] or "", text)):
        plain = _TAGS.sub("", with_pictures)
        if "![" in plain or "](" in plain:
            plain = plain_title(fold_space(plain), lambda label: False)
        if title := shorten_title(without_references(plain)):
            return title
    return ""


def plain_text(data: bytes) -> str:
    """A text without comments, tags and the addresses of links. Code stays as it is."""
    pieces: list[bytes] = []
    at = behind = 0
    while match := _MARKUP.search(data, at):
        at = match.end()
        if match["kept"]:
            continue
        pieces.append(data[behind : match.start()])
        if match[0] == b"<!--":
            at = data.find(b"-->", at) + 3
            if at < 3:
                break
        elif match[0].startswith(b"&"):
            pieces.append(without_references(match[0].decode()).encode())
        behind = at
    else:
        pieces.append(data[behind:])
    return b"".join(pieces).decode("utf-8", "replace").strip()
