"""Reads TOML into a tree of keys and values. Python's parser gives the values; a scan of the lines
finds where their keys are."""

import datetime
import re
import tomllib
from typing import Any, Final

from symindex.extract.items.keyed_tree import (
    MOST_DEPTH,
    MOST_NODES,
    Entry,
    FormatError,
    Mapping,
    Tree,
    number_of,
    too_deep,
    too_many,
)
from symindex.text.decoding import check_toml_keys

_REMEDY: Final = 'write `key = "value"` lines'

_PART: Final = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_KEY: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*+"
_LINE: Final = re.compile(
    rf"^[ \t]*+(?:\[\[?[ \t]*(?P<table>{_KEY})[ \t]*\]|(?P<key>{_KEY})[ \t]*=)", re.MULTILINE
)
_LONG_TEXT: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+"""' + r"|'''(?:[^']++|'(?!''))*+'''", re.DOTALL
)
_AT_LINE: Final = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")

Path = tuple[str, ...]


def parse_toml(text: str) -> Tree:
    """Parses a whole file. Raises FormatError."""
    try:
        check_toml_keys(text)
        values = tomllib.loads(text, parse_float=_float)
    except RecursionError:
        raise too_deep(1) from None
    except ValueError as error:
        reason = str(error).splitlines()[0] if str(error) else "not TOML"
        place = _AT_LINE.search(reason)
        line = (
            int(place[1])
            if place is not None and place[1]
            else text.count("\n") + 1
            if place is not None
            else 1
        )
        raise FormatError(line, f"{_AT_LINE.sub('', reason)}; {_REMEDY}") from None
    return _Converter(_places(text)).convert(values, ())


def _float(text: str) -> Any:
    number = number_of(text)
    return text if number is None else number


class _Converter:
    def __init__(self, places: dict[Path, tuple[int, int, int]]) -> None:
        self._places = places
        self._n_nodes = 0

    def convert(self, value: object, path: Path) -> Tree:
        self._n_nodes += 1
        if self._n_nodes > MOST_NODES:
            raise too_many(1)
        if len(path) > MOST_DEPTH:
            raise too_deep(1)
        if isinstance(value, dict):
            entries = []
            for key, entry in value.items():
                offset = *path, key
                entries.append(
                    Entry(key, self.convert(entry, offset), *self._places.get(offset, (0, 0, 0)))
                )
            return Mapping(entries)
        if isinstance(value, list):
            return [self.convert(entry, (*path, "")) for entry in value]
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
            return hex(value)  # Python refuses to write the longest ones in digits
        return value if isinstance(value, str | int | float) else str(value)


def _places(text: str) -> dict[Path, tuple[int, int, int]]:
    """Returns for each key its start, its end, and the end of everything that belongs to it. Omits
    the keys of inline tables."""
    if len(text) > 0 and ('"""' in text or "'''" in text):
        text = _LONG_TEXT.sub(lambda match: re.sub("[^\n]", " ", match[0]), text)
    ranges: list[tuple[Path, int, int]] = []
    table: Path = ()
    for line in _LINE.finditer(text):
        name = "table" if line["table"] is not None else "key"
        path = tuple(part.strip("\"'") for part in re.findall(_PART, line[name]))
        if name == "table":
            table = path
        else:
            path = table + path
        if len(path) <= MOST_DEPTH:
            ranges.append((path, *line.span(name)))
    places: dict[Path, tuple[int, int, int]] = {}
    # The keys around the current one. Each ends where the first key begins that does not belong to
    # it.
    waiting: list[tuple[Path, int, int]] = []
    for path, start, end in [*ranges, ((), len(text), len(text))]:
        while waiting and waiting[-1][0] != path[: len(waiting[-1][0])]:
            done, done_start, done_end = waiting.pop()
            places.setdefault(done, (done_start, done_end, _line_start(text, start)))
        waiting.append((path, start, end))
    return places


def _line_start(text: str, position: int) -> int:
    """Returns the start of a key's line; the bracket of a table precedes its name."""
    return text.rfind("\n", 0, position) + 1 if position < len(text) else position
