"""Any bytes are read or skipped with a reason, without an exception and in limited time."""

import time
from itertools import groupby
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symindex.extract.captures import Captures, Definition, Scope
from symindex.extract.languages.registry import load_languages
from symindex.extract.parse.patterns import Pattern, PatternSettings
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.extract.scopes import nest_definitions
from symindex.extract.symbols import extract_symbols
from symindex.extract.texts.line_numbers import find_non_ascii
from symindex.protocol.kinds import SymbolFlag
from symindex.render.report import render_symbols
from tests.extract.test_grammars import FILES, LANGUAGES, language_of
from tests.support import marks
from tests.support.common_languages import lanes

SOURCES = {
    language: b"\n".join(path.read_bytes() for path in paths)
    for language, paths in groupby(FILES, key=lambda path: language_of(path).id)
}


def read(name: str, data: bytes) -> FileSymbols:
    return read_bytes(FileSymbols(name, len(data), 0), data, load_languages())


def names(result: FileSymbols) -> list[str]:
    return [symbol.name for symbol in result.symbols]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("language", lanes(LANGUAGES))
# The bytes are the same in each run: on some inputs a grammar uses all memory or never ends, which
# ends a worker, but would end this process. `python -m tests.attack mutants` and `grammars` search
# for such inputs in other processes.
@settings(
    max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.data())
