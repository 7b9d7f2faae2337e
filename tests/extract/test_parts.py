"""The stages between captures and the index, alone: packed symbols and tokens, nesting, clauses, docs,
flags of paths, the rows of prose, digests, summaries of languages."""

from array import array
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.extract import reading_rules
from symindex.extract.clauses import count_parameters, split_parameters
from symindex.extract.containment import OpenRanges, find_outer, find_parents, ranges_around
from symindex.extract.described import describe, texts_of
from symindex.extract.items.types import shipped_item_types
from symindex.extract.languages.language import Language
from symindex.extract.languages.registry import Languages, load_languages
from symindex.extract.languages.schema import LanguageFile
from symindex.extract.languages.tree_rules import TreeRules
from symindex.extract.path_flags import path_flags
from symindex.extract.read import read_bytes
from symindex.extract.reading_rules import rules_digest
from symindex.extract.records import (
    NAME_HERE,
    UNSETTLED,
    FileSymbols,
    PackedSymbols,
    ReadTask,
    Symbol,
    SymbolRow,
    pack_rows,
    settled_mtime,
)
from symindex.extract.summary import summarize_formats, summarize_language, summarize_languages
from symindex.extract.symbols import extract_symbols
from symindex.extract.word_lists import (
    PackedTokens,
    is_distinctive,
    is_token,
    mention_hash,
    pack_mentions,
    pack_tokens,
)
from symindex.protocol.kinds import SymbolFlag, SymbolKind

FEW = settings(max_examples=50, deadline=None)


def row(
    name: str, signature: str = "", doc: str = "", end: int = 9, kind: str = "function"
) -> SymbolRow:
    return (name, "c", signature, doc, kind, 3, 1, end, 0, 2, 4, 5, 1, 7)


# Packed symbols.


@FEW
@given(st.lists(st.tuples(*[st.text("ab\0\x01 é\n", max_size=6)] * 3), min_size=1, max_size=4))
def test_packed_symbols_are_unpacked_without_their_marks(rows: list[tuple[str, str, str]]) -> None:
    def plain(text: str) -> str:
        return text.replace("\0", "").replace(NAME_HERE, "")

    packed = pack_rows([row(plain(name), signature, doc) for name, signature, doc in rows])
    symbols = [*packed]
    assert len(packed) == packed.count == len(symbols) == len(rows)
    for symbol, (name, signature, doc) in zip(symbols, rows, strict=True):
        name = plain(name)
        assert (symbol.name, symbol.container, symbol.kind) == (name, "c", SymbolKind.FUNCTION)
        assert [symbol.signature, symbol.doc] == [plain(signature), plain(doc)]
        numbers = (
            symbol.flags,
            symbol.start_byte,
            symbol.end_byte,
            symbol.start_row,
            symbol.end_row,
        )
        assert numbers == (3, 1, 9, 0, 2)
        places = (symbol.name_start, symbol.name_end, symbol.name_row, symbol.name_column)
        assert places == (4, 5, 1, 7)


def test_a_name_is_stored_once() -> None:
    packed = pack_rows([row("f", "def f(f)", "f does f")])
    assert packed.signatures == b"de\x01 f(f)\0"  # its first occurrence
    assert packed.docs == b"\x01 does f\0" and packed.names == b"f\0"
    assert [symbol.signature for symbol in packed] == ["def f(f)"]
    assert pack_rows([]) == PackedSymbols() and len(PackedSymbols()) == 0
    (symbol,) = pack_rows([row("f", end=2**32)])
    assert symbol.end_byte == 2**32 - 1
    (symbol,) = pack_rows([row("f", end=2**32 - 1)])
    assert symbol.end_byte == 2**32 - 1
    assert symbol.qualified_name == "c.f"


def unpacked(tokens: PackedTokens) -> list[set[str]]:
    texts = tokens.texts.decode().split("\0")[:-1]
    numbers, counts = (array("I", part).tolist() for part in (tokens.numbers, tokens.counts))
    token_sets = []
    for count in counts:
        token_sets.append({texts[number] for number in numbers[:count]})
        del numbers[:count]
    assert numbers == [] and len(texts) == len({*texts})
    return token_sets


