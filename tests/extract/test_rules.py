"""The rules of a language, applied fast: required literals of patterns, and texts folded without a
search at every letter."""

import re

import pytest

from symindex.extract.languages.language import Language, compile_pattern
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import (
    RulePattern,
    parser_text,
    rules_of,
)
from symindex.extract.languages.schema import DocRules, LanguageFile, VisibilityRules
from symindex.extract.parse.skipping.regex_literals import required_literals, rest_from
from symindex.extract.symbols import extract_symbols
from symindex.extract.texts.source_text import close_brackets, fold_header, trim_end, unescape
from tests.extract.test_grammars import FILES, language_of
from tests.support import marks


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        ("abc", ("abc",)),
        (r"\babc\b", ("abc",)),
        ("a(?:bcd|efg)h*", ("bcd", "efg")),
        ("(?:abc)?d", ("d",)),
        ("(?:abc)+", ("abc",)),
        ("abc|x?", ()),
        ("[ab]", ()),
        ("(?!abc)", ()),
        ("(?i)abc", ()),
        ("(?i:abc)x", ("x",)),
        (r"x(?<=\wabcx)", ("abcx",)),
        ("^func (?:a|b)|^func c", ("func ",)),
    ],
)
def test_the_literals_that_a_pattern_requires(pattern: str, needs: tuple[str, ...]) -> None:
    assert required_literals(compile_pattern(pattern)) == needs


@pytest.mark.parametrize(
    ("pattern", "literal", "matching", "missed"),
    [
        (r"\s\w+ (?=#define (\w+) \1;)", "#define ", "#define a a;", "#define a b;"),
        (r"(\w)+(?:x(abc)(\d))\2", "abc", "abc1", "abc"),  # up to a reference to an earlier group
        (r"\d(?<=x\d)abc(?<=1abc)(?!d)", "abc", "1abc", "1abcd"),
        (r"\w(?:x|)abc\d", "abc", "abc1", "abcd"),
        (
            r"\w((?=\s+abc\d)\s)x*abc",
            "abc",
            "abc1",
            "abcx*abc",
        ),  # the rest is before the literal
    ],
)
def test_the_rest_of_each_match_after_a_literal(
    pattern: str, literal: str, matching: str, missed: str
) -> None:
    rest = rest_from(compile_pattern(pattern), literal)
    assert rest is not None and rest.search(matching) is not None and rest.search(missed) is None


@pytest.mark.parametrize(
    "pattern",
    [r"(\babc)d", r"\dabc", r"(\d)(abc)\1", "(?i:abc)d", "x(?:abcd|yabce)", r"x(?<=abcx)y"],
)
def test_a_literal_alone_tells_where_nothing_else_is_known(pattern: str) -> None:
    assert rest_from(compile_pattern(pattern), "abc") is None


@pytest.mark.nightly
def test_repairs_are_applied_where_a_plain_search_finds_them() -> None:
    n_found = 0
    for path in FILES:
        text = marks.read_marks(path.read_bytes().decode())[0].encode().decode("latin-1")
        rules = rules_of(language_of(path))
        for pattern, _ in [*rules.substitutions, *rules.repairs]:
            if pattern.regex.search(text) is not None:
                n_found += 1
                assert pattern.can_be_in(text), (path, pattern.regex.pattern)
    assert n_found > 100


def test_a_replacement_is_made_in_its_place_alone() -> None:
    rules = LanguageFile(name="Some", grammar="c", mend=[["a+", "b", "-", r"\(.*?\)"], ["c", "d"]])
    assert (
        parser_text(Language("some", rules, ""), b"aaa (aaa c) (a) aaa") == b"aaa (b-- d) (b) aaa"
    )


@pytest.mark.nightly
def test_a_pattern_finds_what_a_search_finds() -> None:
    texts = [
        "",
        "/** Copyright */",
        " * @deprecated use b",
        "a\n@deprecated",
        "Deprecated",
        "@Test",
        "#[test]",
        "TEST_CASE(x)",
    ]
    for language in load_languages().by_id.values():
        rules = language.rules
        for pattern in [
            rules.doc.skip,
            rules.deprecated.doc,
            rules.deprecated.head,
            rules.test.head,
            rules.attributes,
        ]:
            for text in texts if pattern else []:
                assert RulePattern(pattern).is_in(text) == (
                    compile_pattern(pattern).search(text) is not None
                ), (pattern, text)


