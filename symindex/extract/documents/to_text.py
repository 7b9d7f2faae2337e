"""Whatever is added by hand -> text: decoded, and of HTML and JSON what a reader wants of it, as Markdown."""

import io
import logging
import re
import time
from typing import Any, Final, NamedTuple

import msgspec

from symindex.errors import RequestError
from symindex.extract.documents.formats import load_formats
from symindex.text.escaping import shorten

MOST_BYTES: Final = 50_000_000

_HEAD: Final = 2_000
_OF_TYPE: Final = {
    "text/html": "html", "application/xhtml+xml": "html", "application/json": "json", "text/markdown": "markdown",
}  # fmt: skip
_OF_CHARSET: Final = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_HTML: Final = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


class ReadContent(NamedTuple):
    """text: in UTF-8. format_id: of `documents/formats`, for its headings. title: what it calls itself; empty if it does not."""

    text: bytes
    format_id: str
    title: str = ""


def to_text(data: bytes, name: str, content_type: str = "") -> ReadContent:
    """The text of what was added. name: of its file, whose ending tells the format. content_type: of an HTTP answer, which tells
    it sooner. Raises RequestError for what is no text."""
    if len(data) > MOST_BYTES:
        raise RequestError(f"{shorten(name, 80)}: {len(data):,} bytes: at most {MOST_BYTES:,} can be added; divide it")
    if data.startswith(PDF):
        return _of_pdf(data, name)
    text = _decode(data, name, content_type)
    kind = _OF_TYPE.get(content_type.partition(";")[0].strip().lower(), "")
    base = name.replace("\\", "/").rpartition("/")[2]
    format_id = kind or load_formats().of(base) or ("json" if base.lower().endswith(".json") else "")
    if format_id == "html" or (not format_id and _HTML.match(text[:_HEAD])):
        return _of_html(text)
    if format_id == "json" and (read := _of_json(text)) is not None:
        return read
    is_known = bool(format_id) and bool(load_formats().by_id[format_id].reader) if format_id != "json" else False
    return ReadContent(text.encode(), format_id if is_known else "markdown" if not format_id and "." not in base else "text")


PDF: Final = b"%PDF-"
MOST_PAGES: Final = 5_000
MOST_TEXT: Final = 20_000_000
"""Characters of a PDF."""

PDF_SECONDS: float = 60.0


def _of_pdf(data: bytes, name: str) -> ReadContent:
    """The text of a PDF, each page under a heading."""
    try:
        import pypdf  # here, because it is an extra
    except ImportError:
        raise RequestError(f"{shorten(name, 80)}: is PDF, which needs an extra: pip install 'symindex[pdf]'") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every oddity of a file
    until, lines, n_read = time.monotonic() + PDF_SECONDS, [], 0
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        title = str((reader.metadata.title if reader.metadata is not None else "") or "")
        for number, page in enumerate(reader.pages, 1):
            text = page.extract_text()
            n_read += len(text)
            if number > MOST_PAGES or n_read > MOST_TEXT or time.monotonic() > until:
                limits = f"{MOST_PAGES:,} pages, {MOST_TEXT:,} characters and {PDF_SECONDS:g} s"
                raise RequestError(f"{shorten(name, 80)}: at most {limits} of a PDF are read; divide it")
            lines += [f"# Page {number}", "", *(" " + line if line.startswith("#") else line for line in text.splitlines()), ""]
    except RequestError:
        raise
    except Exception as error:  # its parser has no one error for what is damaged
        told = " ".join(str(error).split()) or type(error).__name__
        raise RequestError(f"{shorten(name, 80)}: is damaged, or not read by pypdf: {shorten(told, 200)}") from None
    if not n_read:
        raise RequestError(f"{shorten(name, 80)}: this PDF has no text, only pictures of it")
    return ReadContent("\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown", title)


def _decode(data: bytes, name: str, content_type: str) -> str:
    declared = _OF_CHARSET.search(content_type.encode("ascii", "replace")) or _OF_CHARSET.search(data[:_HEAD])
    named = [mark for prefix, mark in _MARKS if data.startswith(prefix)]
    if not named and b"\0" in data:
        raise RequestError(f"{shorten(name, 80)}: is binary: only text, Markdown, JSON, HTML and PDF can be added")
    for encoding in (*named, "utf-8", declared[1].decode("ascii") if declared else "latin-1", "latin-1"):
        try:
            text = data.decode(encoding)
        except (LookupError, ValueError):
            continue
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()
    raise AssertionError("latin-1 decodes anything")


