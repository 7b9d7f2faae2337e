"""In broken, half-typed and conflicted files, nearly all other symbols are found in their
containers, and the file is reported as broken."""

import re
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from tests.support.whole import check_whole, whole_file

SAMPLES = sorted((Path(__file__).parent / "broken").glob("*.txt"))
"""Samples, each with a place for a statement, a place for a member, and the line that closes the
method before the member."""

WHOLE = Path(__file__).with_name("broken_symbols.txt")
"""All that is read of some of the broken samples."""

LEAST = {"ruby": 0.93}
"""Least average share of the other symbols that is found; 0.95 for all other languages."""


def read(name: str, text: str) -> FileSymbols:
    return read_bytes(FileSymbols(name, len(text), 0), text.encode(), load_languages())


def symbols(name: str, text: str) -> set[tuple[str, str]]:
    return {(symbol.qualified_name, str(symbol.kind)) for symbol in read(name, text).symbols}


def filled(sample: str, statement: str = "", member: str = "", close: bool = True) -> str:
    """Returns a sample with texts at its places."""
    sample = re.sub("⟦close⟧.*\n" if not close else "⟦close⟧", "", sample)
    return sample.replace("⟦stmt⟧", statement).replace("⟦member⟧", member)


def breakages(sample: str) -> Iterator[tuple[str, str]]:
    close = re.search("⟦close⟧(.*)", sample)
    conflict = "<<<<<<< HEAD\n{0}\n||||||| base\n{0}\n=======\n{0}\n>>>>>>> topic"
    yield "conflict in a body", filled(sample, conflict.format(""))
    yield "conflict between members", filled(sample, member=conflict.format(""))
    yield "half-typed statement", filled(sample, "        foo(")
    yield "half-typed string", filled(sample, '        x = "abc')
    if close is not None:
        yield "missing end", filled(sample, close=False)
        yield "end too many", filled(sample, member=close[1])
    yield "ends in a body", filled(sample[: sample.index("⟦stmt⟧")])
    yield "ends in a string", filled(sample[: sample.index("⟦stmt⟧")]) + '        x = "abc'


@pytest.mark.sample(2)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_other_symbols_keep_their_containers(path: Path, request: pytest.FixtureRequest) -> None:
    name, sample = path.stem, path.read_text()
    whole = symbols(name, filled(sample))
    shares = []
    for kind, text in breakages(sample):
        cut = filled(sample[: sample.index("⟦stmt⟧")])
        wanted = symbols(name, filled(sample)) if not kind.startswith("ends") else {
            row for row in whole if re.search(rf"(?<!\.)\b{re.escape(row[0].rpartition('.')[2].lstrip('$'))}\b[^.]", cut)
        }  # fmt: skip
        result = read(name, text)
        rows = {(symbol.qualified_name, str(symbol.kind)) for symbol in result.symbols}
        shares.append(len(wanted & rows) / len(wanted))
        update = request.config.getoption("--update")
        check_whole(WHOLE, f"{name}: {kind}", whole_file(result), update)
    assert sum(shares) / len(shares) >= LEAST.get(name.partition(".")[0], 0.95), shares


@pytest.mark.sample(8)
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_whole_file_is_not_called_broken(path: Path) -> None:
    result = read(path.stem, filled(path.read_text()))
    assert (result.broken_line, result.is_conflicted) == (0, False)


def test_the_line_of_the_break_is_reported() -> None:
    result = read("A.java", "class A {\n    void f() {\n        g();\n\n    void h() {\n    }\n}\n")
    assert result.broken_line == 5
    assert [symbol.qualified_name for symbol in result.symbols] == ["A", "A.f", "A.h"]


def test_both_sides_of_a_conflict_are_symbols_and_their_base_is_not() -> None:
    sides = "<<<<<<< HEAD\n    def f(self):\n||||||| base\n    def e(self):\n=======\n    def g(self):\n>>>>>>> x\n"
    text = f"class A:\n{sides}        return 1\n"
    result = read("a.py", text)
    assert [symbol.name for symbol in result.symbols] == ["A", "f", "g"]
    assert result.is_conflicted
    assert not read("a.py", text.replace("<<<<<<< HEAD", "").replace(">>>>>>> x", "")).is_conflicted


@pytest.mark.nightly
@pytest.mark.parametrize(
    "text",
    ["{" * 50_000, "}" * 50_000, "(\n" * 50_000, "class A {\n" * 20_000, "<<<<<<< x\n" * 50_000],
)
def test_hostile_brackets_take_bounded_time(text: str) -> None:
    started = process_time()
    read("A.java", text)
    assert process_time() - started < 10


