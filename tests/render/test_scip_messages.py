"""The bytes of exported SCIP, read by the published field numbers of `scip.proto`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex import __version__
from symindex.explore.listing import ListedFile
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.records import FileSymbols, Symbol
from symindex.protocol.kinds import SymbolFlag, SymbolKind
from symindex.render.exports.scip import document, metadata

Fields = list[tuple[int, Any]]


def numbers_in(data: bytes) -> list[int]:
    """Decodes variable-length numbers."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    assert shift == 0
    return numbers


def fields_of(data: bytes) -> Fields:
    """Decodes a message: the number and value of each field."""
    fields: Fields = []
    place = 0

    def number() -> int:
        nonlocal place
        start = place
        while data[place] >= 0x80:
            place += 1
        place += 1
        return numbers_in(data[start:place])[0]

    while place < len(data):
        field, form = divmod(number(), 8)
        if form == 0:
            fields.append((field, number()))
            continue
        assert form == 2
        length = number()
        assert place + length <= len(data)
        fields.append((field, data[place : place + length]))
        place += length
    return fields


@pytest.fixture(scope="module")
def languages() -> Languages:
    return load_languages(check=False)


def symbol(name: str, kind: SymbolKind = SymbolKind.METHOD, **more: Any) -> Symbol:
    fields: dict[str, Any] = {
        "container": "", "flags": 0, "start_byte": 0, "end_byte": 1, "start_row": 0, "end_row": 0,
        "name_start": 0, "name_end": 1, "name_row": 0, "name_column": 0, "signature": "", "doc": "",
    }  # fmt: skip
    return Symbol(name=name, kind=kind, **(fields | more))


def listed(*symbols: Symbol, outer: list[int] | None = None, **more: Any) -> ListedFile:
    fields: dict[str, Any] = {
        "path": "a.py", "known": FileSymbols("a.py", 0, 0, language="python"),
        "symbols": [*symbols], "wanted": [*range(len(symbols))],
        "outer": outer or [-1] * len(symbols), "kinds_elsewhere": {}, "text": b"x",
    }  # fmt: skip
    return ListedFile(**(fields | more))


def parts(file: ListedFile, languages: Languages) -> tuple[Fields, list[Fields], list[Fields]]:
    """Returns the fields of a document, those of its occurrences, and those of its symbols."""
    ((number, data),) = fields_of(document(file, languages))
    assert number == 2
    fields = fields_of(data)
    return (
        [(field, value) for field, value in fields if field not in (2, 3)],
        [fields_of(value) for field, value in fields if field == 2],
        [fields_of(value) for field, value in fields if field == 3],
    )


def names_of(file: ListedFile, languages: Languages) -> list[str]:
    _, occurrences, symbols = parts(file, languages)
    names = [dict(fields)[2] for fields in occurrences]
    assert names == [dict(fields)[1] for fields in symbols]
    return [name.decode().removeprefix("symindex . . . `a.py`/") for name in names]


def test_the_metadata() -> None:
    ((number, data),) = fields_of(metadata("file:///r"))
    assert number == 1
    (tool_number, tool), *rest = fields_of(data)
    assert tool_number == 2 and rest == [(3, b"file:///r"), (4, 1)]
    assert fields_of(tool) == [(1, b"symindex"), (2, __version__.encode())]


def test_a_document(languages: Languages) -> None:
    text = b"class A:\n  def f(self):\n    pass\n"
    inner = symbol(
        "f", container="A", flags=SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.EXPORTED,
        start_byte=11, end_byte=32, start_row=1, end_row=2, name_start=15, name_end=16, name_row=1,
        name_column=6, signature="def f(self)", doc="Does.",
    )  # fmt: skip
    outer = symbol("A", SymbolKind.CLASS, end_byte=8, name_start=6, name_end=7, name_column=6)
    file = listed(outer, inner, outer=[-1, 0], text=text)
    fields, occurrences, symbols = parts(file, languages)
    assert fields == [(1, b"a.py"), (4, b"Python"), (6, 1)]
    assert [[*map(numbers_in, (row[0][1], row[3][1]))] for row in occurrences] == [
        [[0, 6, 7], [0, 0, 8]],
        [[1, 6, 7], [1, 2, 2, 8]],
    ]
    assert [[field for field, _ in row] for row in occurrences] == [[1, 2, 3, 7]] * 2
    assert [dict(row)[3] for row in occurrences] == [1, 1 + 16 + 32]
    name = b"symindex . . . `a.py`/A#f()."
    assert symbols[1][:-1] == [(1, name), (3, b"Does."), (5, 26), (6, b"f")]
    assert fields_of(dict(symbols[1])[7]) == [(4, b"Python"), (5, b"def f(self)")]
    assert symbols[0] == [(1, b"symindex . . . `a.py`/A#"), (5, 7), (6, b"A")]
    only = file._replace(wanted=[1])
    assert parts(only, languages)[1:] == (occurrences[1:], symbols[1:])


