"""Reads a file of addresses: one on each line, with `name=` and `ref=` after it, and comments after
`#`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.files.access.regular import read_regular
from symindex.text.escaping import shorten, show_controls

MOST_LIST_BYTES: Final = 16_000_000
"""Largest list, in bytes. 100,000 addresses have some six million."""

_KEYS: Final = ("name", "ref")
_SHOWN: Final = 60


class Line(NamedTuple):
    """A line of a list. name: `None` if the line gives none. place: the file and the line."""

    url: str
    name: str | None
    ref: str
    place: str


def read_list(path: Path) -> Iterator[Line]:
    """Yields the lines of a list that name a repository. Raises RequestError."""
    try:
        text = read_regular(path, MOST_LIST_BYTES, follow=True).decode("utf-8-sig")
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise RequestError(
            f"{path}: not text in UTF-8: expected one address on each line"
        ) from None
    for number, line in enumerate(text.split("\n"), 1):
        words = _words(line)
        if words:
            yield _read_line(words, f"{path}:{number}")


def _words(line: str) -> list[str]:
    """Returns the words of a line before a comment, which begins with a blank and `#`."""
    return f" {line}".split(" #", 1)[0].split()


def _read_line(words: list[str], place: str) -> Line:
    values: dict[str, str] = {}
    for word in words[1:]:
        key, sign, value = word.partition("=")
        if not sign or key not in _KEYS or key in values or not value:
            shown = shorten(show_controls(word), _SHOWN)
            raise RequestError(
                f"{place}: {shown!r} is not understood: after the address there may be name=NAME"
                " and ref=BRANCH, each once"
            )
        values[key] = value
    return Line(words[0], values.get("name"), values.get("ref", ""), place)