def test_a_thousand_nested_conditionals_are_read() -> None:
    text = (
        "#if A\n" * 1_000
        + "int f(void) { return 0; }\n"
        + "#endif\n" * 1_000
        + "int g(void) { return 0; }\n"
    )
    assert {"f", "g"} <= {symbol.name for symbol in read("a.c", text).symbols}


@pytest.mark.parametrize(("count", "is_repaired"), [(200, True), (201, False)])
def test_enough_open_blocks_are_closed(count: int, is_repaired: bool) -> None:
    text = "".join(
        f"class A{n} {{\n    void f() {{\n        g();\n\n    void h() {{\n    }}\n}}\n"
        for n in range(count)
    )
    result = read("A.java", text)
    assert ("A100.h" in {symbol.qualified_name for symbol in result.symbols}) == is_repaired
    assert result.broken_line


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("a.cpp", 'R"x(half'),
        ("a.js", "`half ${x"),
        ("a.py", '"""half'),
        ("a.rs", 'r#"half'),
        ("a.go", "`half"),
        ("a.java", '"half'),
        ("a.cs", '@"half'),
        ("a.kt", '"""half'),
        ("a.swift", '"""half'),
        ("a.dart", "'half"),
        ("a.php", "<<<X\nhalf"),
        ("a.rb", "%w[half"),
        ("a.scala", '"""half'),
    ],
)
def test_a_file_that_ends_in_a_string(name: str, end: str) -> None:
    sample = next(path for path in SAMPLES if path.stem.endswith(name[1:])).read_text()
    cut = filled(sample[: sample.index("⟦stmt⟧")])
    rows = symbols(name, f"{cut}        x = {end}")
    assert len(rows) >= 0.75 * len(symbols(name, cut)) > 2


CONFLICTED = {
    "w.yaml": (
        "app:\n",
        "  name: a",
        "  name: b\n  port: 1",
        "  last: x\nother: 1\n",
        "app app.name app.port app.last other",
    ),
    "w.json": (
        '{"app": {\n',
        '"name": 1,',
        '"name": 2,\n"port": 1,',
        '"last": 1}}\n',
        "app app.name app.port app.last",
    ),
    "w.toml": (
        "[app]\n",
        "name = 1",
        "name = 2\nport = 1",
        "last = 1\n",
        "app app.name app.port app.last",
    ),
    "w.ini": ("[app]\n", "name = 1", "port = 1", "last = 1\n", "app app.name app.port app.last"),
    "w.sql": (
        "",
        "CREATE TABLE one (x int);",
        "CREATE TABLE two (x int);",
        "CREATE TABLE last (x int);\n",
        "one two last",
    ),
    "Makefile": (
        "app:\n\techo\n",
        "one: app\n\techo",
        "two: app\n\techo",
        "last: app\n",
        "app one two last",
    ),
    "Dockerfile": (
        "FROM a AS app\n",
        "FROM b AS one",
        "FROM b AS two",
        "FROM c AS last\n",
        "app one two last",
    ),
    "w.html": (
        '<h1 id="app">x</h1>\n',
        '<h2 id="one">x</h2>',
        '<h2 id="two">x</h2>',
        '<h2 id="last">x</h2>\n',
        "app one two last",
    ),
    "w.css": (
        ".app { color: red; }\n",
        ".one { color: red; }",
        ".two {\n color: red; }",
        ".last {}\n",
        "app one two last",
    ),
    "w.properties": ("app=1\n", "one=1", "two=2", "last=1\n", "app one two last"),
    "w.proto": (
        "message App {\n",
        "  string one = 1;",
        "  string two = 1;",
        "  int32 last = 2;\n}\n",
        "App App.one App.two App.last",
    ),
}
"""By name: the text before a conflict, its sides, the text after it, and the names that a reader
sees."""


@pytest.mark.parametrize("base", ["", "||||||| base\n"])
@pytest.mark.parametrize("name", CONFLICTED)
def test_both_sides_of_a_conflict_in_data_are_symbols(name: str, base: str) -> None:
    before, first, last, behind, expected = CONFLICTED[name]
    result = read(
        name, f"{before}<<<<<<< HEAD\n{first}\n{base}=======\n{last}\n>>>>>>> dev\n{behind}"
    )
    assert set(expected.split()) <= {symbol.qualified_name for symbol in result.symbols}
    assert result.is_conflicted


def test_a_half_typed_line_is_where_the_file_is_broken() -> None:
    result = read(
        "a.swift",
        "struct A {\n    var items: [Int] = [\n    let total: Int\n    func add() { }\n}\n",
    )
    assert result.broken_line == 2
    assert [symbol.qualified_name for symbol in result.symbols] == [
        "A",
        "A.items",
        "A.total",
        "A.add",
    ]
