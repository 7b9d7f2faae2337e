"""HTML: headings h1 to h6, and the title of the page where there is no h1.

One regular expression finds what is no text: tags, comments, and elements whose content nobody
reads. Time is linear, whatever is left open: an end is looked for once a kind, since one that is
missing is missing for the rest of the file.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from symindex.extract.documents.document import Document
from symindex.extract.documents.nesting import (
    MOST_SECTIONS,
    RAW_TITLE_BYTES,
    Heading,
    nest,
    shorten_title,
    written,
)
from symindex.text.entities import without_references

_TAG: Final = re.compile(
    rb"""<(?:(?P<comment>!--)|[!?][^>]*+>?|(?P<close>/?)(?P<name>[a-zA-Z][a-zA-Z0-9:-]*+)"""
    rb"""(?:[^>"'=]++|=[ \t\n]*+(?:"[^"]*+"|'[^']*+')|[="'])*+(?P<end>>?))"""
)
_HIDDEN: Final = frozenset(
    {
        b"script",
        b"style",
        b"template",
        b"textarea",
        b"iframe",
        b"noembed",
        b"noframes",
        b"svg",
        b"math",
    }
)
_UNREAD: Final = _HIDDEN | {b"title"}
_HEADINGS: Final = {b"h%d" % level: level for level in range(1, 7)}
_INLINE: Final = frozenset(
    b"a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd mark q rp rt ruby s"
    b" samp small span strike strong sub sup time tt u var wbr !".split()
)
"""Elements that do not divide words, and what is no element."""

_PICTURE: Final = re.compile(r"""(?i)<img\b[^<>]*?\balt\s*+=\s*+(?:"([^"<>]*+)"|'([^'<>]*+)')""")
_SPACE: Final = re.compile(r"\s*\n\s*")
_ANCHORS: Final = " \n¶\uf0c1"
"""What generators of documentation put behind a title, for links to it."""

_MOST_TITLE_BYTES: Final = 10_000
"""A heading that is longer was never closed; it ends there."""


BLOCKS: Final = frozenset(
    b"address article aside blockquote body caption dd details div dl dt fieldset figcaption figure"
    b" footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table"
    b" tbody td tfoot th thead tr ul".split()
)
"""Elements that begin and end a paragraph, where a page is read as text."""


class Token(NamedTuple):
    """A tag, an element whose content nobody reads, or text.

    name: of the tag, in lower case; empty for text, `!` for comments and declarations. start, end:
    its bytes. content, content_end: the content of such an element; else 0.
    """

    name: bytes
    start: int
    end: int
    is_closing: bool = False
    content: int = 0
    content_end: int = 0


def markup(data: bytes, start: int = 0, hidden: frozenset[bytes] = _HIDDEN) -> Iterator[Token]:
    """The tags and texts of a page, in order. hidden: elements whose content nobody reads, besides
    the title."""
    at, unclosed = start, set[bytes]()
    while tag := _TAG.search(data, at):
        if tag.start() > at:
            yield Token(b"", at, tag.start())
        if tag["name"] and not tag["end"]:  # never closed: the rest of the file is inside of it
            return
        name, at = (tag["name"] or b"!").lower(), tag.end()
        if tag["comment"]:
            at = _behind_comment(data, at)
        elif (
            (name in hidden or name == b"title")
            and not tag["close"]
            and name not in unclosed
            and data[at - 2 : at - 1] != b"/"
        ):
            closing = _end_of(name).search(data, at)
            if closing is not None:
                at = closing.end()
                yield Token(name, tag.start(), at, False, tag.end(), closing.start())
                continue
            unclosed.add(name)  # it hides nothing, and no other of its name is closed behind it
        yield Token(name, tag.start(), at, bool(tag["close"]))
    if at < len(data):
        yield Token(b"", at, len(data))


@cache
def _end_of(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?i)</%b(?=[\s/>])[^>]*+>?" % name)


def _behind_comment(data: bytes, at: int) -> int:
    if data.startswith((b">", b"->"), at):
        return data.find(b">", at) + 1
    end = data.find(b"-->", at)
    return end + 3 if end >= 0 else len(data)


