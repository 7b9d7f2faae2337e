"""Properties in the texts of a build: `${name}` becomes its value, which may hold properties again.

A few short properties can stand for gigabytes. So a text is measured while it grows, each has a
bound, and so have all of a file.
"""

import re
from collections.abc import Callable
from typing import Final

LONGEST_TEXT: Final = 500
"""How many characters a value may have, as it is written and after its properties are replaced."""

LONGEST_PROPERTY: Final = 200
"""How many characters the name of a property may have."""

MOST_EXPANDED: Final = 4_000_000
"""How many characters the properties of one pom may become in all places together."""

_MOST_ROUNDS: Final = 12
"""How many times properties in the values of properties are replaced."""

_PROPERTY: Final = re.compile(rf"\$\{{([\w.-]{{1,{LONGEST_PROPERTY}}})\}}")


class Fields:
    """Replaces properties in the values of one pom. n_written: characters of values. n_refused:
    values that were too long."""

    def __init__(self, properties: dict[str, str]) -> None:
        self._properties = properties
        self.n_written = 0
        self.n_refused = 0

    def expand(self, text: str) -> str:
        """A text with its properties replaced, as far as they are known and do not lead in a
        circle; as it is where it becomes too long."""
        written = text
        for _ in range(_MOST_ROUNDS):
            if "${" not in written:
                break
            longer = replace_bounded(_PROPERTY, written, self._properties.get, LONGEST_TEXT)
            if longer is None or self.n_written > MOST_EXPANDED:
                self.n_refused += 1
                return text
            if longer == written:
                break
            written = longer
            self.n_written += len(written)
        return written


def replace_bounded(
    pattern: re.Pattern[str], text: str, value_of: Callable[[str], str | None], most: int
) -> str | None:
    """A text with each match replaced by the value of its first group, where there is one; `None`
    where it becomes longer than `most`. It never holds more than one value beyond that."""
    parts: list[str] = []
    size = end = 0
    for match in pattern.finditer(text):
        value = value_of(match[1])
        parts += [text[end : match.start()], match[0] if value is None else value]
        size += len(parts[-2]) + len(parts[-1])
        end = match.end()
        if size > most:
            return None
    parts.append(text[end:])
    return "".join(parts) if size + len(parts[-1]) <= most else None