def test_tokens_of_texts() -> None:
    packed = pack_tokens(
        "f\0gé\0h\0".encode(), ["def f(a, b_1)", "x-y", ""], ["One two.\nThree\nfour", "é9", ""]
    )
    assert unpacked(packed) == [
        {"def", "a", "b_1"}, {"One", "two"}, {"Three", "four"},
        {"x", "y", "\x01"}, {"é9"}, set(),
        {"\x01"}, set(), set(),
    ]  # fmt: skip


def test_tokens_of_prose_are_repeated_as_in_the_content() -> None:
    """Identifiers are one token, the name of a section is one of its title, and a token is packed
    up to four times."""
    content = "more a.b words --all " + "often " * 5 + "four " * 4
    section = row("f x", "f, g", "a b", kind="section")
    tokens = pack_rows([section, row("y", "z")], [content, ""]).tokens
    assert unpacked(tokens) == [
        {"f", "x", "g", "\x01"}, {"a", "b"}, {"more", "a.b", "words", "--all", "often", "four"},
        {"z", "\x01"}, set(), set(),
    ]  # fmt: skip
    texts = tokens.texts.decode().split("\0")
    numbers = array("I", tokens.numbers).tolist()
    assert [numbers.count(texts.index(word)) for word in ("more", "often", "four")] == [1, 4, 4]


@pytest.mark.parametrize(
    ("name", "is_counted"),
    [("ab", False), ("aB", True), ("a_b", True), ("_ab", False), ("ab_", False), ("A", True), ("é", True), ("a1", False), ("1", True)],
)  # fmt: skip
def test_names_whose_mentions_are_counted(name: str, is_counted: bool) -> None:
    assert is_distinctive(name) is is_counted
    data = f"x {name} own_name.{name}".encode()
    expected = [mention_hash(name)] if is_counted else []
    assert [*array("I", pack_mentions(data, b"own_name\0", b""))] == expected
    assert mention_hash(name) == crc32(name.encode()) % 2**24


def test_whole_tokens() -> None:
    assert [is_token(text) for text in ("ab_1", "é", "a b", "a-b", "a.b", "")] == [
        True, True, False, False, False, True,
    ]  # fmt: skip


def test_a_time_is_stored_unless_the_next_write_may_leave_it() -> None:
    """Clocks have steps of up to 20 ms, and of 2 s where they have no fractions of a second."""
    now = 10 * 10**9
    second = 3 * 10**9
    assert settled_mtime(second, second, now) == second
    for ago, kept in (
        (20_000_000, True),
        (19_999_999, False),
        (-20_000_000, True),
        (-19_999_999, False),
    ):
        written = now + 7 - ago  # not at a whole second
        for times in ((written, second), (second, written)):
            mtime = settled_mtime(*times, now + 7)
            assert mtime == (times[0] if kept else UNSETTLED)
    for ago, kept in ((2 * 10**9, True), (10**9, False)):
        assert (settled_mtime(now - ago, second, now) == now - ago) is kept


def test_results_of_a_file_begin_empty() -> None:
    result = FileSymbols("a", 1, 2)
    assert msgspec.to_builtins(result)[2:13] == [2, 0, "", "", 0, "", "", "", False, False, [0, "", "", "", "", "", ["", "", ""]]]  # fmt: skip
    assert (result.mentions, result.items, result.broken_line, result.is_conflicted) == (
        b"",
        [],
        0,
        False,
    )
    assert ReadTask("a").known_digest == b""
    for struct_, name in (
        (ReadTask("a"), "path"),
        (PackedSymbols(), "count"),
        (PackedTokens(), "texts"),
    ):
        with pytest.raises(AttributeError):
            setattr(struct_, name, None)


# Nesting.

RANGES = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 8)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    max_size=6,
)


