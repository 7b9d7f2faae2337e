"""What a file binds its names to, as far as the file itself says: imports, bases of types, types of
members, and the values that members get.

The index stores one text for each file: a line for each fact, its parts separated by tabs. An
expression keeps the spelling of its language, in one line.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

LONGEST: Final = 200
"""Longest expression, in characters: a longer one tells nothing that can be followed."""

MOST_FACTS: Final = 20_000
"""Most facts of a file; more are only in generated code."""

MOST_BYTES: Final = 4_000_000
"""Most bytes of the packed facts of a file. A block of details ends with the file that fills it."""

ALL: Final = "*"
"""The imported name that means all names of a module."""

INCLUDED: Final = "#"
"""The imported name that means all names of an included file, and of those that it includes."""

DEFAULT: Final = "default"
"""The name of what a module exports without a name."""

INJECTED: Final = "+"
"""Before the local name of an import that counts in the files that use its module."""

INNER: Final = "@"
"""Before the number of the symbol in which an import of all names counts, as its local name."""

PARAMETER: Final = "<{}>"
"""The name under which a type parameter is stored: no member has such a name."""

STATIC: Final = "~"
"""The name under which is stored that a member is one of its type itself."""

INDEXED: Final = "["
"""The name under which is stored of what type any other member of a type is."""

AMBIENT: Final = "@"
"""The name under which is stored that a symbol is declared for all files, or that all are which a
file has at its top."""

NOTHING: Final = "?"
"""Says that a name is local, and no more."""

SIGNS: Final = {
    ":": "type", "=": "value", "^": "entered", "*": "element", "[": "indexed", "(": "called",
    "<": "component",
}  # fmt: skip
"""What is before an expression that tells the type of a local name, and the capture of it: its
type, its value; the value that gives it one as its code is entered; what it is an element of, in a
loop or at an index; the function that it is an argument of, with the number of the argument and a
blank before it; the component that gets a value for a member. The surest is first."""

TAKEN: Final = "."
"""Says that a local name is a member of a value: the name of the member, a blank, and what is known
of the value, which begins with a sign of SIGNS."""

NTH: Final = ","
"""Says that a local name is a parameter of a function without a name: its number, a blank, and what
is known of the function, which begins with a sign of SIGNS."""

UNBOUND: Final = "!"
"""Says that `SELF` is not a value of the type around: its function may be called for any value."""

POINTER: Final = "*"
"""Behind a type: the name is a pointer to values of it, in languages that tell these apart."""

SELF: Final = "this"
"""The local name of the value whose type has the code around it, whatever the language calls it."""

GIVEN: Final = "{"
"""Says that the code around is given to a function, which may call it for a value of its own: the
function, with the number of the argument and a blank before it if that is not the last."""

AROUND: Final = "^"
"""The local name of what `SELF` is in the code around that where `SELF` has its value, from the
inside outward."""

OPENED: Final = "*"
"""The local name of a value whose members the code around sees by their bare names."""

NO_SYMBOL: Final = -1


class Import(NamedTuple):
    """An imported name.

    local: the name in this file; empty if it has none here, if only its `ALL` count, and for the
    package that the file itself declares; ALL if they count in other files too; INNER and a number
    if they count in a symbol; INJECTED and the name in the files that use the module around.
    module: as written, without quotes. name: the name in the module; empty for the module itself,
    ALL for all of its names, INCLUDED for those of a file.
    """

    local: str
    module: str
    name: str


class Base(NamedTuple):
    """A type that another inherits from or implements.

    symbol: the number of the subtype among the symbols of the file; if `owner` names it, that of
    the module around, or NO_SYMBOL. type: the base, as written. owner: the subtype as written, if
    it may be defined elsewhere.
    """

    symbol: int
    type: str
    owner: str = ""


class TypeFact(NamedTuple):
    """What is known about the type of a member, variable or result.

    symbol: the number of the symbol; for a member that is no symbol, that of its type, or NO_SYMBOL
    at the top of the file. name: of the member that is no symbol, or of a type parameter, else
    empty. type: the declared type, or the bound of a parameter. value: the expression that it
    gets, if no type is declared.
    """

    symbol: int
    name: str
    type: str
    value: str


class FileBindings(NamedTuple):
    """All facts of a file."""

    imports: list[Import]
    bases: list[Base]
    types: list[TypeFact]


def pack_bindings(
    imports: Iterable[Import], bases: Iterable[Base], types: Iterable[TypeFact]
) -> bytes:
    """Packs facts as one text without NUL bytes."""
    lines = [
        *(f"i\t{one.local}\t{one.module}\t{one.name}" for one in imports),
        *(f"b\t{one.symbol}\t{one.type}\t{one.owner}" for one in bases),
        *(f"t\t{one.symbol}\t{one.name}\t{one.type}\t{one.value}" for one in types),
    ]
    packed = "\n".join(dict.fromkeys(lines[:MOST_FACTS])).encode("utf-8", "replace")
    packed = packed.replace(b"\0", b"")
    return packed if len(packed) <= MOST_BYTES else packed[: packed.rindex(b"\n", 0, MOST_BYTES)]


def unpack_bindings(data: bytes | str) -> FileBindings:
    """Unpacks facts. A line that is none is left out."""
    found = FileBindings([], [], [])
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    for kind, parts in _lines(text):
        if kind == "i" and len(parts) == 3:
            found.imports.append(Import(*parts))
        elif kind == "b" and len(parts) == 3:
            found.bases.append(Base(int(parts[0]), parts[1], parts[2]))
        elif kind == "t" and len(parts) == 4:
            found.types.append(TypeFact(int(parts[0]), *parts[1:]))
    return found


def _lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in text.split("\n") if text else ():
        kind, *parts = line.split("\t")
        if kind == "i" or (parts and _NUMBER.fullmatch(parts[0])):
            yield kind, parts


_NUMBER: Final = re.compile(r"-?\d{1,9}")


def one_line(text: bytes) -> str:
    """Returns an expression as it is stored: in one line, and empty if it is too long."""
    if len(text) > 4 * LONGEST:
        return ""
    shown = _BLANKS.sub(" ", text.decode("utf-8", "replace")).strip()
    return shown if len(shown) <= LONGEST else ""


_BLANKS: Final = re.compile(r"[\s\0]+")
