"""Chooses which bodies of a source the parser does not see, and how they are hidden.

The parser jumps over the largest bodies. The others are blanked, because tree-sitter looks through
all jumps for every token.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from symindex.extract.captures import Stretches
from symindex.extract.languages.language import Language
from symindex.extract.parse.skipping import switch
from symindex.extract.parse.skipping.bodies import bodies_of

_WORTH_HIDING: Final = 0.1
"""Least share of a file in bodies: less is not worth the risk of a second parse."""

_MOST_JUMPS: Final = 64
"""Most bodies that the parser jumps over. Reading blanks takes longer than a jump, but tree-sitter
looks through all jumps for every token."""


class ShownSource(NamedTuple):
    """What the parser sees of a source.

    bodies: all hidden ranges. jumps: those that the parser jumps over; the others are blank.
    """

    source: bytes
    bodies: Stretches
    jumps: Stretches


class BodySkipper:
    """Hides the bodies of one language's files. A language's `firm` bodies are hidden whatever the
    switch says: its grammar loses more symbols in such a body than it finds."""

    def __init__(self, language: Language, is_on: bool = True) -> None:
        self.is_firm: bool = language.rules.bodies.firm
        is_on = is_on and (switch.IS_ON or self.is_firm)
        self._bodies = bodies_of(language) if is_on else None

    def show(self, source: bytes, needed: Sequence[tuple[int, int]] = ()) -> ShownSource:
        """Hides the bodies of a source, unless they are too few to be worth it.

        needed: ranges, in order; bodies that touch them stay visible.
        """
        shown, bodies = self._find(source, needed)
        if not self.is_firm and _size_of(bodies) < len(source) * _WORTH_HIDING:
            shown, bodies = source, []
        return _blank_smallest(shown, bodies)

    def show_without_bodies(self, source: bytes) -> ShownSource:
        """Hides the bodies of a source, however few they are."""
        return _blank_smallest(*self._find(source, ()))

    def _find(self, source: bytes, needed: Sequence[tuple[int, int]]) -> tuple[bytes, Stretches]:
        return (source, []) if self._bodies is None else self._bodies.find(source, needed)


def _blank_smallest(source: bytes, bodies: Stretches) -> ShownSource:
    """Blanks all bodies except the largest, which become jumps."""
    if len(bodies) <= _MOST_JUMPS:
        return ShownSource(source, bodies, bodies)
    size = sorted((end - start for start, end in bodies), reverse=True)[_MOST_JUMPS]
    blanked, largest = bytearray(source), []
    for start, end in bodies:
        if end - start > size:
            largest.append((start, end))
        else:
            blanked[start:end] = b" " * (end - start)
    return ShownSource(bytes(blanked), bodies, largest)


def _size_of(stretches: Stretches) -> int:
    return sum(end - start for start, end in stretches)
