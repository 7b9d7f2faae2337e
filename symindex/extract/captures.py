"""What a query finds in a file, as plain numbers. `extract/parse` makes these objects,
`extract/symbols` turns them into symbols.

Positions are byte offsets, -1 stands for none. The objects are many and short-lived and hold no
cycles, so the garbage collector does not track them.
"""

from typing import NamedTuple, TypeAlias

import msgspec

from symindex.extract.parse.patterns import Pattern
from symindex.protocol.kinds import SymbolFlag

Stretches: TypeAlias = list[tuple[int, int]]
"""Byte ranges of a file, in order."""


class Definition(msgspec.Struct, gc=False):
    """A definition, before it has a qualified name.

    header_byte: where the signature begins: after decorators, where the pattern captured the
    definition twice. name: what the name is, where its parts stand apart; name_start and name_end
    are then those of the first. inside_byte, inside_end: the range whose definitions are members of
    this one: the body, and what was captured as `@header`.
    """

    pattern: Pattern
    start_byte: int
    end_byte: int
    header_byte: int
    name_start: int
    name_end: int
    body_byte: int
    body_end: int
    inside_byte: int
    inside_end: int
    container: str | None
    name: str | None = None


class Comment(msgspec.Struct, gc=False):
    """A comment, docstring or attribute; `role`: the pattern's setting `doc`. A comment of a
    skipped body has no pattern."""

    start_byte: int
    end_byte: int
    role: str = ""
    pattern: Pattern | None = None


class Scope(msgspec.Struct, gc=False):
    """A range that qualifies names without being a symbol (a Rust `impl`), or the body of an
    anonymous function.

    header_byte: where the node begins that holds the body.
    """

    pattern: Pattern
    start_byte: int
    end_byte: int
    header_byte: int
    container: str | None


class Marker(msgspec.Struct, gc=False):
    """A place that sets the visibility of other definitions: all after it in its container, or in
    the whole container, or those with a name (`export { name }`)."""

    pattern: Pattern
    byte: int
    name: str | None


class Whole(msgspec.Struct, gc=False):
    """The range that a definition gets in place of its own: that of the `export` around it."""

    pattern: Pattern
    start_byte: int
    end_byte: int


class Around(msgspec.Struct, gc=False):
    """A range, and what all definitions whose names stand in it get: the rule around selectors, and
    its block."""

    pattern: Pattern
    start_byte: int
    end_byte: int
    whole_start: int
    whole_end: int
    body_byte: int
    body_end: int


class Embedded(msgspec.Struct, gc=False):
    """Source in another language: a script in a page, code in a template. stretches: its ranges,
    without what stands between them (the marks of a quote in a document). word: what says which
    language, as it stands there or in the query."""

    pattern: Pattern
    stretches: list[tuple[int, int]]
    word: str


class Faults(NamedTuple):
    """What is wrong with a file that was read: as the fields of `records.FileSymbols`."""

    has_error: bool = False
    broken_line: int = 0
    is_conflicted: bool = False

    def told(self, name: str) -> list[str]:
        """Sentences for whoever sees the symbols of the file of that name."""
        told = []
        if self.broken_line:
            told.append(
                f"the parse of {name} is broken at line {self.broken_line}; members may stand"
                " outside their class"
            )
        if self.is_conflicted:
            told.append(
                f"{name} holds the markers of an unfinished merge; what both sides define is listed"
            )
        return told

    @property
    def flags(self) -> int:
        """The bits of SymbolFlag that all symbols of the file have for it."""
        return (
            SymbolFlag.BROKEN.value * bool(self.broken_line)
            | SymbolFlag.CONFLICTED.value * self.is_conflicted
        )


class Captures(msgspec.Struct):
    """All that the query found in one file.

    wholes: by the start and end of the part. constants: where variables begin that are constants.
    around: in any order. sources: the patterns that found unparsed source. embedded: what of it is
    in another language, by where it begins. pieces: the ranges that were read by themselves, in a
    file of another language. broken_at: where an error cuts a container. is_conflicted: the file
    holds the markers of an unfinished merge. has_error: the grammar could not read all of the file.
    Errors in skipped bodies do not count.
    """

    definitions: list[Definition] = []
    comments: list[Comment] = []
    scopes: list[Scope] = []
    markers: list[Marker] = []
    wholes: dict[tuple[int, int], Whole] = {}
    constants: dict[int, Pattern] = {}
    around: list[Around] = []
    sources: list[Pattern] = []
    embedded: dict[int, Embedded] = {}
    pieces: list[tuple[int, int]] = []
    has_error: bool = False
    broken_at: int = -1
    is_conflicted: bool = False

    def add(self, other: "Captures") -> None:
        """Takes in what was found in a piece of the file that was read by itself."""
        self.definitions += other.definitions
        self.comments += other.comments
        self.scopes += other.scopes
        self.markers += other.markers
        self.around += other.around
        self.sources += other.sources
        self.wholes.update(other.wholes)
        self.embedded.update(other.embedded)
        self.has_error = self.has_error or other.has_error
        self.is_conflicted = self.is_conflicted or other.is_conflicted
        self.broken_at = (
            max(self.broken_at, other.broken_at)
            if min(self.broken_at, other.broken_at) < 0
            else min(self.broken_at, other.broken_at)
        )