_BLOCK_TAGS: Final = """
address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header
hr html li main nav ol p pre section summary table tbody td tfoot th thead tr ul
"""
_BLOCKS: Final = frozenset(_BLOCK_TAGS.split())
_DROPPED: Final = ["script", "style", "noscript", "template", "svg", "iframe", "object", "head"]
_MARK_OF: Final = {"li": "- ", **{f"h{level}": "#" * level + " " for level in range(1, 7)}}


_MOST_DEPTH: Final = 3_000
"""The parser's time grows with the square of it."""

_TAG: Final = re.compile(r"<(/?)([a-zA-Z][\w-]*)")

_NOT_NESTING_TAGS: Final = """
area base br col dd dt embed hr img input li link meta optgroup option p param rp rt source tbody td tfoot th thead tr track wbr
"""
_NOT_NESTING: Final = frozenset(_NOT_NESTING_TAGS.split())
"""Tags that hold nothing, or that the next one ends."""


def _check_depth(text: str) -> None:
    depth = 0
    for tag in _TAG.finditer(text):
        if tag[2].lower() not in _NOT_NESTING:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > _MOST_DEPTH:
                raise RequestError(f"HTML with tags inside {_MOST_DEPTH:,} others: is it damaged? Add it as text instead")


def _of_html(text: str) -> ReadContent:
    """Headings, paragraphs, lists and code blocks of a page, as Markdown."""
    from selectolax.lexbor import LexborHTMLParser  # here, because few sources are pages

    _check_depth(text)
    tree = LexborHTMLParser(text)
    title = " ".join((found.text() if (found := tree.css_first("title")) is not None else "").split())
    tree.strip_tags(_DROPPED)
    block_of: dict[int, tuple[int, str]] = {}
    pieces: list[tuple[tuple[int, str], list[str]]] = []
    for node in tree.root.traverse(include_text=True) if tree.root is not None else ():
        parent = node.parent
        above = block_of.get(parent.mem_id, (0, "")) if parent is not None else (0, "")
        if node.is_text_node:
            if not pieces or pieces[-1][0] != above:
                pieces.append((above, []))
            pieces[-1][1].append(node.text_content or "")
        else:
            tag = node.tag or ""
            block_of[node.mem_id] = above if tag not in _BLOCKS or above[1] == "pre" else (node.mem_id, tag)
            if tag == "br" and pieces:
                pieces[-1][1].append("\n")
    marked: set[int] = set()
    lines = []
    for (block, tag), texts in pieces:
        joined = "".join(texts)
        if tag == "pre":
            fence = "`" * max(3, max(map(len, re.findall("`+", joined)), default=0) + 1)
            lines.append(f"{fence}\n{joined.strip(chr(10))}\n{fence}")
        elif folded := " ".join(joined.split()):
            lines.append(("" if block in marked else _MARK_OF.get(tag, "")) + folded)
            marked.add(block)
    return ReadContent("\n\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown", title)


_DEPTH: Final = 6
_SMALL: Final = 3_000


def _of_json(text: str) -> ReadContent | None:
    """The parts of a document under the paths of their keys; `None` for what is no JSON."""
    try:
        value = msgspec.json.decode(text)
        lines: list[str] = []
        _add_parts(value, "", 0, lines)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None
    return ReadContent("\n".join(lines).encode("utf-8", "replace") + b"\n", "markdown")


def _add_parts(value: Any, path: str, depth: int, lines: list[str]) -> None:
    written = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not parts or depth >= _DEPTH or (len(written) <= _SMALL and depth):
        fence = "`" * max(3, max(map(len, re.findall("`+", written)), default=0) + 1)
        heading = " ".join(path.split()) or "(all)"
        lines += [f"# {shorten(heading, 150)}", "", f"{fence}json", written, fence, ""]
        return
    for key, part in parts:
        _add_parts(part, f"{path}.{key}" if path else str(key), depth + 1, lines)