def ranges(listed_symbol: Symbol, text: bytes | None, languages: Languages) -> list[list[int]]:
    _, (row,), _ = parts(listed(listed_symbol, text=text), languages)
    return [numbers_in(value) for field, value in row if field in (1, 7)]


def test_ranges(languages: Languages) -> None:
    text = b"ab\ncd\n"
    two_lines = symbol("n", name_start=1, name_end=4, name_column=1, start_byte=1, end_byte=6)
    assert ranges(two_lines, text, languages) == [[0, 1, 1, 1], [0, 1, 2, 0]]
    at_end = symbol("n", name_start=3, name_end=5, name_row=1, start_byte=3, end_byte=5)
    assert ranges(at_end, text, languages) == [[1, 0, 2], [1, 0, 2]]
    # A name whose row is not the one of its byte keeps its row and its length in bytes.
    assert ranges(two_lines, b"abcdef", languages) == [[0, 1, 4], [0, 1, 6]]
    # A definition that ends with the file, without a line feed at its end.
    assert ranges(symbol("n", end_byte=5, name_end=2), b"ab\ncd", languages) == [[0, 0, 2], [0, 0, 1, 2]]  # fmt: skip
    # Without the text there is no range of the definition.
    assert ranges(two_lines, None, languages) == [[0, 1, 4]]


@given(st.lists(st.integers(0, 1 << 40), min_size=3, max_size=3))
def test_numbers_of_any_size_are_read_back(languages: Languages, numbers: list[int]) -> None:
    row, column, length = numbers
    listed_symbol = symbol("n", name_row=row, name_column=column, name_start=0, name_end=length)
    assert ranges(listed_symbol, None, languages) == [[row, column, column + length]]


SUFFIXES = {
    "class": (7, "n#"), "enum": (11, "n#"), "interface": (21, "n#"), "struct": (49, "n#"),
    "trait": (53, "n#"), "type": (55, "n#"), "file": (16, "n/"), "module": (29, "n/"),
    "namespace": (30, "n/"), "package": (35, "n/"), "method": (26, "n()."),
    "constructor": (9, "n()."), "function": (17, "n()."), "operator": (34, "n()."),
    "macro": (25, "n!"), "section": (None, "n:"), "typeParameter": (58, "[n]"),
    "property": (41, "n."), "field": (15, "n."), "variable": (61, "n."), "constant": (8, "n."),
    "string": (48, "n."), "number": (32, "n."), "boolean": (6, "n."), "array": (1, "n."),
    "object": (33, "n."), "key": (22, "n."), "null": (31, "n."), "enumMember": (12, "n."),
    "event": (13, "n."),
}  # fmt: skip
"""The number of each kind in `scip.proto`, and the form of its descriptor."""


def test_every_kind_has_its_number_and_its_descriptor(languages: Languages) -> None:
    assert {*SUFFIXES} == {*SymbolKind} - {"item"}
    for kind, (number, name) in SUFFIXES.items():
        _, _, (row,) = parts(listed(symbol("n", SymbolKind(kind))), languages)
        assert dict(row).get(5) == number, kind
        assert names_of(listed(symbol("n", SymbolKind(kind))), languages) == [name]


def test_names_are_unique(languages: Languages) -> None:
    cart = symbol("C", SymbolKind.CLASS)
    symbols = [
        cart,
        *[symbol("f", container="C")] * 3,
        *[symbol("x", SymbolKind.FIELD, container="C")] * 3,
        *[symbol("T", SymbolKind.TYPE_PARAMETER, container="C")] * 2,
        symbol("x~2", SymbolKind.FIELD, container="C"),
        symbol("a`b c", SymbolKind.FIELD),
        symbol("g", container="Else.Where"),
        symbol("g", container=""),
    ]
    outer = [-1, *[0] * 9, -1, -1, -1]
    assert names_of(listed(*symbols, outer=outer), languages) == [
        "C#", "C#f().", "C#f(+1).", "C#f(+2).", "C#x.", "C#`x~2`.", "C#`x~3`.", "C#[T]", "C#[`T~2`]",
        "C#`x~2~2`.", "`a``b c`.", "Else#Where#g().", "g().",
    ]  # fmt: skip


def test_what_is_inside_of_a_function_is_local(languages: Languages) -> None:
    local = SymbolFlag.LOCAL
    symbols = [
        symbol("m", container="f.L"),
        symbol("f"),
        symbol("L", SymbolKind.CLASS, container="f", flags=local),
        symbol("z", container="", flags=local),
    ]
    file = listed(*symbols, outer=[2, -1, 1, -1])
    assert names_of(file, languages) == ["local 2", "f().", "local 1", "local 0"]
    _, _, rows = parts(file, languages)
    assert [dict(row).get(8) for row in rows] == [
        b"local 1", None, b"symindex . . . `a.py`/f().", None,
    ]  # fmt: skip


def test_an_unknown_language_has_its_id(languages: Languages) -> None:
    record = FileSymbols("a.py", 0, 0, language="klingon")
    assert parts(listed(known=record), languages)[0] == [(1, b"a.py"), (4, b"klingon"), (6, 1)]
