"""Reads front matter: the metadata that a document begins with, between two lines that separate it
from the text.

    ---              +++              {                ```yaml
    title: Search    title = "Search"   "title": "…"   title: Search
    ---              +++              }                ```

The first line of dashes may end with `json`, `toml` or `yaml`. Comments with the file's signature
or licence may come first. All of it may be a stranger's: a block that is broken or never ends gives
no fields, and a line that says what to repair.
"""

import codecs
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from symindex.extract.items.field_values import flatten, names_in
from symindex.extract.items.item import Value
from symindex.extract.items.json_tree import parse_json, parse_json_at
from symindex.extract.items.keyed_tree import FormatError, Mapping, Tree
from symindex.extract.items.loose_fields import (
    AS_DOCUMENTED,
    Loose,
    read_json_loosely,
    read_toml_loosely,
    read_yaml_loosely,
)
from symindex.extract.items.toml_tree import parse_toml
from symindex.extract.items.yaml_tree import parse_yaml

MOST_BYTES: Final = 65_536
"""Largest block to read, in bytes."""


class FrontMatter(NamedTuple):
    """The front matter of a file.

    start, end: the range of the block with the lines around it; the content begins at `end`. Both
    are 0 if there is no block. fields: by name, nested ones joined by dots; if the format refuses
    the block, those that can be read key by key (`loose_fields`). authors: the names in `author`
    and `authors`, which may be mappings. problem: one line that names a line of the file and the
    remedy.
    """

    fields: dict[str, Value]
    start: int = 0
    end: int = 0
    problem: str = ""
    authors: str = ""


_NONE: Final = FrontMatter({})

_BEFORE: Final = re.compile(
    rb"(?:[ \t\r\n]++|<!--(?:[^-]++|-(?!->)){0,4096}+-->|\{/\*(?:[^*]++|\*(?!/)){0,4096}+\*/\}"
    rb"|(?:\#|//)[^\n]{0,500}\bsigned:[^\n]{0,1000}\n){0,8}+"
)
"""What may come before the block: blank lines, comments of HTML and MDX, a signature in a comment
of another language."""

_OPENING: Final = re.compile(
    rb"(?:(?P<fence>---|\+\+\+)(?:[ \t]*(?P<named>ya?ml|toml|json)\b)?|(?P<ticks>`{3,})[ \t]*(?P<word>ya?ml|toml|json))"  # noqa: E501
    rb"[ \t]*\r?\n"
)

