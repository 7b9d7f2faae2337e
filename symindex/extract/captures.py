"""What a query finds in a file, as plain numbers: what `extract/parse` hands on and the modules behind it read.

Places are byte offsets. The objects are many and short-lived, and hold no cycles: the garbage collector does not look at them.
"""

from typing import NamedTuple

import msgspec


class Definition(msgspec.Struct, gc=False):
    """One definition as the query found it; places are byte offsets, rows are 0-based, -1 stands for none.

    kind: a SymbolKind's word. header_byte: where the signature begins: after decorators, where the pattern captured the
    definition twice. inside_byte, inside_end: what it encloses: the body, and the parts of its header that the pattern
    captured as `@header`. settings: what the pattern sets. pattern: its number in the query.
    """

    kind: str
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
    settings: "Settings"
    pattern: int
    start_row: int = 0
    end_row: int = 0
    name_row: int = 0
    name_column: int = 0


class Comment(msgspec.Struct, gc=False):
    """Text that may document what follows it (or, with `where` = `body`, the definition whose body it opens)."""

    start_byte: int
    end_byte: int
    where: str
    pattern: int


class Scope(msgspec.Struct, gc=False):
    """A stretch of the file that qualifies what is defined in it without being a symbol (a Rust `impl`), or, with
    `function`, whose variables are local; with neither it is open, and `visibility` is that of what stands in it.

    header_byte: where the node begins that holds the body.
    """

    start_byte: int
    end_byte: int
    header_byte: int
    container: str | None
    function: bool
    in_signature: bool
    visibility: str
    pattern: int


class Marker(msgspec.Struct, gc=False):
    """From `byte` to the end of the enclosing container, definitions have this visibility (`private` in Ruby); with a
    name, the definitions of that name in the enclosing container (`export { name }`); with `everywhere`, all in it, those
    before the marker included (a file that exports something is a module)."""

    byte: int
    visibility: str
    name: str | None
    everywhere: bool
    pattern: int


class Whole(msgspec.Struct, gc=False):
    """What a definition is only a part of (`export` around it): the definition has this range."""

    start_byte: int
    end_byte: int
    in_signature: bool
    pattern: int


class Parsed(msgspec.Struct):
    """All that the query found in one file.

    wholes: by the bytes of the part. sources: the patterns that found tokens to be parsed by themselves.
    has_error: there are places that the grammar could not read, outside of the bodies that it did not see.
    """

    definitions: list[Definition] = []
    comments: list[Comment] = []
    scopes: list[Scope] = []
    markers: list[Marker] = []
    wholes: dict[tuple[int, int], Whole] = {}
    sources: list[int] = []
    has_error: bool = False


class Settings(NamedTuple):
    """What a pattern sets for its definitions: each setting's value, empty where it is not set."""

    visibility: str
    flag: str
    only_declares: bool
    extends_to_next: bool
    is_file_wide: bool
    is_never_local: bool
