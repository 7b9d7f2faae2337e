"""Converts added content to text: decodes it, and turns HTML, JSON and PDF into Markdown."""

import codecs
import io
import logging
import re
from typing import Final, NamedTuple

import msgspec

from symindex.errors import RequestError
from symindex.extract.documents.formats import load_formats
from symindex.extract.documents.html import BLOCKS, markup
from symindex.text.entities import without_references
from symindex.text.escaping import shorten

MOST_BYTES: Final = 50_000_000

_HEAD: Final = 2_000
_OF_TYPE: Final = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/json": "json",
    "text/markdown": "markdown",
}
_OF_CHARSET: Final = re.compile(rb"charset\s*+=\s*+[\"']?([\w-]+)", re.IGNORECASE)
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_NO_CHARSETS: Final = frozenset(
    {
        "idna",
        "punycode",
        "unicode_escape",
        "raw_unicode_escape",
        "utf-7",
        "mbcs",
        "oem",
        "undefined",
    }
)
"""Python codecs that do not encode text files. Some of them take quadratic time."""

_HTML: Final = re.compile(
    r"\s*+(?:<!--(?:[^-]++|-(?!->))*+-->\s*+)*+<(?:!doctype html|html|head|body)\b", re.IGNORECASE
)


class ReadContent(NamedTuple):
    """text: in UTF-8. format_id: an id of `documents/formats`, for its headings. title: its own
    title; empty if it has none."""

    text: bytes
    format_id: str
    title: str = ""


def to_text(data: bytes, name: str, content_type: str = "") -> ReadContent:
    """Converts what was added to text.

    name: the file name, whose extension tells the format. content_type: that of an HTTP response,
    which takes precedence. Raises RequestError if the data is not text.
    """
    if len(data) > MOST_BYTES:
        raise RequestError(
            f"{shorten(name, 80)}: {len(data):,} bytes: at most {MOST_BYTES:,} can be added;"
            " divide it"
        )
    if data.startswith(PDF):
        return _of_pdf(data, name)
    text = _decode(data, name, content_type)
    kind = _OF_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    base = name.replace("\\", "/").rpartition("/")[2]
    format_id = (
        kind or load_formats().of(base) or ("json" if base.lower().endswith(".json") else "")
    )
    if format_id == "html" or (not format_id and _HTML.match(text[:_HEAD])):
        return _of_html(text)
    if format_id == "json" and (read := _of_json(text)) is not None:
        return read
    is_known = (
        bool(format_id) and bool(load_formats().by_id[format_id].reader)
        if format_id != "json"
        else False
    )
    return ReadContent(
        text.encode(),
        format_id if is_known else "markdown" if not format_id and "." not in base else "text",
    )


PDF: Final = b"%PDF-"
MOST_PAGES: Final = 5_000
MOST_TEXT: Final = 20_000_000
"""Most characters of a PDF."""


def _of_pdf(data: bytes, name: str) -> ReadContent:
    """Extracts the text of a PDF, each page under a heading."""
    try:
        import pypdf  # imported here because it is an extra
    except ImportError:
        raise RequestError(
            f"{shorten(name, 80)}: is PDF, which needs an extra: pip install pypdf"
        ) from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every oddity of a file
    lines, n_read = [], 0
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        title = str((reader.metadata.title if reader.metadata is not None else "") or "")
        for number, page in enumerate(reader.pages, 1):
            text = page.extract_text()
            n_read += len(text)
            if number > MOST_PAGES or n_read > MOST_TEXT:
                limits = f"{MOST_PAGES:,} pages and {MOST_TEXT:,} characters"
                raise RequestError(
                    f"{shorten(name, 80)}: at most {limits} of a PDF are read; divide it"
                )
            lines += [
                f"# Page {number}",
                "",
                *(" " + line if line.startswith("#") else line for line in text.splitlines()),
                "",
            ]
    except (RequestError, MemoryError):
        raise
    except Exception as error:  # pypdf has no common error for damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RequestError(
            f"{shorten(name, 80)}: is damaged, or not read by pypdf: {shorten(reason, 200)}"
        ) from None
    if not n_read:
        raise RequestError(f"{shorten(name, 80)}: this PDF has no text, only pictures of it")
    return ReadContent("\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown", title)


def _decode(data: bytes, name: str, content_type: str) -> str:
    declared = _OF_CHARSET.search(content_type.encode("ascii", "replace")) or _OF_CHARSET.search(
        data[:_HEAD]
    )
    marked = [mark for prefix, mark in _MARKS if data.startswith(prefix)]
    if not marked and b"\0" in data:
        raise RequestError(
            f"{shorten(name, 80)}: is binary: only text, Markdown, JSON, HTML and PDF can be added"
        )
    for encoding in (
        *marked,
        "utf-8",
        declared[1].decode("ascii") if declared else "latin-1",
        "latin-1",
    ):
        try:
            if codecs.lookup(encoding).name in _NO_CHARSETS:
                continue
            text = data.decode(encoding)
        except (LookupError, ValueError):
            continue
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    raise AssertionError("latin-1 decodes anything")