_BRACKET_BREAK = re.compile(r"(?:(?<=[(\[])|(?<=\w<))[ \t]*\r?\n\s*|[ \t]*\r?\n\s*(?=[)\]>,])")


@pytest.mark.parametrize(
    "text",
    [
        "f(\n  a,\n  b\n)",
        "f(a\r\n  , b)",
        "A<\n B\n>",
        "a <\n b",
        "f( \\\n a)",
        "[\n\n1 \t\n]",
        "f(\f\n a)",
        "(\n",
        "\n)",
        "a\n\f\n)",
        "_<\nx",
    ],
)
def test_breaks_next_to_brackets_leave_no_blank(text: str) -> None:
    joined = _BRACKET_BREAK.sub("", text.replace("\\\n", "\n"))
    assert fold_header(text) == re.sub(r"\s+", " ", joined).strip()


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [("f() {", "f()"), ("a =>", "a"), ("a ==>", "a"), ("A<b>", "A<b>"), ("x = (,", "x"), ("{", "")],
)
def test_a_signature_ends_before_its_body(text: str, trimmed: str) -> None:
    assert trim_end(text) == trimmed


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("f(\n  a,\n  b,\n)", "f(a, b)"),
        ("f<\n  A,\n  B,\n>()", "f<A, B>()"),
        ("x = [\n  1,\n]", "x = [1]"),
        ("f(\n  a,\n)", "f(a)"),
        ("x = (\n  1,\n)", "x = (1,)"),
        ("x = (\n  (1, 2),\n  3,\n)", "x = ((1, 2), 3)"),
        ("f(a, )", "f(a, )"),
        (",\n)", ",)"),
    ],
)
def test_the_last_comma_of_a_list_over_several_lines_goes(text: str, folded: str) -> None:
    assert fold_header(text) == folded


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("test('x', () => {", "test('x', () => …)"),
        ("const a = Fn( ( [ b, c ] ) => {", "const a = Fn( ( [ b, c ] ) => …)"),
        ("const a = memo(forwardRef((b) =>", "const a = memo(forwardRef((b) => …))"),
        ("-record(line, {", "-record(line, …)"),
        ("a = create(", "a = create"),
        ("it('smile :)', (", "it('smile :)', (…))"),
        ("static int f(int x))", "static int f(int x)"),
        ("f(a) {", "f(a)"),
        ("", ""),
    ],
)
def test_brackets_of_a_signature_are_closed(text: str, closed: str) -> None:
    assert close_brackets(text, is_cut=True) == closed


def test_what_a_whole_definition_leaves_open_stays_open() -> None:
    assert (
        close_brackets("#define BEGIN namespace a {", is_cut=False) == "#define BEGIN namespace a"
    )
    assert close_brackets("#define OPEN f(", is_cut=False) == "#define OPEN f"
    assert close_brackets("#define END g(); }", is_cut=False) == "#define END g(); }"


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("\\u0061b", "ab"),
        ("#\\u{70}in", "#pin"),
        ("Caf\\u00e9", "Café"),
        ("\\\\u0061", "\\\\u0061"),
        ("\\u0020", "\\u0020"),
        ("\\u{110000}", "\\u{110000}"),
        ("\\ud800", "\\ud800"),
    ],
)
def test_escapes_in_names_are_read(name: str, read: str) -> None:
    assert unescape(name) == read


def test_a_doc_inside_its_definitions_node() -> None:
    """Some grammars put the comment before a definition inside its node; it belongs to neither the
    signature nor the header."""
    rules = LanguageFile(
        name="Some",
        grammar="lua",
        doc=DocRules(line=["--"]),
        visibility=VisibilityRules(private_words=["local"]),
    )
    query = "(chunk (function_declaration name: (identifier) @name)) @definition.function\n(comment) @doc\n"
    language = Language("some", rules, query)
    for before, doc in ("-- adds\n-- local all\n", "adds\nlocal all"), ("", ""):
        ((symbol,), _) = extract_symbols(
            language, f"{before}function f(a) -- no doc\nend\n".encode()
        )
        assert (symbol.doc, symbol.signature, symbol.flags, symbol.start_row) == (
            doc,
            "function f(a) end",
            0,
            0,
        )