_CLOSING: Final = {
    b"---": re.compile(rb"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE),
    b"+++": re.compile(rb"^\+\+\+[ \t]*\r?$", re.MULTILINE),
    b"`": re.compile(rb"^`{3,}[ \t]*\r?$", re.MULTILINE),
}

_LOOKS_LIKE_A_KEY: Final = re.compile(rb"\s*(?:\#[^\n]*\n\s*)*[A-Za-z_\"'][\w .\"'-]{0,60}[:=]")

_BRACE: Final = re.compile(rb'\{[ \t]*\r?\n\s*"')
_CLOSING_BRACE: Final = re.compile(rb"^\}[ \t]*\r?$", re.MULTILINE)

KNOWN: Final = frozenset({"id", "name", "title", "description", "version", "category", "tags"})
"""A code block at the beginning of a document is metadata if it contains one of these keys;
otherwise it is an example."""


def read_front_matter(data: bytes) -> FrontMatter:
    """Reads the front matter of a file in UTF-8. Never raises, whatever the bytes; takes
    milliseconds."""
    preamble = _BEFORE.match(data, _first(data))
    start = preamble.end() if preamble is not None else 0
    opening = _OPENING.match(data, start)
    if opening is None:
        return _read_brace(data, start) if _BRACE.match(data, start) else _NONE
    is_example = opening["ticks"] is not None
    closing = _CLOSING[b"`" if is_example else opening["fence"]].search(data, opening.end())
    if closing is None:
        if is_example or not _LOOKS_LIKE_A_KEY.match(data[opening.end() : opening.end() + 1_000]):
            return _NONE  # a thematic break, or code
        fence, line = opening["fence"].decode(), data.count(b"\n", 0, start) + 1
        return FrontMatter(
            {},
            0,
            0,
            f"front matter, line {line}: never closed: add a line `{fence}` after it",
        )
    end = closing.end() + (data[closing.end() : closing.end() + 1] == b"\n")
    block = data[opening.end() : closing.start()]
    line = data.count(b"\n", 0, opening.end())
    if len(block) > MOST_BYTES:
        problem = (
            f"front matter, line {line}: more than {MOST_BYTES:,} bytes: move long values"
            " below the front matter"
        )
        return _NONE if is_example else FrontMatter({}, start, end, problem)
    word = (
        opening["word"] or opening["named"] or {b"---": b"yaml", b"+++": b"toml"}[opening["fence"]]
    )
    return _read_block(block, word, start, end, line, is_example)


def _first(data: bytes) -> int:
    """Returns the start of a text after a byte order mark, which may have been blanked."""
    mark = len(codecs.BOM_UTF8)
    return mark if data.startswith((codecs.BOM_UTF8, b" " * mark)) else 0


def _read_block(
    block: bytes, word: bytes, start: int, end: int, line: int, is_example: bool
) -> FrontMatter:
    """Reads the fields of a block. line: how many lines of the file come before it."""
    parse = _PARSERS.get(word, parse_yaml)
    text = block.decode("utf-8", "replace").replace("\r\n", "\n")
    odd = ""
    try:
        tree = parse(text)
        if _UNSPACED.fullmatch(text) and (loose := _read_loosely(text, parse)) is not None:
            tree = loose.tree
    except FormatError as error:
        problem = f"front matter, line {line + error.line}: {error.reason}"
        loose = _read_loosely(text, parse)
        if loose is None or is_example:
            return _NONE if is_example else FrontMatter({}, start, end, problem)
        tree = loose.tree
        odd = "" if loose.odd and all(map(AS_DOCUMENTED.match, loose.odd)) else problem
    if not isinstance(tree, Mapping):
        # Any text may be between two thematic breaks.
        return FrontMatter({}, start, end) if tree is None and not is_example else _NONE
    if is_example and KNOWN.isdisjoint(entry.key for entry in tree.entries):
        return _NONE
    return _made(tree, start, end, line, odd)


_PARSERS: Final[dict[bytes, Callable[[str], Tree]]] = {b"toml": parse_toml, b"json": parse_json}


_UNSPACED: Final = re.compile(r"(?:[a-z][\w-]{0,60}:(?!//)\S[^\n]{0,2000}\n)++")
"""A block without a blank after any key: for YAML it is one long text."""


def _read_loosely(text: str, parse: Callable[[str], Tree]) -> Loose | None:
    if parse is parse_yaml:
        return read_yaml_loosely(text, parse)
    return (
        read_toml_loosely(text, parse)
        if parse is parse_toml
        else read_json_loosely(text, parse_yaml)
    )


def _read_brace(data: bytes, start: int) -> FrontMatter:
    text = data[start : start + MOST_BYTES].decode("utf-8", "replace")
    line = data.count(b"\n", 0, start)
    try:
        tree, offset = parse_json_at(text, 0)
    except FormatError as error:
        closing = _CLOSING_BRACE.search(data, start, start + MOST_BYTES)
        problem = f"front matter, line {line + error.line}: {error.reason}"
        if closing is None:
            return _NONE if len(data) - start > MOST_BYTES else FrontMatter({}, 0, 0, problem)
        loose = read_json_loosely(
            data[start : closing.end()].decode("utf-8", "replace").replace("\r\n", "\n"), parse_yaml
        )
        end = closing.end() + (data[closing.end() : closing.end() + 1] == b"\n")
        return (
            _made(loose.tree, start, end, line, problem)
            if loose is not None
            else FrontMatter({}, 0, 0, problem)
        )
    rest = re.compile(rb"[ \t]*\r?\n|").match(data, start + len(text[:offset].encode()))
    return _made(tree, start, rest.end() if rest is not None else start, line)


def _made(tree: Tree, start: int, end: int, line: int, odd: str = "") -> FrontMatter:
    """odd: the problem of a block that was read anyway."""
    fields, cut = flatten(tree)
    problem = odd or (f"front matter, line {line}: {cut}" if cut else "")
    authors = ""
    if isinstance(tree, Mapping):
        authors = names_in(tree.get("author")) or names_in(tree.get("authors"))
    return FrontMatter(fields, start, end, problem, authors)
