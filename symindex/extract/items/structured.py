"""Reads a file of keys and values according to its extension, and finds the parts in it that a
pattern of keys names: scripts, jobs, targets."""

import codecs
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from symindex.extract.items.json_tree import parse_json
from symindex.extract.items.keyed_tree import Entry, FormatError, Mapping, Tree
from symindex.extract.items.toml_tree import parse_toml
from symindex.extract.items.yaml_tree import parse_yaml

MOST_BYTES: Final = 524_288
"""Largest file to read for its keys, in bytes: a lock file or a data set is not a list of tasks."""

_ANY_KEY: Final = "*"
_EACH_ENTRY: Final = "[]"


class KeyedPart(NamedTuple):
    """A key that a pattern matches. Positions are bytes of the file. name: the keys that the
    pattern leaves open, joined by `:`."""

    name: str
    value: Tree
    key_start: int
    key_end: int
    end: int


def read_structured(path: str, data: bytes) -> Tree:
    """Reads a file by its extension: JSON, TOML, else YAML. Raises FormatError."""
    if len(data) > MOST_BYTES:
        raise FormatError(1, f"more than {MOST_BYTES:,} bytes, so its keys are not read")
    return _parse(path[path.rfind(".") + 1 :].lower(), _text_of(data)[0])


@lru_cache(maxsize=1)
def _parse(extension: str, text: str) -> Tree:
    """Parses a text. The last one is cached, because its metadata and its parts are read one after
    the other. A tree is never changed."""
    if extension in ("json", "jsonc"):
        return parse_json(text)
    return parse_toml(text) if extension == "toml" else parse_yaml(text)


def _text_of(data: bytes) -> tuple[str, int]:
    """Returns the text that positions in trees refer to, and how many bytes of the file precede it:
    those of a byte order mark.

    A mark that was blanked looks like an indented first line, which YAML refuses if the other lines
    are not indented.
    """
    mark = len(codecs.BOM_UTF8)
    is_blanked = (
        data.startswith(b" " * mark)
        and data[mark : mark + 1].strip()
        and re.search(rb"\n[^\s#]", data) is not None
    )
    shift = mark if data.startswith(codecs.BOM_UTF8) or is_blanked else 0
    return data[shift:].decode("utf-8", "replace"), shift


def step_into(tree: Tree, key: str) -> Tree:
    return tree.get(key) if isinstance(tree, Mapping) else None


def find_parts(
    path: str, data: bytes, pattern: str, excluded: tuple[str, ...]
) -> Iterator[KeyedPart]:
    """Returns the parts that a pattern names, in the order of the file: `scripts.*` matches all
    keys below `scripts`, `jobs.[].job` the value of `job` in each entry of a list.

    excluded: globs for names that are not parts. Raises FormatError.
    """
    tree = read_structured(path, data)
    text, shift = _text_of(data)
    offsets = (
        range(len(text) + 1) if text.isascii() else list(accumulate(map(_length, text), initial=0))
    )
    limit = len(data) - shift
    for name, entry in _walk(tree, pattern.split("."), ""):
        if name and not any(fnmatchcase(name, glob) for glob in excluded):
            offset = (entry.key_start, entry.key_end, entry.end)
            start, stop, end = (
                shift + min(offsets[min(position, len(text))], limit) for position in offset
            )
            yield KeyedPart(name, entry.value, start, stop, end)


def _walk(tree: Tree, pattern: list[str], name: str) -> Iterator[tuple[str, Entry]]:
    """Yields the entries that the rest of a pattern matches, no deeper than the pattern is long."""
    key, *rest = pattern
    if key == _EACH_ENTRY:
        for element in tree if isinstance(tree, list) else ():
            yield from _walk(element, rest, name)
        return
    for entry in tree.entries if isinstance(tree, Mapping) else ():
        if key not in (_ANY_KEY, entry.key):
            continue
        names = (
            entry.key
            if key == _ANY_KEY
            else entry.value
            if not rest and isinstance(entry.value, str)
            else ""
        )
        joined = ":".join(filter(None, (name, names)))
        if rest:
            yield from _walk(entry.value, rest, joined)
        elif key == _ANY_KEY:
            yield joined, entry
        else:
            yield joined, entry._replace(value=tree)


def _length(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