@FEW
@given(RANGES, st.lists(st.integers(0, 17), max_size=5))
def test_open_ranges_are_those_around_a_place(
    ranges: list[tuple[int, int]], places: list[int]
) -> None:
    starts, ends = [start for start, _ in ranges], [end for _, end in ranges]
    order = sorted(range(len(ranges)), key=lambda number: (starts[number], -ends[number]))
    opened = OpenRanges(starts, ends, order)
    for place in sorted(places):
        numbers = opened.at(place)
        around = [number for number in order if starts[number] <= place < ends[number]]
        assert (numbers[-1] if numbers else -1) == (around[-1] if around else -1)
        assert set(around) <= set(numbers)


@FEW
@given(RANGES)
def test_the_innermost_range_around_another(ranges: list[tuple[int, int]]) -> None:
    unique = list(dict.fromkeys(ranges))
    unique = [
        (start, end)
        for start, end in unique
        if not any(a < start < b < end or start < a < end < b for a, b in unique)
    ]
    starts, ends = [start for start, _ in unique], [end for _, end in unique]
    order = sorted(range(len(unique)), key=lambda number: (starts[number], -ends[number]))
    for number, innermost in enumerate(ranges_around(starts, ends, order)):
        outer = [
            other
            for other in range(len(unique))
            if other != number and starts[other] <= starts[number] and ends[other] >= ends[number]
        ]
        expected = min(outer, key=lambda other: ends[other] - starts[other], default=-1)
        assert innermost == expected


def symbol(name: str, start: int, end: int, container: str = "", kind: str = "class") -> Symbol:
    return Symbol(
        name, SymbolKind(kind), container, 0, start, end, 0, 0, start, start + 1, 0, 0, "", ""
    )


def test_equal_ranges_are_nested_by_their_containers() -> None:
    assert find_parents([symbol("a", 0, 9), symbol("c", 0, 9, "a")]) == [-1, 0]
    assert find_parents([symbol("a", 0, 9), symbol("c", 0, 9)]) == [-1, -1]
    assert find_parents([symbol("a", 0, 9), symbol("b", 1, 9), symbol("c", 5, 9)]) == [-1, 0, 1]


def test_the_symbol_that_a_container_names() -> None:
    assert find_outer([symbol("a", 0, 9), symbol("b", 1, 2, "a"), symbol("c", 20, 21, "a")]) == [
        -1,
        0,
        0,
    ]
    assert find_outer([symbol("a", 0, 9), symbol("b", 1, 2)]) == [-1, -1] and find_outer([]) == []
    two = [symbol("a", 0, 9), symbol("a", 10, 19), symbol("b", 12, 13, "a")]
    assert find_outer(two)[2] == 1
    apart = [symbol("a", 0, 9, kind="function"), symbol("a", 10, 19), symbol("b", 30, 31, "a")]
    assert find_outer(apart)[2] == 1  # a type is better than a function
    assert find_outer([symbol("a", 0, 9), symbol("a", 10, 19), symbol("b", 30, 31, "a")])[2] == 0
    for n_between, outer in ((7, 0), (8, 1)):  # eight on either side are tried
        many = [
            symbol("a", 0, 99, kind="function"),
            *(symbol("a", 1 + number, 2 + number) for number in range(n_between)),
            symbol("b", 50, 51, "a"),
        ]
        assert find_outer(many)[-1] == outer
    nested = [
        symbol("x", 0, 99),
        symbol("a", 1, 50, "x"),
        symbol("b", 2, 3, "x.a"),
        symbol("c", 4, 5, "x"),
    ]
    assert find_outer(nested) == [-1, 0, 1, 0]


# Parameters.


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("(a, b)", ["a", "b"]),
        (" ( a , b ) x", ["a", "b"]),
        ("()", []),
        ("( )", []),
        ("(a,)", ["a", ""]),
        ("(,)", ["", ""]),
        ("(a(b, c), [d, e], {f, g}, <<h, i>>)", ["a(b, c)", "[d, e]", "{f, g}", "<<h, i>>"]),
        ('(a = ",)", b)', ['a = ",)"', "b"]),
        ("(a = ',', b)", ["a = ','", "b"]),
        ('(a = "\\",", b)', ['a = "\\","', "b"]),
        ("(?,, b)", ["?,", "b"]),
        ("($,, b)", ["$,", "b"]),
        ("(?\\), b)", ["?\\)", "b"]),
        ("(a, b", ["a", "b"]),
        ("a, b)", []),
        ("", []),
        ("(a < b, c > d)", ["a < b", "c > d"]),
        ("(" + "a" * 1_999 + ", b)", ["a" * 1_999]),
        ("(" + "a" * 1_996 + ", b)", ["a" * 1_996, "b"]),
    ],
)
def test_parameters_are_divided(text: str, parameters: list[str]) -> None:
    assert split_parameters(text) == parameters and count_parameters(text) == len(parameters)


