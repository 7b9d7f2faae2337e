"""Turns a tree of keys and values into the fields of an item: flat, bounded, and of types that an
index and a JSON document can contain."""

import json
from collections.abc import Iterator
from typing import Final

from symindex.errors import shown
from symindex.extract.items.item import Value
from symindex.extract.items.keyed_tree import Entry, Mapping, Tree

MOST_FIELDS: Final = 200
MOST_CHARACTERS: Final = 10_000
"""Longest text, in characters."""
MOST_ENTRIES: Final = 200
"""Most entries of a list."""
LONGEST_KEY: Final = 200
"""Longest key with the keys around it, in characters. A value with a longer one is not metadata."""


def flatten(tree: Tree) -> tuple[dict[str, Value], str]:
    """Returns the fields of a mapping, and a line that says what was left out; the line is usually
    empty.

    A nested value is stored under its keys joined by dots; inside a list it becomes JSON text. Keys
    without a value are left out.
    """
    fields: dict[str, Value] = {}
    cut: list[str] = []
    if isinstance(tree, Mapping):
        for key, value in _leaves(tree, ""):
            names = _value(value, key, cut)
            if names is None:
                continue
            if len(key) > LONGEST_KEY:
                cut.append(f"`{key[:50]}…` is longer than {LONGEST_KEY} characters: left out")
                continue
            if len(fields) == MOST_FIELDS and key not in fields:
                cut.append(f"more than {MOST_FIELDS} fields: the first ones are kept")
                break
            fields[key] = names
    return fields, "; ".join(cut[:3])


def as_text(value: Value) -> str:
    """Converts a single value to text; joins the entries of a list with commas."""
    if isinstance(value, list):
        return ", ".join(as_text(entry) for entry in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def cut_text(text: str, limit: int = MOST_CHARACTERS) -> str:
    """Cuts a text to bounded length and removes surrogates."""
    return shown(text if len(text) <= limit else text[: limit - 1] + "…")


def _leaves(tree: Mapping, prefix: str) -> Iterator[tuple[str, Tree]]:
    for entry in tree.entries:
        key = shown(prefix + " ".join(entry.key.split()))
        if not key or key.endswith("."):
            continue
        if isinstance(entry.value, Mapping):
            yield from _leaves(entry.value, f"{key}.")
        else:
            yield key, entry.value


def _value(tree: Tree, key: str, cut: list[str]) -> Value | None:
    if isinstance(tree, list):
        entries = [entry for entry in tree if entry is not None]
        if len(entries) > MOST_ENTRIES:
            cut.append(
                f"`{key[:50]}` has more than {MOST_ENTRIES} entries: the first ones are kept"
            )
        return [_entry(entry) for entry in entries[:MOST_ENTRIES]] or None
    if isinstance(tree, str) and len(tree) > MOST_CHARACTERS:
        cut.append(
            f"`{key[:50]}` has more than {MOST_CHARACTERS:,} characters: the first ones are kept"
        )
    return _entry(tree) if tree is not None else None


def _entry(tree: Tree) -> str | int | float | bool:
    if isinstance(tree, str):
        return cut_text(tree)
    if isinstance(tree, bool | int | float):
        return tree
    return cut_text(json.dumps(_plain(tree), ensure_ascii=False))


def _plain(tree: Tree) -> object:
    if isinstance(tree, Mapping):
        return {entry.key: _plain(entry.value) for entry in tree.entries}
    return [_plain(element) for element in tree] if isinstance(tree, list) else tree


def names_in(tree: Tree) -> str:
    """Returns the names in a value of `author`: a text, a mapping with a name, or a list of
    these."""
    if isinstance(tree, list):
        return cut_text(", ".join(filter(None, map(names_in, tree[:MOST_ENTRIES]))))
    if isinstance(tree, Mapping):
        name = next((entry for entry in tree.entries if entry.key == "name"), Entry("", None))
        return names_in(name.value)
    return "" if tree is None else cut_text(as_text(tree))
