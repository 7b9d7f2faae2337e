"""A text in chunks: pieces of a few kilobytes, each of which says something by itself.

A chunk never crosses a heading. A longer section is divided between paragraphs, a fenced block
stays whole where it fits, and only what has no such places is cut between lines, or characters. All
chunks together are the text, in order.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.readers import read_document

MOST_BYTES: Final = 4_096
"""Of a chunk."""

MOST_TITLE: Final = 1_000
"""Characters of the headings above a chunk. Each chunk is kept with them."""

_FENCE: Final = re.compile(rb" {0,3}(`{3,}|~{3,})")
_CODE_SHARE: Final = 0.5


class Chunk(NamedTuple):
    """title: the headings above it, joined by ` > `. start, end: its bytes. line: its first,
    0-based. is_code: whether most of it stands in fences or is indented."""

    title: str
    start: int
    end: int
    line: int
    is_code: bool


class _Block(NamedTuple):
    """A paragraph or a fenced block, with the blank lines behind it."""

    start: int
    end: int
    is_code: bool


def chunks_of(text: bytes, format_id: str) -> list[Chunk]:
    """The chunks of a text in UTF-8. format_id: of `documents/formats`; empty or unknown for one
    without headings."""
    chunks: list[Chunk] = []
    line, counted = 0, 0
    for title, start, end in _sections(text, format_id):
        for piece in _packed([*_blocks(text, start, end)]):
            if text[piece.start : piece.end].strip():
                line, counted = line + text.count(b"\n", counted, piece.start), piece.start
                chunks.append(Chunk(title, piece.start, piece.end, line, piece.is_code))
    return chunks


def _sections(text: bytes, format_id: str) -> Iterator[tuple[str, int, int]]:
    """The headings above each piece of a text between two of them, and where it stands."""
    known = load_formats().by_id.get(format_id)
    reader = known.reader_of(text) if known is not None else ""
    sections = read_document(reader, text).sections if reader else []
    starts = [*(section.start_byte for section in sections), len(text)]
    yield "", 0, starts[0]
    above: list[tuple[int, str]] = []
    for section, end in zip(sections, starts[1:], strict=True):
        while above and above[-1][0] >= section.level:
            above.pop()
        above.append((section.level, section.title))
        yield _path(above), section.start_byte, end


def _path(above: list[tuple[int, str]]) -> str:
    """The headings above a piece, the outermost left out where they are too long together."""
    path = " > ".join(title for _, title in above)
    return path if len(path) <= MOST_TITLE else "…" + path[1 - MOST_TITLE :]


def _blocks(text: bytes, start: int, end: int) -> Iterator[_Block]:
    """The paragraphs and fenced blocks of a piece, each at most so long as a chunk may be."""
    first, at, mark, is_blank, n_code, n_all = start, start, b"", False, 0, 0
    while at < end:
        stop = text.find(b"\n", at, end) + 1 or end
        fence = _FENCE.match(text, at, min(stop, at + 100))
        line_blank = not text[at:stop].strip()
        opens = fence is not None and not mark
        if first < at and not mark and ((is_blank and not line_blank) or opens):
            yield from _cut(text, _Block(first, at, n_code > n_all * _CODE_SHARE))
            first, n_code, n_all = at, 0, 0
        closes = (
            fence is not None and mark and fence[1][:1] == mark[:1] and len(fence[1]) >= len(mark)
        )
        in_code = bool(mark) or opens or text[at : at + 4] == b"    " or text[at : at + 1] == b"\t"
        n_all += 0 if line_blank else stop - at
        n_code += stop - at if in_code and not line_blank else 0
        mark = fence[1] if opens and fence is not None else b"" if closes else mark
        is_blank, at = line_blank or bool(closes), stop
    if first < end:
        yield from _cut(text, _Block(first, end, n_code > n_all * _CODE_SHARE))


def _cut(text: bytes, block: _Block) -> Iterator[_Block]:
    """A block that is too long in pieces, cut behind lines, else between characters."""
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


def _packed(blocks: list[_Block]) -> Iterator[_Block]:
    """Neighbouring blocks together, as many as fit."""
    if not blocks:
        return
    bounds = [0]
    first = blocks[0].start
    for at, block in enumerate(blocks):
        if block.end - first > MOST_BYTES:
            bounds.append(at)
            first = block.start
    for low, high in pairwise([*bounds, len(blocks)]):
        some = blocks[low:high]
        n_code = sum(block.end - block.start for block in some if block.is_code)
        size = some[-1].end - some[0].start if some else 0
        if some:
            yield _Block(some[0].start, some[-1].end, n_code > size * _CODE_SHARE)