# Docs.


def doc_of(source: str, language: str = "c") -> str:
    symbols = extract_symbols(load_languages().by_id[language], source.encode())[0]
    return next(symbol.doc for symbol in symbols if symbol.name == "f")


@pytest.mark.parametrize(
    ("source", "doc"),
    [
        ("// a\nint f(void) {}", "a"),
        ("// a\n\nint f(void) {}", ""),
        ("/* a */ int f(void) {}", "a"),
        ("// a\n// b\nint f(void) {}", "a\nb"),
        ("// a\n\n// b\nint f(void) {}", "b"),
        ("/* a */\n// b\nint f(void) {}", "b"),
        ("/* a */\n/* b */\nint f(void) {}", "b"),
        ("int x; // a\nint f(void) {}", ""),
        ("int x; // a\n// b\nint f(void) {}", "b"),
        ("// a\nstatic inline\nint f(void) {}", "a"),
        ("// a\n" + " " * 999 + "int f(void) {}", "a"),
        ("// a\n" + " " * 1_001 + "int f(void) {}", ""),
        ("// " + "a" * 1_000 + "\nint f(void) {}", "a" * 1_000),
        ("// " + "a" * 1_001 + "\nint f(void) {}", "a" * 999 + "…"),
    ],
)
def test_which_comments_document_a_definition(source: str, doc: str) -> None:
    assert doc_of(source) == doc


@pytest.mark.parametrize(
    ("source", "language", "doc"),
    [
        ("# a\n@b\n# c\ndef f(): pass\n", "python", "a"),
        ('# a\ndef f():\n    """d"""\n', "python", "d"),
        ('def f():\n\n    """d"""\n', "python", "d"),
        ("/// a\n#[b]\npub fn f() {}\n", "rust", "a"),
        ("/// a\n#[b]\n/// c\nfn f() {}\n", "rust", "a\nc"),
        ("/** a */\n@B\nclass f {}\n", "java", "a"),
        ("enum E {\n  /** a */ f }\n", "java", "a"),
        ("enum E { /** a */ f }\n", "java", ""),
        ("/** e */\nenum E { f }\n", "java", ""),
        ("/** a */ export function f() {}\n", "typescript", "a"),
    ],
)
def test_docs_with_attributes_and_in_bodies(source: str, language: str, doc: str) -> None:
    assert doc_of(source, language) == doc


# Flags of files.

TEST, VENDORED, GENERATED = SymbolFlag.TEST, SymbolFlag.VENDORED, SymbolFlag.GENERATED


@pytest.mark.parametrize(
    ("path", "flags"),
    [
        ("a.go", 0), ("a_test.go", TEST), ("tests/a.go", TEST), ("Test/a.go", TEST), ("mytests/a.go", 0),
        ("src/main/a_test.go", 0), ("src/jvmMain/a_test.go", 0), ("asrc/main/a_test.go", TEST), ("vendor/a.go", VENDORED),
        (".x/a.go", VENDORED), ("a/.x/b.go", VENDORED), (".a.go", 0), ("a.x/b.go", 0), ("vendor/test/a.go", VENDORED | TEST),
        ("a.pb.go", GENERATED), ("a_pb2.py", GENERATED), ("a.min.js", GENERATED), ("a_generated.go", GENERATED),
        ("A.G.CS", GENERATED), ("apb2.py", 0), ("a.generated.x.go", 0), ("pb.go", 0),
    ],
)  # fmt: skip
def test_what_a_path_says(path: str, flags: int) -> None:
    assert path_flags(path, load_languages().by_id["go"]) == flags
    of_name = TEST if path.endswith("_test.go") else 0  # a rule of the language
    assert path_flags(path, None) == flags & ~of_name


