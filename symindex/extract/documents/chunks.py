"""Divides a text into chunks: pieces of a few kilobytes that each make sense alone.

A chunk never crosses a heading. A longer section is divided between paragraphs, a fenced block
stays whole if it fits, and only text without such places is cut between lines, or characters. All
chunks together are the text, in order.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.readers import read_document

MOST_BYTES: Final = 4_096
"""Size limit of a chunk, in bytes."""

MOST_TITLE: Final = 1_000
"""Longest path of headings above a chunk, in characters. Each chunk is stored with its path."""

_FENCE: Final = re.compile(rb" {0,3}(`{3,}|~{3,})")
_CODE_SHARE: Final = 0.5


class Chunk(NamedTuple):
    """One chunk.

    title: the headings above it, joined by ` > `. start, end: its range in bytes. line: its first
    line, 0-based. is_code: whether most of it is fenced or indented.
    """

    title: str
    start: int
    end: int
    line: int
    is_code: bool


class _TextBlock(NamedTuple):
    """A paragraph or a fenced block, with the blank lines after it."""

    start: int
    end: int
    is_code: bool


def chunks_of(text: bytes, format_id: str) -> list[Chunk]:
    """Returns the chunks of a text in UTF-8.

    format_id: an id of `documents/formats`; empty or unknown for a text without headings.
    """
    chunks: list[Chunk] = []
    line, counted = 0, 0
    for title, start, end in _sections(text, format_id):
        for piece in _packed([*_blocks(text, start, end)]):
            if text[piece.start : piece.end].strip():
                line, counted = line + text.count(b"\n", counted, piece.start), piece.start
                chunks.append(Chunk(title, piece.start, piece.end, line, piece.is_code))
    return chunks


def _sections(text: bytes, format_id: str) -> Iterator[tuple[str, int, int]]:
    """Yields the pieces of a text between headings: the headings above, the start and the end."""
    file_format = load_formats().by_id.get(format_id)
    reader = file_format.reader_of(text) if file_format is not None else ""
    sections = read_document(reader, text).sections if reader else []
    starts = [*(section.start_byte for section in sections), len(text)]
    yield "", 0, starts[0]
    above: list[tuple[int, str]] = []
    for section, end in zip(sections, starts[1:], strict=True):
        while above and above[-1][0] >= section.level:
            above.pop()
        above.append((section.level, section.title))
        yield path_of_headings([title for _, title in above]), section.start_byte, end


def path_of_headings(titles: list[str]) -> str:
    """Joins the headings above a piece; leaves out the outermost if they are too long together."""
    path = " > ".join(titles)
    return path if len(path) <= MOST_TITLE else "…" + path[1 - MOST_TITLE :]


def _blocks(text: bytes, start: int, end: int) -> Iterator[_TextBlock]:
    """Yields the paragraphs and fenced blocks of a piece, none longer than a chunk may be."""
    first, offset, mark, is_blank, n_code, n_all = start, start, b"", False, 0, 0
    while offset < end:
        stop = text.find(b"\n", offset, end) + 1 or end
        fence = _FENCE.match(text, offset, stop)
        line_blank = not text[offset:stop].strip()
        opens = fence is not None and not mark
        if first < offset and not mark and ((is_blank and not line_blank) or opens):
            yield from _cut(text, _TextBlock(first, offset, n_code > n_all * _CODE_SHARE))
            first, n_code, n_all = offset, 0, 0
        closes = (
            fence is not None and mark and fence[1][:1] == mark[:1] and len(fence[1]) >= len(mark)
        )
        in_code = (
            bool(mark)
            or opens
            or text[offset : offset + 4] == b"    "
            or text[offset : offset + 1] == b"\t"
        )
        n_all += 0 if line_blank else stop - offset
        n_code += stop - offset if in_code and not line_blank else 0
        mark = fence[1] if opens and fence is not None else b"" if closes else mark
        is_blank, offset = line_blank or bool(closes), stop
    if first < end:
        yield from _cut(text, _TextBlock(first, end, n_code > n_all * _CODE_SHARE))


def _cut(text: bytes, block: _TextBlock) -> Iterator[_TextBlock]:
    """Cuts a block that is too long after lines, or after words, else between characters."""
    start = block.start
    while block.end - start > MOST_BYTES:
        end = text.rfind(b"\n", start, start + MOST_BYTES) + 1
        if end <= start:
            end = text.rfind(b" ", start, start + MOST_BYTES) + 1
        if end <= start:
            end = start + MOST_BYTES
            while end > start + 1 and text[end] & 0xC0 == 0x80:  # inside a character
                end -= 1
        yield block._replace(start=start, end=end)
        start = end
    yield block._replace(start=start)


def _packed(blocks: list[_TextBlock]) -> Iterator[_TextBlock]:
    """Joins neighbouring blocks, as many as fit into a chunk."""
    if not blocks:
        return
    bounds = [0]
    first = blocks[0].start
    for number, block in enumerate(blocks):
        if block.end - first > MOST_BYTES:
            bounds.append(number)
            first = block.start
    for low, high in pairwise([*bounds, len(blocks)]):
        group = blocks[low:high]
        n_code = sum(block.end - block.start for block in group if block.is_code)
        size = group[-1].end - group[0].start if group else 0
        if group:
            yield _TextBlock(group[0].start, group[-1].end, n_code > size * _CODE_SHARE)
