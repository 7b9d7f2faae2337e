"""Reads Markdown: headings as in CommonMark and GitHub's dialect, and the HTML headings that
READMEs use.

`markdown_blocks` finds which lines are headings, `markdown_inline` removes the markup from titles.
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
"""Longest HTML heading, in bytes: one with pictures is long, and one that never ends is not a
heading."""

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


def read(data: bytes, start: int) -> Document:
    """Returns the sections of a Markdown text."""
    lines = with_line_feeds(data)
    return nest_lines(lines, start, find_headings(lines, start), plain_text)


def find_headings(data: bytes, start: int) -> Iterator[Heading]:
    """Yields the headings of a Markdown text with line feeds."""
    is_label = label_finder(data, start)
    last_end = start
    for level, begin, end, title_start, title_end in find_blocks(data, start):
        if begin < last_end:
            continue
        if not level:
            for heading in _html_headings(data, title_start, title_end):
                last_end = heading.end_byte
                yield heading
            continue
        raw = data[title_start : min(title_end, title_start + RAW_TITLE_BYTES)].decode(
            "utf-8", "replace"
        )
        if title := shorten_title(plain_title(_CONTINUED.sub("\n", raw), is_label)):
            text_end = (
                title_end if begin == title_start else end
            )  # the line with `#`, or the underlined text
            yield Heading(
                level, begin, end, title_start, title_end, title, written(data, begin, text_end)
            )


def label_finder(data: bytes, start: int) -> Callable[[str], bool]:
    """Returns a function that tells whether the text defines a link label. It searches on its first
    call."""

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
    """Yields the headings in a piece of HTML. A heading may reach beyond the piece if a blank line
    has ended that."""
    offset = start
    while opening := _HTML_HEADING.search(data, offset, end):
        offset = opening.end()
        if opening[1] is None:  # a comment
            offset = data.find(b"-->", offset, end)
            if offset < 0:
                return
            continue
        closing = _HTML_HEADING_END.search(data, offset, offset + _MOST_HTML_TITLE_BYTES)
        if closing is None or _HTML_HEADING.search(data, offset, closing.start()):
            continue
        inner = data[offset : closing.start()]
        title_start = offset + len(inner) - len(inner.lstrip())
        offset = closing.end()
        if title := _html_title(inner.decode("utf-8", "replace")):
            title_end = title_start + len(inner.strip())
            yield Heading(
                int(opening[1]),
                opening.start(),
                offset,
                title_start,
                title_end,
                title,
                written(data, opening.start(), offset),
            )


def _html_title(text: str) -> str:
    """Returns the text of an HTML heading; if it has none, the text alternatives of its
    pictures."""
    text = _COMMENT.sub("", text)
    for with_pictures in (text, _PICTURE.sub(lambda match: match[1] or match[2] or "", text)):
        plain = _TAGS.sub("", with_pictures)
        if "![" in plain or "](" in plain:
            plain = plain_title(fold_space(plain), lambda label: False)
        if title := shorten_title(without_references(plain)):
            return title
    return ""


def plain_text(data: bytes) -> str:
    """Removes comments, tags and link addresses from a text. Leaves code unchanged."""
    pieces: list[bytes] = []
    offset = copied = 0
    while match := _MARKUP.search(data, offset):
        offset = match.end()
        if match["kept"]:
            continue
        pieces.append(data[copied : match.start()])
        if match[0] == b"<!--":
            offset = data.find(b"-->", offset) + 3
            if offset < 3:
                break
        elif match[0].startswith(b"&"):
            pieces.append(without_references(match[0].decode()).encode())
        copied = offset
    else:
        pieces.append(data[copied:])
    return b"".join(pieces).decode("utf-8", "replace").strip()