def read(data: bytes, start: int = 0) -> Document:
    """The sections of a page."""
    reader = _Reader(data, start)
    reader.read()
    found = reader.found
    if reader.title and not any(each.level == 1 for each in found):
        found = sorted([*found, reader.title], key=lambda each: each.start)
    return _document(data, start, reader.pieces, found)


class _Found(NamedTuple):
    """A heading: from `start` to `end` with its tags, its content without."""

    level: int
    start: int
    content: int
    content_end: int
    end: int


class _Reader:
    """pieces: what is text, as (start, end, whether a word goes on from the piece before)."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.start = data, start
        self.pieces: list[tuple[int, int, bool]] = []
        self.found: list[_Found] = []
        self.title: _Found | None = None
        self.open: tuple[int, int, int] | None = None  # the heading's level, start, content

    def read(self) -> None:
        goes_on = False
        for token in markup(self.data, self.start):
            name = token.name
            if not name:
                self.pieces.append((token.start, token.end, goes_on))
                goes_on = True
            elif (
                name == b"title" and token.content_end and self.title is None and self.open is None
            ):
                self.title = _Found(1, token.start, token.content, token.content_end, token.end)
            elif token.is_closing or name not in _UNREAD:
                goes_on = goes_on and name in _INLINE
                if name in _HEADINGS:
                    self._heading(_HEADINGS[name], token)
        self._end_heading(len(self.data), len(self.data))

    def _heading(self, level: int, token: Token) -> None:
        self._end_heading(token.start, token.end if token.is_closing else token.start)
        if not token.is_closing:
            self.open = level, token.start, token.end

    def _end_heading(self, content_end: int, end: int) -> None:
        if self.open is None:
            return
        level, start, content = self.open
        self.open = None
        if len(self.found) >= MOST_SECTIONS:
            return
        if content_end - content > _MOST_TITLE_BYTES:
            content_end = end = content
        self.found.append(_Found(level, start, content, content_end, end))


def _text(data: bytes, pieces: list[tuple[int, int, bool]]) -> str:
    parts = []
    for start, end, goes_on in pieces:
        parts.append("" if goes_on else " ")
        parts.append(data[start:end].decode("utf-8", "replace"))
    return _SPACE.sub("\n", without_references("".join(parts)).strip())


def _document(
    data: bytes, start: int, pieces: list[tuple[int, int, bool]], found: list[_Found]
) -> Document:
    """Gives each piece of text to the heading whose title it is, or that it stands below."""
    headings: list[Heading] = []
    texts: list[list[tuple[int, int, bool]]] = [[]]
    ends = [start]
    at = 0
    for each in found:
        while at < len(pieces) and pieces[at][0] < each.start:
            _add(texts, ends, data, pieces[at])
            at += 1
        first = at
        while at < len(pieces) and pieces[at][0] < each.end:
            at += 1
        content = pieces[first:at]
        if (
            data[each.start + 1 : each.start + 6].lower() == b"title"
        ):  # its text is no text of the page
            content = [(each.content, each.content_end, False)]
        title = shorten_title(_text(data, content).rstrip(_ANCHORS)) or _described(data, each)
        if not title:
            continue
        inner = data[each.content : each.content_end]
        title_start = each.content + len(inner) - len(inner.lstrip())
        title_end = max(title_start, each.content + len(inner.rstrip()))
        headings.append(
            Heading(
                each.level,
                each.start,
                each.end,
                title_start,
                title_end,
                title,
                written(data, each.start, each.end),
            )
        )
        texts.append([])
        ends.append(each.end)
    for piece in pieces[at:]:
        _add(texts, ends, data, piece)
    return nest(headings, [_text(data, each) for each in texts], ends)


def _add(
    texts: list[list[tuple[int, int, bool]]],
    ends: list[int],
    data: bytes,
    piece: tuple[int, int, bool],
) -> None:
    texts[-1].append(piece)
    if text := data[piece[0] : piece[1]].rstrip():
        ends[-1] = piece[0] + len(text)


def _described(data: bytes, found: _Found) -> str:
    """What a heading of pictures says."""
    inner = data[found.content : found.content_end][:RAW_TITLE_BYTES].decode("utf-8", "replace")
    return shorten_title(
        without_references(" ".join(first or second for first, second in _PICTURE.findall(inner)))
    )
