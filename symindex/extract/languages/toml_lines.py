"""On which line of a `language.toml` a key or a word stands, for messages that say so. The parser
of TOML does not tell."""

import re
from typing import Final

_TABLE: Final = re.compile(r"\s*\[\[?([\w.\s-]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"\s*([\w.-]+)\s*=")


def line_of(text: str, key: str, word: str = "") -> int:
    """The number of the line with a dotted key, or of the first with a word in its value; 0 where
    there is none."""
    table = full = ""
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        if (opened := _TABLE.match(line)) is not None and '"' not in line:
            table = full = "".join(opened[1].split())
        elif (found := _KEY.match(line)) is not None:
            full = f"{table}.{found[1]}" if table else found[1]
        if not _is_around(full, key) and not _is_around(key, full):
            continue
        if full != key and not _has_word(line, word or key.rpartition(".")[2]):
            continue
        first = first or number
        if not word or _has_word(line, word):
            return number
    return first


def _is_around(outer: str, inner: str) -> bool:
    return bool(outer) and f"{inner}.".startswith(f"{outer}.")


def _has_word(line: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line) is not None
