"""Reads JSON into a tree of keys and values. Allows comments and trailing commas, like the tools
that read such files."""

import json
import re
from typing import Final

from symindex.extract.items.keyed_tree import (
    MOST_DEPTH,
    MOST_NODES,
    Entry,
    FormatError,
    Mapping,
    Tree,
    line_at,
    number_of,
    too_deep,
    too_many,
)

_TOKEN: Final = re.compile(
    r"(?:[ \t\r\n]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
    r"(?:(?P<text>\"(?:[^\"\\\n]++|\\.)*+\")|(?P<mark>[{}\[\],:])|(?P<word>[\w.+-]++))"
)
_WORDS: Final[dict[str, Tree]] = {"true": True, "false": False, "null": None}
_REMEDY: Final = 'write `"key": value` pairs with commas between them, inside of braces'


def parse_json(text: str) -> Tree:
    """Reads the value that a text begins with. Raises FormatError."""
    return parse_json_at(text, 0)[0]


def parse_json_at(text: str, offset: int) -> tuple[Tree, int]:
    """Reads the value at a position; also returns its end. Raises FormatError."""
    # For each open list or mapping: its values, and for a mapping the key that waits for its value.
    stack: list[tuple[list[Tree], list[Entry] | None]] = []
    keys: list[tuple[str, int, int] | None] = []
    n_nodes = 0
    while True:
        token = _TOKEN.match(text, offset)
        if token is None:
            raise FormatError(line_at(text, offset), f"not JSON; {_REMEDY}")
        offset = token.end()
        mark = token["mark"]
        if mark in ("{", "["):
            if len(stack) >= MOST_DEPTH:
                raise too_deep(line_at(text, offset))
            stack.append(([], [] if mark == "{" else None))
            keys.append(None)
            continue
        if mark in (",", ":"):
            if not stack:
                raise FormatError(line_at(text, offset), f"not JSON; {_REMEDY}")
            continue
        value: Tree
        if mark in ("}", "]"):
            if not stack or (stack[-1][1] is not None) != (mark == "}"):
                raise FormatError(
                    line_at(text, offset), f"a `{mark}` that closes nothing; {_REMEDY}"
                )
            items, entries = stack.pop()
            keys.pop()
            value = items if entries is None else Mapping(entries)
        else:
            value = _scalar(text, token)
        n_nodes += 1
        if n_nodes > MOST_NODES:
            raise too_many(line_at(text, offset))
        if not stack:
            return value, offset
        items, entries = stack[-1]
        waiting = keys[-1]
        if entries is None:
            items.append(value)
        elif waiting is None:
            if not isinstance(value, str):
                raise FormatError(line_at(text, offset), f"a key without quotes; {_REMEDY}")
            keys[-1] = value, token.start(token.lastgroup or 0), offset
        else:
            entries.append(Entry(waiting[0], value, waiting[1], waiting[2], offset))
            keys[-1] = None


def _scalar(text: str, token: re.Match[str]) -> Tree:
    word = token["word"]
    if word is None:
        try:
            return str(json.loads(token["text"], strict=False))
        except ValueError:
            raise FormatError(
                line_at(text, token.end()),
                "a text with an escape that JSON does not know: write `\\\\`",
            ) from None
    if word in _WORDS:
        return _WORDS[word]
    number = number_of(word)
    return word if number is None else number