_DROPPED: Final = frozenset(
    {b"script", b"style", b"noscript", b"template", b"svg", b"iframe", b"object"}
)
"""Elements without text for readers."""

_MARK_OF: Final = {b"li": "- ", **{b"h%d" % level: "#" * level + " " for level in range(1, 7)}}


def _of_html(text: str) -> ReadContent:
    """Converts the headings, paragraphs, lists and code blocks of a page to Markdown.

    Tags are not nested into a tree: a block ends where any other begins or ends, and its mark goes
    to the first text after it. So markup that is left open, or closed without being open, takes no
    more time than correct markup.
    """
    data = text.encode()
    lines: list[str] = []
    pieces: list[str] = []
    title, mark, is_verbatim = "", "", False

    def end_block() -> None:
        nonlocal mark
        joined = without_references("".join(pieces))
        pieces.clear()
        if is_verbatim and joined.strip():
            lines.append(_fenced(joined.strip("\n")))
        elif folded := " ".join(joined.split()):
            lines.append(mark + folded)
            mark = ""

    for token in markup(data, 0, _DROPPED):
        if not token.name:
            pieces.append(data[token.start : token.end].decode("utf-8", "replace"))
        elif token.content_end:
            if token.name == b"title":
                title = title or " ".join(
                    without_references(
                        data[token.content : token.content_end].decode("utf-8", "replace")
                    ).split()
                )
        elif token.name == b"br":
            pieces.append("\n")
        elif is_verbatim and (token.name != b"pre" or not token.is_closing):
            continue
        elif token.name in BLOCKS:
            end_block()
            is_verbatim = token.name == b"pre" and not token.is_closing
            if token.name in _MARK_OF:
                mark = "" if token.is_closing else _MARK_OF[token.name]
    end_block()
    return ReadContent("\n\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown", title)


def _fenced(text: str, word: str = "") -> str:
    """Puts code into a fence that nothing in the code closes."""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence}{word}\n{text}\n{fence}"


_DEPTH: Final = 6
"""How many levels of keys divide JSON into parts."""

_SMALL: Final = 3_000
"""Largest part of JSON that is not divided, in characters."""

_MOST_PARTS: Final = 1_000
"""Most entries of a JSON object or list that become parts of their own; one with more stays
whole."""

_MOST_INDENTED: Final = 20
"""Deepest level of JSON to indent. Deeper parts keep the layout of the file, because indentation
would outgrow them."""

_MOST_INDENTED_BYTES: Final = 1_000_000
"""Largest part of JSON to indent, in bytes."""

_BRACKET: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"|([\[{])|([\]}])', re.DOTALL)


def _of_json(text: str) -> ReadContent | None:
    """Converts JSON to parts under the paths of their keys; returns `None` if the text is not
    JSON."""
    lines: list[str] = []
    try:
        _add_parts(bytes(msgspec.json.decode(text, type=msgspec.Raw)), "", 0, lines)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return ReadContent("\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown")


def _add_parts(written: bytes, path: str, depth: int, lines: list[str]) -> None:
    """Adds the parts of a value. written: its JSON text, unchanged. Each of the few levels scans
    the text once."""
    parts = _parts(written) if depth < _DEPTH and (len(written) > _SMALL or not depth) else []
    if not parts:
        heading = " ".join(path.split()) or "(all)"
        lines += [f"# {shorten(heading, 150)}", "", _fenced(_indented(written), "json"), ""]
        return
    for key, part in parts:
        _add_parts(
            bytes(part), shorten(f"{path}.{key}" if path else key, _LONGEST_PATH), depth + 1, lines
        )


_LONGEST_PATH: Final = 1_000
"""Longest path of keys above a part of JSON, in characters."""


def _parts(written: bytes) -> list[tuple[str, msgspec.Raw]]:
    """Returns the entries of an object or a list with their keys; an empty list if there are too
    many, or the value is neither."""
    if written.startswith(b"{"):
        entries = msgspec.json.decode(written, type=dict[str, msgspec.Raw])
        return [*entries.items()] if len(entries) <= _MOST_PARTS else []
    if written.startswith(b"["):
        listed = msgspec.json.decode(written, type=list[msgspec.Raw])
        return (
            [(str(number), part) for number, part in enumerate(listed)]
            if len(listed) <= _MOST_PARTS
            else []
        )
    return []


def _indented(written: bytes) -> str:
    depth = deepest = 0
    if len(written) <= _MOST_INDENTED_BYTES:
        for bracket in _BRACKET.finditer(written):
            depth += (bracket[1] is not None) - (bracket[2] is not None)
            deepest = max(deepest, depth)
        if deepest <= _MOST_INDENTED:
            return msgspec.json.format(written, indent=2).decode()
    return written.decode()
