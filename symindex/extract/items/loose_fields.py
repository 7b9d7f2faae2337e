"""Reads a block that its format refuses key by key: values that can be read alone are read, the
rest is text.

People write `argument-hint: [pr] [priority]`, `description: use when: asked`, `[WIP] Makes things`,
a quote that is never closed or `name:value`, and the tools that read such files accept them.
"""

import re
from collections.abc import Callable
from textwrap import dedent
from typing import Final, NamedTuple

from symindex.extract.items.field_values import MOST_FIELDS
from symindex.extract.items.keyed_tree import MOST_DEPTH, Entry, FormatError, Mapping, Tree

_YAML_KEY: Final = re.compile(
    r"""(?P<key>[A-Za-z_][\w-]{0,60}|[A-Za-z_][\w .-]{0,60}(?=:[ ]|:$)|"[^"\n]{1,60}"|'[^'\n]{1,60}')"""  # noqa: E501
    r"""[ ]?:(?!//)(?P<value>[^\n]*)"""
)
_TOML_KEY: Final = re.compile(
    r"""(?P<key>[\w.-]{1,60}|"[^"\n]{1,60}"|'[^'\n]{1,60}')[ \t]*=(?P<value>[^\n]*)"""
)
_TABLE: Final = re.compile(r"\[\[?[ \t]*(?P<name>[\w.\"'-]{1,60})[ \t]*\]")
_FOLDED: Final = re.compile(r"[|>][-+\d]{0,2}\s*\Z")
_ITEM: Final = re.compile(r"[ ]*-[ ]+(?P<value>[^\n]*)\Z")

AS_DOCUMENTED: Final = re.compile(r"\*|\[[^\[\]\n]*\][ \t]*[^\s#]")
"""Globs and argument hints, which agents' own pages write without quotes. Nobody is told to repair
them."""


class Loose(NamedTuple):
    """tree: the keys that were found. odd: the values that were kept as written."""

    tree: Mapping
    odd: list[str]


class _KeyPiece(NamedTuple):
    """A key with everything that belongs to it. value: the text after it on its line. rest: the
    lines after that."""

    key: str
    value: str
    rest: list[str]

    @property
    def text(self) -> str:
        return "\n".join([self.value.strip(), *(line.strip() for line in self.rest)]).strip()


def read_yaml_loosely(text: str, parse: Callable[[str], Tree], depth: int = 0) -> Loose | None:
    """Returns the fields of a block that `parse` refuses; `None` if it has no keys. Reads the first
    200 keys."""
    text = _untabbed(text)
    entries: list[Entry] = []
    odd: list[str] = []
    for piece in _pieces(text, _YAML_KEY):
        try:
            tree = parse("\n".join([f"{piece.key}: {piece.value.strip()}", *piece.rest]))
        except FormatError:
            tree = None
        if isinstance(tree, Mapping) and len(tree.entries) == 1:
            entries += tree.entries
            continue
        inner = dedent("\n".join(piece.rest))
        below = (
            read_yaml_loosely(inner, parse, depth + 1)
            if not piece.value.strip() and depth < MOST_DEPTH
            else None
        )
        if below is not None:
            entries.append(Entry(_bare(piece.key), below.tree))
            odd += below.odd
        else:
            entries.append(Entry(_bare(piece.key), _as_written(piece)))
            odd.append(piece.text)
    return Loose(Mapping(entries), odd) if entries else None


def read_toml_loosely(text: str, parse: Callable[[str], Tree]) -> Loose | None:
    """Reads TOML like `read_yaml_loosely`; the keys of a table are below the table's name."""
    entries: list[Entry] = []
    odd: list[str] = []
    table = ""
    for part in re.split(r"^(?=\[)", text, flags=re.MULTILINE)[: MOST_FIELDS + 1]:
        if match := _TABLE.match(part):
            table = f"{_bare(match['name'])}."
        for piece in _pieces(part, _TOML_KEY)[: MOST_FIELDS + 1 - len(entries)]:
            try:
                tree = parse("\n".join([f"{piece.key} = {piece.value.strip()}", *piece.rest]))
            except FormatError:
                tree = None
            if isinstance(tree, Mapping):
                entries += [entry._replace(key=table + entry.key) for entry in tree.entries]
            else:
                entries.append(Entry(table + _bare(piece.key), _unquoted(piece.text)))
                odd.append(piece.text)
    return Loose(Mapping(entries), odd) if entries else None


def read_json_loosely(text: str, parse_yaml: Callable[[str], Tree]) -> Loose | None:
    """Reads JSON loosely: as YAML, which accepts more than JSON, or else the outermost keys, one a
    line."""
    try:
        tree = parse_yaml(text)
    except FormatError:
        tree = None
    if isinstance(tree, Mapping) and tree.entries:
        return Loose(tree, [text])
    inner = text.strip().removeprefix("{").removesuffix("}")
    lines = [line.rstrip().removesuffix(",") for line in dedent(inner).strip("\n").split("\n")]
    loose = read_yaml_loosely("\n".join(lines), parse_yaml)
    return Loose(loose.tree, [text]) if loose is not None else None


def _untabbed(text: str) -> str:
    """Replaces leading tabs with blanks. A key after a tab is below the key above it if that has no
    value."""
    lines: list[str] = []
    is_whole = True
    for line in text.split("\n"):
        bare = line.lstrip(" \t")
        if "\t" in line[: len(line) - len(bare)]:
            line = (
                bare
                if is_whole and _YAML_KEY.match(bare)
                else line[: len(line) - len(bare)].replace("\t", "  ") + bare
            )
        match = _YAML_KEY.match(line)
        is_whole = bool(
            match and match["value"].strip() and not _FOLDED.match(match["value"].strip())
        )
        lines.append(line)
    return "\n".join(lines)


def _pieces(text: str, key: re.Pattern[str]) -> list[_KeyPiece]:
    """Returns the first keys at the margin, each with the lines up to the next."""
    pieces: list[_KeyPiece] = []
    for line in text.split("\n"):
        if (match := key.match(line)) is not None:
            if len(pieces) > MOST_FIELDS:
                break
            pieces.append(_KeyPiece(match["key"].strip(), match["value"], []))
        elif pieces and not line.startswith("#"):
            pieces[-1].rest.append(line)
    return pieces


def _as_written(piece: _KeyPiece) -> Tree:
    """Reads the value of a key without YAML's rules: lists by their items, long texts by their
    lines."""
    value = piece.value.strip()
    lines = [line for line in piece.rest if line.strip()]
    if not value and lines and all(_ITEM.match(line) for line in lines):
        return [_unquoted(match["value"]) for line in lines if (match := _ITEM.match(line))]
    if _FOLDED.match(value):
        return dedent("\n".join(piece.rest)).strip()
    return _unquoted(" ".join(piece.text.split()))


def _unquoted(text: str) -> str:
    """Removes the quotes around a text; the second may be missing."""
    text = text.strip()
    if text[:1] not in ("'", '"'):
        return text
    is_around = text.endswith(text[0]) or text.count(text[0]) == 1
    return text[1:].removesuffix(text[0]) if is_around else text


def _bare(key: str) -> str:
    return key.strip("\"'")
