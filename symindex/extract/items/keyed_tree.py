"""The content of a file of keys and values, with the place of each key: the common form for YAML,
TOML and JSON.

Positions count characters of the text that was read. Files of strangers need bounds, so these are
here as well.
"""

import re
from typing import Final, NamedTuple, TypeAlias, Union

MOST_DEPTH: Final = 32
"""Deepest nesting of values. Metadata needs three levels, pipelines about ten."""

MOST_NODES: Final = 20_000
"""Most values and keys of a file, counting those behind an alias each time: an alias bomb has
millions."""


class Mapping(NamedTuple):
    """entries: in the order of the file."""

    entries: "list[Entry]"

    def get(self, key: str) -> "Tree":
        """Returns the value of a key; `None` if it is missing."""
        return next((entry.value for entry in self.entries if entry.key == key), None)


Tree: TypeAlias = Union[str, int, float, bool, "list[Tree]", Mapping, None]


class Entry(NamedTuple):
    """A key and its value. key_start, key_end: the range of the key. end: the end of the value. All
    are 0 if the place is unknown."""

    key: str
    value: Tree
    key_start: int = 0
    key_end: int = 0
    end: int = 0


class FormatError(ValueError):
    """A text that cannot be read. line: 1-based, in that text. reason: one line that says what is
    wrong and what would be right."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,15}")


def number_of(text: str) -> int | float | None:
    """Returns the number that a text spells, if the number would be written back in the same way;
    else `None`, and the text is kept: a version `1.10` is not 1.1, `0755` is not 755, and `1e400`,
    `0x1F`, `1_000` and `12:30:00` would not survive either."""
    if _WHOLE.fullmatch(text):
        return None if text == "-0" else int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return None


def line_at(text: str, position: int) -> int:
    """Returns the 1-based line of a position."""
    return text.count("\n", 0, position) + 1


def too_deep(line: int) -> FormatError:
    return FormatError(line, f"values lie more than {MOST_DEPTH} deep: write them flatter")


def too_many(line: int) -> FormatError:
    return FormatError(
        line, f"more than {MOST_NODES:,} values, counting those that aliases repeat: write fewer"
    )