@pytest.mark.parametrize(
    ("text", "is_generated"),
    [
        ("// @generated\n", True),
        ("// Code generated by x. DO NOT EDIT.\n", True),
        ("// autogenerated file\n", True),
        ("// auto-generated by x\n", True),
        ("// generated by hand\n", False),
        ("// Do not modify: " + "x" * 20 + " generated\n", True),
        ("\n" * 1_989 + "// @generated\n", False),
        ("\n" * 1_987 + "// @generated\n", True),
    ],
)
def test_generated_files_say_so_at_their_head(text: str, is_generated: bool) -> None:
    data = f"{text}int f(void) {{ return 1; }}\n".encode()
    result = read_bytes(FileSymbols("a.c", len(data), 0), data, load_languages())
    assert bool(result.flags & GENERATED) is is_generated


# Functions declared through a type.


def test_functions_are_declared_through_their_type() -> None:
    source = b"typedef int handler(int);\ntypedef handler other;\nhandler on_click;\nother on_key;\nint x;\n"
    symbols = extract_symbols(load_languages().by_id["c"], source)[0]
    kinds = {
        symbol.name: (str(symbol.kind), bool(symbol.flags & SymbolFlag.DECLARATION))
        for symbol in symbols
    }
    assert kinds["on_click"] == kinds["on_key"] == ("function", True)
    assert kinds["x"][0] == "variable" and kinds["handler"][0] == "type"


# Rows of prose.


def prose(
    path: str, text: str, language: str = "", format_id: str = "", **more: Any
) -> list[tuple[Any, ...]]:
    own = load_languages().by_id.get(language)
    described = describe(path, text.encode(), own, format_id, shipped_item_types(), **more)
    return [] if described is None else [
        (row.name, row.container, row.signature, row.doc, str(row.kind), row.flags,
         row.start_byte, row.end_byte, row.start_row, row.end_row, row.name_start, row.name_end, row.name_row, row.name_column)
        for row in described.rows
    ]  # fmt: skip


ODD = SymbolFlag.ODD_PLACE


def test_rows_of_sections_and_items() -> None:
    text = "# *A*\n\n--\nfirst words\nmore\n\n## B\né ## C\n"
    assert prose("x.md", text, format_id="markdown")[1:] == [
        ("A", "", "# *A*", "first words", "section", ODD, 0, 40, 0, 7, 2, 5, 0, 2),
        ("B", "A", "## B", "é ## C", "section", 0, 28, 40, 6, 7, 31, 32, 6, 3),
    ]
    (item, *_) = prose("x.md", text, format_id="markdown")
    assert item[:5] == ("x", "", "A", "-- first words more", "item") and item[6:10] == (0, 41, 0, 7)
    code = "#!/bin/python\n\n# About it.\n# More.\n\nx = 1\n"
    assert prose("d/x.py", code, "python") == [
        ("x.py", "", "About it.", "About it. More.", "section", ODD, 15, 34, 2, 3, 15, 15, 2, 0)
    ]
    assert prose("x.py", "x = 1\n", "python") == [] and prose("x.json", "# a\n", "json") == []
    assert [
        text.text for text in texts_of("d/x.py", code.encode(), load_languages(), "python")
    ] == ["About it.\nMore."]
    marked = prose("x.html", "<h1>A</h1>\n<h2>B</h2>\n", format_id="html", is_marked=True)
    assert [row[5] for row in marked] == [ODD, 0]
    plain = prose("x.html", "<h1>A</h1>\n<h2>B</h2>\n", format_id="html")
    assert [row[5] for row in plain] == [0, 0]


def test_texts_of_rows_are_bounded() -> None:
    for size, doc in ((1_000, "w" * 1_000), (1_001, "w" * 999 + "…")):
        text = f"<h1>A</h1>{'w' * size}"
        assert prose("x.html", text, format_id="html")[0][3] == doc
    for size, signature in ((200, "# " + "t" * 198), (201, "# " + "t" * 197 + "…")):
        rows = prose("x/y.md", f"# {'t' * (size - 2)}\n", format_id="markdown")
        assert rows[-1][2] == signature


