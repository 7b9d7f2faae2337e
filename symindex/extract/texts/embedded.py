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
    n_left = MOST_PIECES
    inner_captures = [captures]
    for _ in range(DEEPEST):
        outer, inner_captures = inner_captures, []
        for inner, pieces in _by_language(
            [embedded for outer_captures in outer for embedded in outer_captures.embedded.values()],
            languages,
        ):
            if n_left <= 0:
                return
            inner_captures.append(parse_embedded(inner, data, pieces[:n_left]))
            n_left -= len(pieces)
            yield inner, inner_captures[-1]


def embedded_pieces(
    captures: Captures, languages: Languages
) -> list[tuple[Language, list[Stretches]]]:
    """Returns the pieces of a file in each other language, in order. Each piece is one text, in one
    or several stretches."""
    return _by_language(list(captures.embedded.values()), languages)


def _by_language(
    embedded: list[Embedded], languages: Languages
) -> list[tuple[Language, list[Stretches]]]:
    by_id: dict[str, tuple[Language, list[Stretches], Stretches]] = {}
    for source in sorted(
        (source for source in embedded if source.stretches), key=lambda source: source.stretches[0]
    ):
        inner = languages.named(source.word)
        if inner is None:
            continue
        _, pieces, joined = by_id.setdefault(inner.id, (inner, [], []))
        if source.pattern.settings.source == "joined":
            joined += source.stretches
        else:
            pieces.append(source.stretches)
    return [
        (inner, [*pieces, joined] if joined else pieces) for inner, pieces, joined in by_id.values()
    ]
