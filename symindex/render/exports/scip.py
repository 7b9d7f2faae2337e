"""A SCIP index: the definitions of a tree in the protobuf messages of the SCIP Code Intelligence
Protocol.

An index is a stream of fields: first the metadata, then the documents one by one. So neither its
writer nor its reader needs all of it in memory. The messages are few and the wire format is simple,
so they are written here, by the field numbers of the published `scip.proto`: no maintained Python
package has that schema.

A symbol is called ``symindex . . . `path`/Outer#method().``: the file as a namespace, then the
containers of the index. Methods of the same name in a file are numbered as in SCIP (`(+1)`), other
symbols by the `~2` of symindex's own ids. A symbol inside a function is ``local N``, with its
enclosing symbol.
"""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import Final

from symindex import __version__
from symindex.explore.listing import ListedFile
from symindex.extract.languages.registry import Languages
from symindex.extract.records import Symbol
from symindex.protocol.kinds import SymbolFlag, SymbolKind

_KINDS: Final = {
    SymbolKind.FILE: 16,
    SymbolKind.MODULE: 29,
    SymbolKind.NAMESPACE: 30,
    SymbolKind.PACKAGE: 35,
    SymbolKind.CLASS: 7,
    SymbolKind.METHOD: 26,
    SymbolKind.PROPERTY: 41,
    SymbolKind.FIELD: 15,
    SymbolKind.CONSTRUCTOR: 9,
    SymbolKind.ENUM: 11,
    SymbolKind.INTERFACE: 21,
    SymbolKind.FUNCTION: 17,
    SymbolKind.VARIABLE: 61,
    SymbolKind.CONSTANT: 8,
    SymbolKind.STRING: 48,
    SymbolKind.NUMBER: 32,
    SymbolKind.BOOLEAN: 6,
    SymbolKind.ARRAY: 1,
    SymbolKind.OBJECT: 33,
    SymbolKind.KEY: 22,
    SymbolKind.NULL: 31,
    SymbolKind.ENUM_MEMBER: 12,
    SymbolKind.STRUCT: 49,
    SymbolKind.EVENT: 13,
    SymbolKind.OPERATOR: 34,
    SymbolKind.TYPE_PARAMETER: 58,
    SymbolKind.TRAIT: 53,
    SymbolKind.MACRO: 25,
    SymbolKind.TYPE: 55,
    SymbolKind.SECTION: 0,
}
"""SymbolInformation.Kind. SCIP has no kind for a heading."""

_SUFFIXES: Final = {
    **dict.fromkeys(
        (SymbolKind.FILE, SymbolKind.MODULE, SymbolKind.NAMESPACE, SymbolKind.PACKAGE), "/"
    ),
    **dict.fromkeys(
        (
            SymbolKind.CLASS,
            SymbolKind.ENUM,
            SymbolKind.INTERFACE,
            SymbolKind.STRUCT,
            SymbolKind.TRAIT,
            SymbolKind.TYPE,
        ),
        "#",
    ),
    **dict.fromkeys(
        (SymbolKind.METHOD, SymbolKind.CONSTRUCTOR, SymbolKind.FUNCTION, SymbolKind.OPERATOR), "()."
    ),
    SymbolKind.MACRO: "!",
    SymbolKind.SECTION: ":",
    SymbolKind.TYPE_PARAMETER: "]",
}
"""The suffix of a descriptor; `.` for all others."""

_DEFINITION: Final = 1
_ROLES: Final = ((SymbolFlag.GENERATED.value, 16), (SymbolFlag.TEST.value, 32))
"""Bits of SymbolRole."""

_UTF8: Final = 1
"""TextEncoding, and PositionEncoding: columns count bytes of UTF-8."""


def metadata(root_uri: str) -> bytes:
    """Returns the beginning of an index. root_uri: the folder to which the documents' paths are
    relative."""
    tool = _text(1, "symindex") + _text(2, __version__)
    return _message(1, _message(2, tool) + _text(3, root_uri) + _number(4, _UTF8))


def document(file: ListedFile, languages: Languages) -> bytes:
    """Returns a file with its selected symbols, as the next field of an index."""
    language = languages.by_id.get(file.known.language)
    language_name = (
        language.rules.format_names.get("scip", language.rules.name)
        if language is not None
        else file.known.language
    )
    names = _name_symbols(file)
    starts = (
        []
        if file.text is None
        else [0, *(match.end() for match in re.finditer(b"\n", file.text)), len(file.text) + 1]
    )
    written_in = _text(4, language_name)
    occurrences, information = [], []
    for number in file.wanted:
        symbol, name = file.symbols[number], names[number]
        occurrences.append(_message(2, _occurrence(symbol, name, starts)))
        outer = file.outer[number]
        enclosing = names[outer] if outer >= 0 and name.startswith(_LOCAL) else ""
        information.append(_message(3, _information(symbol, name, enclosing, written_in)))
    return _message(
        2,
        b"".join([_text(1, file.path), *occurrences, *information, written_in, _number(6, _UTF8)]),
    )


