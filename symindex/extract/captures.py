"""The captures of a query in a file, as plain numbers. `extract/parse` makes these objects,
`extract/symbols` turns them into symbols.

Positions are byte offsets; -1 means none. The objects are many, short-lived and without cycles, so
the garbage collector does not track them.
"""

from typing import NamedTuple, TypeAlias

import msgspec

from symindex.extract.parse.patterns import Pattern
from symindex.protocol.kinds import SymbolFlag

Stretches: TypeAlias = list[tuple[int, int]]
"""Byte ranges of a file, in order."""


class Definition(msgspec.Struct, gc=False):
    """A definition, before it has a qualified name.

    header_byte: the start of the signature: after decorators, if the pattern captured the
    definition twice. name: the name, if it consists of separate parts; name_start and name_end are
    then those of the first part. inside_byte, inside_end: the range whose definitions are members
    of this one: the body, and the captured `@header`.
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
    """A comment, docstring or attribute. role: the pattern's setting `doc`. A comment of a skipped
    body has no pattern."""

    start_byte: int
    end_byte: int
    role: str = ""
    pattern: Pattern | None = None


class Scope(msgspec.Struct, gc=False):
    """A range that qualifies names without being a symbol (a Rust `impl`), or the body of an
    anonymous function.

    header_byte: the start of the node with the body.
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
    """The range that a definition gets instead of its own: that of the `export` around it."""

    pattern: Pattern
    start_byte: int
    end_byte: int


class Around(msgspec.Struct, gc=False):
    """A range, and the range and block that all definitions named in it get: the rule around
    selectors, and its block."""

    pattern: Pattern
    start_byte: int
    end_byte: int
    whole_start: int
    whole_end: int
    body_byte: int
    body_end: int


class Embedded(msgspec.Struct, gc=False):
    """Source in another language: a script in a page, code in a template. stretches: its ranges,
    without what is between them (the marks of a quote in a document). word: the word for its
    language, from the file or the query."""

    pattern: Pattern
    stretches: list[tuple[int, int]]
    word: str


class BindingMatch(NamedTuple):
    """A match of a language's `bindings.scm`: where it begins, and the texts of its captures.
    name_byte: the start of the declared name, or of the capture that there is. end_byte: the end of
    the body of a type."""

    name_byte: int
    texts: dict[str, str]
    end_byte: int = 0


class Faults(NamedTuple):
    """The faults of a file that was read, as in the fields of `records.FileSymbols`."""

    has_error: bool = False
    broken_line: int = 0
    is_conflicted: bool = False

    def notices_for(self, name: str) -> list[str]:
        """Returns notices about the symbols of the file with this name."""
        notices = []
        if self.broken_line:
            notices.append(
                f"the parse of {name} is broken at line {self.broken_line}; members may appear"
                " outside of their class"
            )
        if self.is_conflicted:
            notices.append(
                f"{name} contains the markers of an unfinished merge; the definitions of both sides"
                " are listed"
            )
        return notices

    @property
    def flags(self) -> int:
        """The bits of SymbolFlag that the faults give to all symbols of the file."""
        return (
            SymbolFlag.BROKEN.value * bool(self.broken_line)
            | SymbolFlag.CONFLICTED.value * self.is_conflicted
        )


class Captures(msgspec.Struct):
    """All captures of one file.

    wholes: by the start and end of the part. constants: the starts of variables that are constants.
    around: in any order. sources: the patterns that found unparsed source. embedded: source in
    other languages, by its start. bindings: what the file binds. pieces: the ranges of the
    language's pieces in a file of another language. broken_at: where an error cuts a container.
    is_conflicted: whether the file has the markers of an unfinished merge. has_error: whether
    the grammar could not read all of the file, except skipped bodies.
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
    bindings: list[BindingMatch] = []
    broken_at: int = -1
    is_conflicted: bool = False

    def add(self, piece: "Captures") -> None:
        """Adds the captures of a piece of the file that was parsed separately."""
        self.definitions += piece.definitions
        self.comments += piece.comments
        self.scopes += piece.scopes
        self.markers += piece.markers
        self.around += piece.around
        self.sources += piece.sources
        self.wholes.update(piece.wholes)
        self.embedded.update(piece.embedded)
        self.has_error = self.has_error or piece.has_error
        self.is_conflicted = self.is_conflicted or piece.is_conflicted
        self.broken_at = (
            max(self.broken_at, piece.broken_at)
            if min(self.broken_at, piece.broken_at) < 0
            else min(self.broken_at, piece.broken_at)
        )