def test_any_bytes(language: str, data: st.DataObject) -> None:
    """Pieces of real source are cut out, doubled, or replaced by random bytes."""
    source = bytearray(SOURCES[language][:4000])
    for _ in range(data.draw(st.integers(0, 6))):
        start = data.draw(st.integers(0, len(source)))
        length = data.draw(st.integers(0, 40))
        source[start : start + length] = data.draw(
            st.binary(max_size=20) | st.just(bytes(source[start : start + length]) * 3)
        )
    symbols, _ = extract_symbols(load_languages().by_id[language], bytes(source))
    for symbol in symbols:
        assert symbol.name
        assert (
            0
            <= symbol.start_byte
            <= symbol.name_start
            < symbol.name_end
            <= symbol.end_byte
            <= len(source)
        )
        assert symbol.start_row <= symbol.name_row <= symbol.end_row
        assert len(symbol.signature) <= 200
        assert "\n" not in symbol.signature


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "path", lanes(FILES, lambda path: language_of(path).id), ids=lambda path: path.name
)
def test_every_cut_of_a_real_file(path) -> None:  # type: ignore[no-untyped-def]
    code, _ = marks.read_marks(path.read_bytes().decode())
    data = code.encode()
    for end in range(0, len(data), max(len(data) // 12, 1)):
        extract_symbols(language_of(path), data[:end])


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("language", lanes(LANGUAGES))
def test_bytes_that_are_not_utf8_reach_every_predicate(language: str) -> None:
    """Each ASCII letter of real source becomes a Latin-1 letter, five letters at a time."""
    source = SOURCES[language][:6000]
    letters = sorted(set(source) & set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"))
    n_rounds = -(-len(letters) // 5)
    for start in range(n_rounds):
        replaced = bytes(letters[start::n_rounds])
        damaged = source.translate(bytes.maketrans(replaced, b"\xe9" * len(replaced)))
        extract_symbols(load_languages().by_id[language], damaged)


def test_symbols_after_an_error_are_found() -> None:
    result = read("a.py", b"def before(): pass\n\ndef broken(:::\n    ][\n\ndef after(): pass\n")
    assert "before" in names(result)
    assert "after" in names(result)
    assert result.has_error


@pytest.mark.parametrize(
    ("data", "skip"),
    [
        (b"", ""),
        (b"\n\n\n", ""),
        (b"\0\0\0", "binary"),
        (b"def f(): pass\n" + b"\0" * 10, "binary"),
        (b"x = '" + b"a" * 1_900_000 + b"'\n", ""),
        (b"x=1;" * 5_000, "minified"),
    ],
    ids=["empty", "blank", "nul", "nul inside", "one long line", "minified"],
)
def test_what_is_not_read_says_why(data: bytes, skip: str) -> None:
    result = read("a.py", data)
    assert (result.skip, list(result.symbols) if skip else []) == (skip, [])


@pytest.mark.parametrize(
    ("data", "encoding", "column"),
    [
        (b"\xef\xbb\xbfdef caf\xc3\xa9(): pass\n", "", 7),
        ("def café(): pass\n".encode("utf-16"), "utf-16", 4),
        (b"# caf\xe9\ndef plain(): pass\n", "cp1252", 4),
        (b"def caf\xe9(): pass\ndef plain(): pass\n", "cp1252", 4),
        (b"def one(): pass\r\ndef two(): pass\r\n", "", 4),
        (b"def one(): pass\rdef two(): pass\r", "", 4),
    ],
    ids=["byte order mark", "utf-16", "latin-1 comment", "latin-1 name", "crlf", "cr"],
)
def test_encodings(data: bytes, encoding: str, column: int) -> None:
    result = read("a.py", data)
    assert (result.skip, result.odd_encoding) == ("", encoding)
    assert list(result.symbols)[-1].name in ("café", "plain", "two", "one")
    assert next(iter(result.symbols)).name_column == column


@pytest.mark.parametrize(
    ("name", "data", "odd"),
    [
        ("a.py", "a = 1; b = '𝄞'; c = 2; d = 3\ne = 1\n", ["c", "d"]),
        ("a.py", "a = 'e\u0301'; b = 1\n", ["b"]),
        ("a.py", "if 1:\n\ta = 1;\tb = 1  # é\n", []),
        ("a.py", "# é\na = 1\né = 2; b = 3\ne\u0301 = 4\n", ["b"]),
        ("a.py", b"caf\xe9 = 2; b = 1\n", ["b"]),
        ("a.py", "a = 'é'; b = 1\n".encode("utf-16"), ["b"]),
        ("a.py", b"\xef\xbb\xbfa = 1; b = 2\nc = 3\n", ["a", "b"]),
        ("a.ts", "class A { 'b c'() {} 'b  d'() {} }\n", ["b d"]),
        (
            "a.ts",
            "it(`two\nlines`, () => {}); it('é', () => {}); it('f', () => {})\n",
            ["two lines", "f"],
        ),
        ("a.php", "<?php\nnamespace A\\B;\nfunction f() {}\n", []),
    ],
    ids=[
        "astral",
        "combining",
        "tab",
        "own letters",
        "latin-1",
        "utf-16",
        "mark",
        "folded",
        "two lines",
        "separator",
    ],
)
def test_places_that_bytes_do_not_tell(name: str, data: str | bytes, odd: list[str]) -> None:
    symbols = read(name, data if isinstance(data, bytes) else data.encode()).symbols
    assert [symbol.name for symbol in symbols if symbol.flags & SymbolFlag.ODD_PLACE] == odd
    assert "odd_place" not in render_symbols(list(symbols))


def test_a_name_after_text_outside_ascii_has_the_right_place() -> None:
    text = "éab𝄞c\nabé d\n\nab\n é".encode()
    places = find_non_ascii(text)
    for place in range(len(text)):
        start = text.rfind(b"\n", 0, place) + 1
        assert (places.get(start, place) < place) is not text[start:place].isascii()


def test_a_name_below_its_quote_stands_where_it_is() -> None:
    (symbol,) = read("a.ts", b"x();\nit(`\n\n  three`, () => {});\n").symbols
    assert (symbol.name.strip(), symbol.name_row) == ("three", 3)
    assert symbol.name_column + len(symbol.name) == len("  three")


def test_line_ends_do_not_matter() -> None:
    text = b'class A:\n    """Doc\n    more."""\n\n    def f(self,\n          x): pass\n\n# note\ndef g(): pass\n'
    plain, dos = read("a.py", text), read("a.py", text.replace(b"\n", b"\r\n"))
    fields = (
        "name",
        "kind",
        "container",
        "name_row",
        "name_column",
        "start_row",
        "end_row",
        "signature",
        "doc",
    )
    assert [[getattr(s, f) for f in fields] for s in plain.symbols] == [
        [getattr(s, f) for f in fields] for s in dos.symbols
    ]


@pytest.mark.nightly
def test_a_long_chain_of_scopes_is_freed() -> None:
    """Objects that the garbage collector does not track are freed recursively, which can overflow
    the stack."""
    depth = 100_000
    of_scopes = Pattern(0, 1, "", "", frozenset({"body"}), PatternSettings(scope="function"))
    of_functions = Pattern(
        1,
        2,
        "function",
        "definition.function",
        frozenset({"definition.function", "name"}),
        PatternSettings(),
    )
    scopes = [Scope(of_scopes, start, 2 * depth - start, start, None) for start in range(depth)]
    deepest = Definition(
        of_functions, depth, depth + 1, depth, depth, depth + 1, -1, -1, -1, -1, None
    )
    assert len(nest_definitions(Captures([deepest], scopes=scopes), 2 * depth)) == 1


PLACE = st.integers(0, 9)


@pytest.mark.nightly
@given(
    st.lists(st.tuples(PLACE, PLACE, PLACE), max_size=6),
    st.lists(st.tuples(PLACE, PLACE), max_size=3),
)
def test_nothing_is_around_itself(
    ranges: list[tuple[int, int, int]], scopes: list[tuple[int, int]]
) -> None:
    """Wherever names are: the names of two definitions may be in the bodies of both."""
    pattern = Pattern(0, 1, "variable", "", frozenset(), PatternSettings())
    definitions = [
        Definition(pattern, start, end, start, name, name + 1, start, end, start, end, None)
        for name, start, end in sorted(ranges)
    ]
    own_scopes = [Scope(pattern, start, end, start, None) for start, end in scopes if start < end]
    for node in nest_definitions(Captures(definitions, scopes=own_scopes), 10):
        parent, depth = node.parent, 0
        while parent is not None:
            parent, depth = parent.parent, depth + 1
            assert depth <= len(ranges) + len(scopes) + 1


@pytest.mark.parametrize(
    "text", ["Item { id: a; id: b }", "Item {\n id: a\n Item { id: b; id: c }\n}"]
)
def test_an_object_with_two_ids_has_both_names(text: str) -> None:
    result = read("a.qml", text.encode())
    assert names(result) == [word for word in "abc" if f"id: {word}" in text]


MANY_BYTES = 50_000
"""Bytes of each text. A thousand rounds for all languages take a quarter of an hour:
`python -m tests.attack repeated --count 1000`."""


def forms(code: bytes) -> dict[str, bytes]:
    """Returns the source as other systems and programs write it."""
    return {
        "crlf": code.replace(b"\n", b"\r\n"),
        "tabs": code.replace(b"  ", b"\t"),
        "doubled": code + b"\n" + code,
        "latin-1": code.decode().encode("latin-1", "replace"),
        "many": (code + b"\n") * min(1_000, MANY_BYTES // len(code)),
    }


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    lanes(FILES, lambda path: language_of(path).id),
    ids=lambda path: str(path.relative_to(path.parents[1])),
)
def test_other_forms_of_a_real_file(path: Path) -> None:
    """Each form is read without an exception and in limited time. Line ends and byte order marks
    change no symbol that the grammar can read."""
    language, code = language_of(path), marks.read_marks(path.read_bytes().decode())[0].encode()
    symbols, has_error = extract_symbols(language, code)
    plain = [symbol.qualified_name for symbol in symbols]
    started = time.process_time()
    read_forms = {form: extract_symbols(language, data) for form, data in forms(code).items()}
    assert time.process_time() - started < 20
    if not has_error and not read_forms["crlf"][1]:
        assert [symbol.qualified_name for symbol in read_forms["crlf"][0]] == plain
    marked = read_bytes(
        FileSymbols(path.name, 0, 0), b"\xef\xbb\xbf" + code, load_languages(), otherwise=language
    )
    if marked.language == language.id and load_languages().by_name(path.name) and not has_error:
        assert {symbol.qualified_name for symbol in marked.symbols} == {*plain}


_LOSING: Final = {
    "kconfig": 0.75,
    "terraform": 0.65,
    "firrtl": 0.5,
    "yuck": 0.4,
    "dockerfile": 0.4,
    "gleam": 0.25,
    "yaml": 0.2,
}
"""Largest loss around a line of garbage, for languages whose grammars give up more than the line
and its surroundings."""


@pytest.mark.sample(12)
@pytest.mark.slow
@pytest.mark.parametrize("language", lanes(LANGUAGES))
def test_definitions_before_and_after_garbage_are_found(language: str) -> None:
    """Nearly all definitions around a line of garbage are found. If the line has excess brackets,
    the definitions before it are found, and some after it."""
    loaded_language = load_languages().by_id[language]
    sources = [
        marks.read_marks(path.read_bytes().decode())[0].encode()
        for path in FILES
        if language_of(path).id == language
    ]
    data = max(sources, key=len)
    symbols, _ = extract_symbols(loaded_language, data)
    names = {symbol.name for symbol in symbols}
    cut = data.find(b"\n", len(data) // 2) + 1

    def around(garbage: bytes) -> set[str]:
        kept_symbols, _ = extract_symbols(loaded_language, data[:cut] + garbage + data[cut:])
        return names & {symbol.name for symbol in kept_symbols}

    lost = len(names) - len(around(b"\n\xff\xfe\x01 %%% \xe9\n"))
    assert lost <= max(len(names) * _LOSING.get(language, 0.12), 1)
    before = {symbol.name for symbol in symbols if symbol.name_start < cut}
    kept_names = around(b"\n)]} \xff\xfe %$ \x01 {[(\n")
    assert len(before & kept_names) >= len(before) * 0.4
    assert len(kept_names) >= len(names) // 4


@pytest.mark.parametrize(
    ("name", "data"), [("a.pl", b"d#"), ("a.pl", b"sub f {}\nd\n# x"), ("a.pl", b"s#")]
)
def test_inputs_on_which_a_grammar_never_ended(name: str, data: bytes) -> None:
    """The attack `grammars` found these inputs; repairs rescue what they can."""
    assert read(name, data).skip == ""
