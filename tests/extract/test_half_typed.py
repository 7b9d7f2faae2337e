"""A half-typed line affects neither the names nor the places of the code around it.

`half_typed.txt` contains sources with such lines, each with the names that a reader sees in it; `!`
marks a word that is not a name there.
"""

import re
from pathlib import Path

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from tests.support.whole import check_whole, whole_file

WHOLE = Path(__file__).with_name("half_typed_symbols.txt")

CASES = dict(
    case.split("\n", 1)
    for case in re.split(r"(?m)^=== ", (Path(__file__).parent / "half_typed.txt").read_text())[1:]
)
"""Sources by number and extension; the last line of each lists its names."""

LOST = {
    "21.cpp": {
        "A",
        "A.one",
        "A.y_",
    },  # without a base after the colon, the class looks like an expression
    "33.kt": {"C", "C.four"},  # any word can be an annotation
    "24.c": {"e.P"},  # in the half-typed line itself
    "48.rb": {"M.two"},
    "50.scala": {"d", "E", "E.e"},  # a value may begin on the next line, with any indentation
    "54.m": {"B.one", "B.three"},
}
"""Names that are not found yet. Update a row when its case improves."""


def read(name: str, text: str) -> FileSymbols:
    return read_bytes(FileSymbols(name, len(text), 0), text.encode(), load_languages())


def names(name: str, text: str) -> set[str]:
    return {symbol.qualified_name for symbol in read(name, text).symbols}


@pytest.mark.sample(53)
@pytest.mark.parametrize("name", CASES)
def test_a_half_typed_line_takes_no_other_name(name: str, request: pytest.FixtureRequest) -> None:
    """The page has all that is read of each source."""
    text, _, expected = CASES[name].rpartition("--- ")
    result = read("x." + name.partition(".")[2], text)
    check_whole(WHOLE, name, whole_file(result), request.config.getoption("--update"))
    names = {symbol.qualified_name for symbol in result.symbols}
    missing = {
        word for word in expected.split() if word.startswith("!") == (word.lstrip("!") in names)
    }
    assert missing == LOST.get(name, set()), names


def test_a_line_that_opens_a_block_is_never_hidden() -> None:
    assert names(
        "x.cs",
        "class A {\n    int x\n    public void F(int a {\n        g();\n    }\n    void H() { }\n}\n",
    ) >= {
        "A",
        "A.H",
    }


def test_a_line_that_goes_on_deeper_is_never_hidden() -> None:
    assert {"f", "g"} <= names(
        "x.c", "int f(int a odd\n      , int b)\n{\n    return 0;\n}\nint g(void) { return 0; }\n"
    )
