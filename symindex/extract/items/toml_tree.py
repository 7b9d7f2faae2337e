"""TOML to a tree of keys and values. Python's parser gives the values, and a look at the lines
where their keys stand."""

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
_AT_LINE: Final = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")

Path = tuple[str, ...]


def parse_toml(text: str) -> Tree:
    """A whole file. Raises FormatError."""
    try:
        check_toml_keys(text)
        values = tomllib.loads(text, parse_float=_float)
    except RecursionError:
        raise too_deep(1) from None
    except ValueError as error:
        said = str(error).splitlines()[0] if str(error) else "not TOML"
        place = _AT_LINE.search(said)
        line = (
            int(place[1])
            if place is not None and place[1]
            else text.count("\n") + 1
            if place is not None
            else 1
        )
        raise FormatError(line, f"{_AT_LINE.sub('', said)}; {_REMEDY}") from None
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
            for key, each in value.items():
                at = *path, key
                entries.append(Entry(key, self.convert(each, at), *self._places.get(at, (0, 0, 0))))
            return Mapping(entries)
        if isinstance(value, list):
            return [self.convert(each, (*path, "")) for each in value]
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
            return hex(value)  # in digits Python refuses to write the longest ones
        return value if isinstance(value, str | int | float) else str(value)


def _places(text: str) -> dict[Path, tuple[int, int, int]]:
    """Where each key stands: its start, its end, and the end of all that belongs to it. For keys of
    inline tables nothing."""
    if len(text) > 0 and ('"""' in text or "'''" in text):
        text = _LONG_TEXT.sub(lambda found: re.sub("[^\n]", " ", found[0]), text)
    found: list[tuple[Path, int, int]] = []
    table: Path = ()
    for line in _LINE.finditer(text):
        name = "table" if line["table"] is not None else "key"
        path = tuple(part.strip("\"'") for part in re.findall(_PART, line[name]))
        if name == "table":
            table = path
        else:
            path = table + path
        if len(path) <= MOST_DEPTH:
            found.append((path, *line.span(name)))
    places: dict[Path, tuple[int, int, int]] = {}
    # The keys around the current one, so that each ends where the first one begins that does not
    # belong to it.
    waiting: list[tuple[Path, int, int]] = []
    for path, start, end in [*found, ((), len(text), len(text))]:
        while waiting and waiting[-1][0] != path[: len(waiting[-1][0])]:
            done, done_start, done_end = waiting.pop()
            places.setdefault(done, (done_start, done_end, _line_start(text, start)))
        waiting.append((path, start, end))
    return places


def _line_start(text: str, position: int) -> int:
    """Where the line of a key begins; a table's bracket stands before its name."""
    return text.rfind("\n", 0, position) + 1 if position < len(text) else position