# What decides how files are read.


def test_the_digest_of_the_rules_follows_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Language("x", LanguageFile(name="X", grammar="c"), "")
    languages = Languages([own])
    digest = rules_digest(languages, [])
    assert len(digest) == 16 and digest == rules_digest(Languages([own]), [])
    others = [
        rules_digest(Languages([own, Language("y", own.rules, "")]), []),
        rules_digest(languages.choose([], TreeRules(code_fences=True)), []),
        rules_digest(languages, [{"type": "a"}]),
    ]
    for name, value in (
        ("DESCRIBED_VERSION", 99),
        ("_chardet", lambda: "c"),
        ("_tables", lambda: b"t"),
    ):
        monkeypatch.setattr(reading_rules, name, value)
        others.append(rules_digest(languages, []))
        monkeypatch.undo()
    assert len({digest, *others}) == 7


def test_the_version_of_chardet_is_that_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path / "none"), str(tmp_path)])
    (tmp_path / "Chardet-9.9.dist-info").mkdir()
    (tmp_path / "chardetx").mkdir()
    assert reading_rules._chardet.__wrapped__() == "Chardet-9.9.dist-info"
    monkeypatch.setattr("sys.path", [str(tmp_path / "none")])
    assert reading_rules._chardet.__wrapped__() == ""


# Summaries.


@pytest.mark.parametrize(
    ("query", "rules", "tier", "traits"),
    [
        ("", {}, "basic", (False, False, False, False)),
        ("(a) @definition.function", {}, "good", (True, True, False, False)),
        ("(a) @doc (b) @definition.function", {"test_paths": ["*_t"]}, "full", (True, True, True, True)),
        ("(a) @doc (b) @definition.function", {}, "good", (True, True, True, False)),
        ("(a) @body", {}, "basic", (False, False, False, False)),
        ("(a) @container", {}, "basic", (True, False, False, False)),
        ("; (a) @doc\n(b) @definition.function (#set! flag test)", {}, "good", (True, True, False, True)),
    ],
)  # fmt: skip
def test_what_a_language_yields(
    query: str, rules: dict[str, Any], tier: str, traits: tuple[bool, ...]
) -> None:
    own = Language("x", LanguageFile(name="X", grammar="c", **rules), query)
    summary = summarize_language(own)
    assert (
        summary.tier,
        (summary.containers, summary.signatures, summary.docs, summary.flags),
    ) == (
        tier,
        traits,
    )
    assert (summary.id, summary.name, summary.embeds) == ("x", "X", [])


def test_kinds_that_rules_make() -> None:
    def kinds(query: str, **rules: Any) -> list[str]:
        return summarize_language(
            Language("x", LanguageFile(name="X", grammar="c", **rules), query)
        ).kinds

    assert kinds("(a) @definition.function", inside={"class": {"function": "method"}}) == [
        "method",
        "function",
    ]
    assert kinds("(a) @definition.field", inside={"class": {"function": "method"}}) == ["field"]
    assert kinds("(a) @definition.method", constructors=["new"]) == ["method", "constructor"]
    assert kinds("(a) @definition.function", constructors=["new"]) == ["function"]
    assert kinds("(a) @definition.variable", constants="A") == ["variable", "constant"]
    assert kinds("(#set! kind constant)") == ["constant"]


def test_summaries_of_all_that_is_read() -> None:
    languages = summarize_languages()
    assert [language.id for language in languages] == sorted(load_languages().by_id)
    of_page = next(language for language in languages if language.id == "html")
    assert of_page.name == "HTML"
    tiers = {language.id: language.tier for language in languages}
    assert tiers["python"] == "full" and tiers["json"] != "full"
    order = ("full", "good", "basic")
    for language in languages:
        for inner in language.embeds:
            if inner in tiers:
                assert order.index(language.tier) <= order.index(tiers[inner])
    formats = {summary.id: summary for summary in summarize_formats()}
    assert formats["markdown"].sections and not formats["yaml"].sections
    assert "README" in formats["text"].files and ".txt" in formats["text"].files
