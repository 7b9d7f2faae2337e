"""Expands properties in the texts of a build: `${name}` becomes its value, which may contain
properties again.

A few short properties can expand to gigabytes. So a text is measured while it grows, and the size
of one text and of all texts of a file is limited.
"""

import re
from collections.abc import Callable
from typing import Final

LONGEST_TEXT: Final = 500
"""Longest value, in characters, both as written and expanded."""

LONGEST_PROPERTY: Final = 200
"""Longest name of a property, in characters."""

MOST_EXPANDED: Final = 4_000_000
"""Most characters that all values of one pom may expand to together."""

_MOST_ROUNDS: Final = 12
"""Most rounds of expanding properties in the values of properties."""

_PROPERTY: Final = re.compile(rf"\$\{{([\w.-]{{1,{LONGEST_PROPERTY}}})\}}")


class PropertyValues:
    """Expands the properties in the values of one pom. n_written: characters of expanded values.
    n_refused: values that would have become too long."""

    def __init__(self, properties: dict[str, str]) -> None:
        self._properties = properties
        self.n_written: int = 0
        self.n_refused: int = 0

    def expand(self, text: str) -> str:
        """Expands the properties in a text, except unknown and circular ones. Returns the text
        unchanged if it would become too long."""
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
    """Replaces each match by the value of its first group, if it has one. Returns `None` if the
    text becomes longer than `most`; it never grows by more than one value beyond that."""
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