def _occurrence(symbol: Symbol, name: str, starts: list[int]) -> bytes:
    roles = _DEFINITION + sum(role for flag, role in _ROLES if symbol.flags & flag)
    of_name, of_definition = _ranges(symbol, starts)
    return _numbers(1, of_name) + _text(2, name) + _number(3, roles) + _numbers(7, of_definition)


def _information(symbol: Symbol, name: str, enclosing: str, written_in: bytes) -> bytes:
    signature = _message(7, written_in + _text(5, symbol.signature)) if symbol.signature else b""
    return (
        _text(1, name)
        + _text(3, symbol.doc)
        + _number(5, _KINDS[symbol.kind])
        + _text(6, symbol.name)
        + signature
        + _text(8, enclosing)
    )


_LOCAL: Final = "local "
_LOCAL_FLAG: Final = SymbolFlag.LOCAL.value


def _name_symbols(file: ListedFile) -> list[str]:
    """Returns a different name for each symbol of a file."""
    names = [""] * len(file.symbols)
    top = f"symindex . . . {_escape(file.path)}/"
    n_wanted: dict[str, int] = {}  # by name
    n_local = 0
    # An enclosing symbol has a shorter path, and must get its name first.
    for number in sorted(range(len(names)), key=lambda i: len(file.symbols[i].container)):
        symbol, outer = file.symbols[number], file.outer[number]
        if symbol.flags & _LOCAL_FLAG or (outer >= 0 and names[outer].startswith(_LOCAL)):
            names[number] = f"{_LOCAL}{n_local}"
            n_local += 1
            continue
        above = (
            names[outer]
            if outer >= 0
            else top + "".join(f"{_escape(part)}#" for part in symbol.container.split(".") if part)
        )
        first = name = above + _descriptor(symbol, 1)
        while name in n_wanted:
            n_wanted[first] += 1
            name = above + _descriptor(symbol, n_wanted[first])
        n_wanted[name] = 1
        names[number] = name
    return names


def _descriptor(symbol: Symbol, again: int) -> str:
    """Returns the last part of a symbol's name, for the first symbol of that name or a later
    one."""
    suffix = _SUFFIXES.get(symbol.kind, ".")
    if suffix == "().":
        return (
            f"{_escape(symbol.name)}(+{again - 1})." if again > 1 else f"{_escape(symbol.name)}()."
        )
    name = _escape(f"{symbol.name}~{again}" if again > 1 else symbol.name)
    return f"[{name}]" if suffix == "]" else f"{name}{suffix}"


_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+$-]+")


def _escape(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else f"`{name.replace('`', '``')}`"


def _ranges(symbol: Symbol, starts: list[int]) -> tuple[list[int], list[int]]:
    """Returns the ranges of a name and of its definition: the first line and column, the last line
    if it differs, the last column.

    starts: the beginnings of the text's lines, and its end; if empty, so is the range of the
    definition.
    """

    def place(byte: int) -> list[int]:
        row = bisect_right(starts, byte, hi=len(starts) - 1) - 1
        return [row, byte - starts[row]]

    name = [symbol.name_row, symbol.name_column]
    if not starts:
        return [*name, symbol.name_column + symbol.name_end - symbol.name_start], []
    name_end, start, end = place(symbol.name_end), place(symbol.start_byte), place(symbol.end_byte)
    if name_end[0] == symbol.name_row:
        name_end = [symbol.name_column + symbol.name_end - symbol.name_start]
    return [*name, *name_end], [*start, *end[start[0] == end[0] :]]


@lru_cache(maxsize=1 << 16)  # cached, because most numbers are small and occur again and again
def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    data.append(value)
    return bytes(data)


def _message(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _text(number: int, text: str) -> bytes:
    """Encodes a string; nothing for an empty one, which is the default."""
    return _message(number, text.encode("utf-8", "replace")) if text else b""


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value) if value else b""


def _numbers(number: int, values: list[int]) -> bytes:
    """Encodes a list of numbers; nothing for an empty one."""
    return _message(number, b"".join(map(_varint, values))) if values else b""
