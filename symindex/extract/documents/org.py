"""Reads Org: headlines after stars at the margin, and the title of the file."""

import re
from collections.abc import Iterator
from typing import Final

from symindex.extract.documents.document import Document
from symindex.extract.documents.nesting import (
    RAW_TITLE_BYTES,
    Heading,
    nest_lines,
    shorten_title,
    with_line_feeds,
    written,
)

_LINE: Final = re.compile(
    rb"^(?:(?P<stars>\*++)[ \t]++(?P<headline>\S[^\n]*+)|[ \t]*+\#\+(?i:title):[ \t]++(?P<title>\S[^\n]*+))",  # noqa: E501
    re.MULTILINE,
)
_STATE: Final = re.compile(
    rb"(?:(?:TODO|DONE|NEXT|WAITING|HOLD|CANCELL?ED|COMMENT)[ \t]++)?+(?:\[\#[A-Z0-9]\][ \t]++)?+"
)
_TAGS: Final = re.compile(rb"(?:^|[ \t]++):[\w@#%:\x80-\xff]+:[ \t]*+\Z")
_COOKIES: Final = re.compile(r"\[\d*(?:/\d*|%)\]")
_LINK: Final = re.compile(r"\[\[([^\[\]]*)\](?:\[([^\[\]]*)\])?\]")
_EMPHASIS: Final = re.compile(
    r"(?<![^\s('\"{-])([*/_=~+])(\S(?:[^\n]*?\S)??)\1(?![^\s)'\"}.,:;!?-])"
)


def read(data: bytes, start: int) -> Document:
    """Returns the sections of an Org file. As in Org, a headline at the margin counts even inside a
    block."""
    lines = with_line_feeds(data)
    return nest_lines(
        lines,
        start,
        _find_headings(lines, start),
        lambda piece: piece.decode("utf-8", "replace").strip(),
    )


def _find_headings(data: bytes, start: int) -> Iterator[Heading]:
    shift = has_title = 0  # one level below the title of the file
    for line in _LINE.finditer(data, start):
        if line["title"]:
            if has_title:
                continue
            begin, end, level = *line.span("title"), 1
            shift = 1
        else:
            begin, end = line.span("headline")
            state = _STATE.match(data, begin, end)
            begin = state.end() if state else begin
            level = len(line["stars"]) + shift
        has_title = 1
        if tags := _TAGS.search(data, max(begin, end - RAW_TITLE_BYTES), end):
            end = tags.start()
        end = begin + len(data[begin:end].rstrip())
        raw = data[begin : min(end, begin + RAW_TITLE_BYTES)].decode("utf-8", "replace")
        plain = _EMPHASIS.sub(
            r"\2", _LINK.sub(lambda match: match[2] or match[1], _COOKIES.sub("", raw))
        )
        if title := shorten_title(plain):
            yield Heading(
                level,
                line.start(),
                line.end(),
                begin,
                end,
                title,
                written(data, line.start(), line.end()),
            )
