"""Reads source in other languages inside a file: scripts and styles of pages, code in templates,
code fences in documents.

Each piece is parsed at its place in the file, so that all places are those of the outer file.
"""

from collections.abc import Iterator
from typing import Final

from symindex.extract.captures import Captures, Embedded, Stretches
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages
from symindex.extract.parse.definitions import parse_embedded

MOST_PIECES: Final = 10_000
"""Most pieces of one file. Each costs some microseconds, however short it is."""

DEEPEST: Final = 4
"""Most languages inside each other: PHP in a page, a script in that, a page in a string of that."""


def parse_all_embedded(
    captures: Captures, data: bytes, languages: Languages
) -> Iterator[tuple[Language, Captures]]:
    """Yields the captures in each inner language of a file, one language at a time. captures: those
    of the outer language. Skips pieces in unknown languages."""
    left = MOST_PIECES
    found = [captures]
    for _ in range(DEEPEST):
        outer, found = found, []
        for inner, pieces in _by_language(
            [each for one in outer for each in one.embedded.values()], languages
        ):
            if left <= 0:
                return
            found.append(parse_embedded(inner, data, pieces[:left]))
            left -= len(pieces)
            yield inner, found[-1]


def embedded_pieces(
    captures: Captures, languages: Languages
) -> list[tuple[Language, list[Stretches]]]:
    """Returns the pieces of a file in each other language, in order. Each piece is one text, in one
    or several stretches."""
    return _by_language(list(captures.embedded.values()), languages)


def _by_language(
    embedded: list[Embedded], languages: Languages
) -> list[tuple[Language, list[Stretches]]]:
    found: dict[str, tuple[Language, list[Stretches], Stretches]] = {}
    for each in sorted(
        (each for each in embedded if each.stretches), key=lambda each: each.stretches[0]
    ):
        inner = languages.named(each.word)
        if inner is None:
            continue
        _, pieces, joined = found.setdefault(inner.id, (inner, [], []))
        if each.pattern.settings.source == "joined":
            joined += each.stretches
        else:
            pieces.append(each.stretches)
    return [
        (inner, [*pieces, joined] if joined else pieces) for inner, pieces, joined in found.values()
    ]
