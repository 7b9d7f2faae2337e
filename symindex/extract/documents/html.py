"""Reads HTML: headings h1 to h6, and the title of the page if there is no h1.

One regular expression finds everything that is not text: tags, comments, and elements whose content
is not shown. The time is linear, whatever is left open: each kind of closing tag is searched once,
because one that is missing is missing in the rest of the file.
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
"""Elements that do not divide words; `!` means comments and declarations."""

_PICTURE: Final = re.compile(r"""(?i)<img\b[^<>]*?\balt\s*+=\s*+(?:"([^"<>]*+)"|'([^'<>]*+)')""")
_SPACE: Final = re.compile(r"\s*\n\s*")
_ANCHORS: Final = " \n¶\uf0c1"
"""The characters of the links to themselves that documentation generators put after titles."""

_TEMPLATE: Final = re.compile(r"\{\{[^{}]{0,300}\}\}|\{%[^%]{0,300}%\}|\{#[^#]{0,300}#\}")
"""What a template puts into a title: an expression, a statement or a comment, as in Jinja, Liquid,
Twig, Handlebars and Vue. A title of nothing else is kept as it is."""

_MOST_TITLE_BYTES: Final = 10_000
"""Longest heading, in bytes: a longer one was never closed and ends at its start tag."""


BLOCKS: Final = frozenset(
    b"address article aside blockquote body caption dd details div dl dt fieldset figcaption figure"
    b" footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table"
    b" tbody td tfoot th thead tr ul".split()
)
"""Elements that begin and end a paragraph when a page is read as text."""


class Token(NamedTuple):
    """A tag, an element whose content is skipped, or text.

    name: the tag's name in lower case; empty for text, `!` for comments and declarations. start,
    end: its range in bytes. content, content_end: the content of a skipped element; else 0.
    """

    name: bytes
    start: int
    end: int
    is_closing: bool = False
    content: int = 0
    content_end: int = 0


def markup(data: bytes, start: int, hidden: frozenset[bytes] = _HIDDEN) -> Iterator[Token]:
    """Yields the tags and texts of a page, in order. hidden: the elements whose content is skipped,
    in addition to the title."""
    offset, unclosed = start, set[bytes]()
    while tag := _TAG.search(data, offset):
        if tag.start() > offset:
            yield Token(b"", offset, tag.start())
        if tag["name"] and not tag["end"]:  # never closed: the rest of the file is inside it
            return
        name, offset = (tag["name"] or b"!").lower(), tag.end()
        if tag["comment"]:
            offset = _behind_comment(data, offset)
        elif (
            (name in hidden or name == b"title")
            and not tag["close"]
            and name not in unclosed
            and data[offset - 2 : offset - 1] != b"/"
        ):
            closing = _end_of(name).search(data, offset)
            if closing is not None:
                offset = closing.end()
                yield Token(name, tag.start(), offset, False, tag.end(), closing.start())
                continue
            # it hides nothing, and no later element with its name is closed either
            unclosed.add(name)
        yield Token(name, tag.start(), offset, bool(tag["close"]))
    if offset < len(data):
        yield Token(b"", offset, len(data))


@cache
def _end_of(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?i)</%b(?=[\s/>])[^>]*+>?" % name)


def _behind_comment(data: bytes, offset: int) -> int:
    if data.startswith((b">", b"->"), offset):
        return data.find(b">", offset) + 1
    end = data.find(b"-->", offset)
    return end + 3 if end >= 0 else len(data)


def read(data: bytes, start: int) -> Document:
    """Returns the sections of a page."""
    reader = _HeadingReader(data, start)
    reader.read()
    headings = reader.found
    if reader.title and not any(heading.level == 1 for heading in headings):
        headings = sorted([*headings, reader.title], key=lambda heading: heading.start)
    return _document(data, start, reader.pieces, headings)


class _PageHeading(NamedTuple):
    """A heading: from `start` to `end` with its tags, its content without."""

    level: int
    start: int
    content: int
    content_end: int
    end: int


class _HeadingReader:
    """Collects the headings and texts of a page. pieces: the texts, as (start, end, whether a word
    continues from the previous piece)."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.start = data, start
        self.pieces: list[tuple[int, int, bool]] = []
        self.found: list[_PageHeading] = []
        self.title: _PageHeading | None = None
        # the level, start and content of the open heading
        self.open: tuple[int, int, int] | None = None

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
                self.title = _PageHeading(
                    1, token.start, token.content, token.content_end, token.end
                )
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
        self.found.append(_PageHeading(level, start, content, content_end, end))


def _text(data: bytes, pieces: list[tuple[int, int, bool]]) -> str:
    parts = []
    for start, end, goes_on in pieces:
        parts.append("" if goes_on else " ")
        parts.append(data[start:end].decode("utf-8", "replace"))
    return _SPACE.sub("\n", without_references("".join(parts)).strip())


def _document(
    data: bytes, start: int, pieces: list[tuple[int, int, bool]], found_headings: list[_PageHeading]
) -> Document:
    """Assigns each piece of text to the heading that it is the title of, or that it is below."""
    headings: list[Heading] = []
    texts: list[list[tuple[int, int, bool]]] = [[]]
    ends = [start]
    n_used = 0
    for heading in found_headings:
        while n_used < len(pieces) and pieces[n_used][0] < heading.start:
            _add(texts, ends, data, pieces[n_used])
            n_used += 1
        first = n_used
        while n_used < len(pieces) and pieces[n_used][0] < heading.end:
            n_used += 1
        content = pieces[first:n_used]
        if (
            data[heading.start + 1 : heading.start + 6].lower() == b"title"
        ):  # the page's text does not include the title element
            content = [(heading.content, heading.content_end, False)]
        text = _text(data, content).rstrip(_ANCHORS)
        plain = _TEMPLATE.sub("", text)
        title = shorten_title(plain if re.search(r"\w", plain) else text)
        title = title or _described(data, heading)
        if not title:
            continue
        inner = data[heading.content : heading.content_end]
        title_start = heading.content + len(inner) - len(inner.lstrip())
        title_end = max(title_start, heading.content + len(inner.rstrip()))
        headings.append(
            Heading(
                heading.level,
                heading.start,
                heading.end,
                title_start,
                title_end,
                title,
                written(data, heading.start, heading.end),
            )
        )
        texts.append([])
        ends.append(heading.end)
    for piece in pieces[n_used:]:
        _add(texts, ends, data, piece)
    return nest(headings, [_text(data, heading) for heading in texts], ends)


def _add(
    texts: list[list[tuple[int, int, bool]]],
    ends: list[int],
    data: bytes,
    piece: tuple[int, int, bool],
) -> None:
    texts[-1].append(piece)
    if text := data[piece[0] : piece[1]].rstrip():
        ends[-1] = piece[0] + len(text)


def _described(data: bytes, heading: _PageHeading) -> str:
    """Returns the text alternatives of a heading that consists of pictures."""
    inner = data[heading.content : heading.content_end][:RAW_TITLE_BYTES].decode("utf-8", "replace")
    return shorten_title(
        without_references(" ".join(first or second for first, second in _PICTURE.findall(inner)))
    )
