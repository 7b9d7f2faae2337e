"""Reads AsciiDoc: titles after `=` or `#`, outside delimited blocks."""

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
from symindex.text.entities import without_references

_LINE: Final = re.compile(
    rb"^(?:(?P<block>(?P<sign>[-=.*_+/])(?P=sign){3,}+|`{3,}+|--|[|,:!]={3,}+)(?P<info>(?<=`)[^\s`]*+)?+[ \t]*+$"  # noqa: E501
    rb"|(?P<signs>={1,6}|\#{1,6})[ \t]++(?P<title>\S[^\n]*+))",
    re.MULTILINE,
)
_OPEN: Final = frozenset(b"=*_")
_CLOSING: Final = re.compile(rb"[ \t]++[=#]{1,6}[ \t]*+\Z")

_INLINE: Final = re.compile(
    r"""(?P<macro>(?:link|xref|mailto|https?):[^\s\[\]]*\[(?P<text>[^\[\]]*)\])|<<[^<>,]*(?:,\s*(?P<reference>[^<>]*))?>>"""
    r"""|\[\[[^\[\]]*\]\]|\[[^\[\]]*\](?=[#*_`])"""
    r"""|(?P<signs>\*\*|__|``|\#\#)(?P<inside>[^\n]+?)(?P=signs)"""
    r"""|(?<!\w)(?P<sign>[*_`#+])(?P<word>\S(?:[^\n]*?\S)??)(?P=sign)(?!\w)"""
)


def read(data: bytes, start: int) -> Document:
    """Returns the sections of an AsciiDoc document."""
    lines = with_line_feeds(data)
    return nest_lines(
        lines,
        start,
        _find_headings(lines, start),
        lambda piece: piece.decode("utf-8", "replace").strip(),
    )


def _find_headings(data: bytes, start: int) -> Iterator[Heading]:
    block = b""  # the line that ends the open block (code, comments, listings)
    for line in _LINE.finditer(data, start):
        if line["block"]:
            if block:
                block = b"" if line["block"] == block and not line["info"] else block
            elif (
                line["block"] != b"--" and line["block"][0] not in _OPEN
            ):  # examples and asides contain text, not code
                block = line["block"]
        elif not block:
            title_start = line.start("title")
            title_end = title_start + len(_CLOSING.sub(b"", line["title"]).rstrip())
            raw = data[title_start : min(title_end, title_start + RAW_TITLE_BYTES)].decode(
                "utf-8", "replace"
            )
            if title := shorten_title(without_references(_INLINE.sub(_without_markup, raw))):
                written_line = written(data, line.start(), line.end())
                yield Heading(
                    len(line["signs"]),
                    line.start(),
                    line.end(),
                    title_start,
                    title_end,
                    title,
                    written_line,
                )


def _without_markup(match: re.Match[str]) -> str:
    return match["text"] or match["reference"] or match["inside"] or match["word"] or ""
