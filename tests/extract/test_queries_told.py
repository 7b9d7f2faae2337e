"""Messages to authors of queries: the place of a mistake, hints, patterns that capture too much, and
the syntax tree. Also the regions of a file."""

import pytest
import tree_sitter

from symindex.errors import GrammarError
from symindex.extract.languages.language import QUERY_OF, Language
from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.schema import LanguageFile
from symindex.extract.parse import author_tools
from symindex.extract.parse.author_tools import _is_apart, print_tree
from symindex.extract.parse.grammar import _meant, _others, load_by_name, load_grammar
from symindex.extract.parse.query import compile_query
from symindex.extract.parse.query_errors import _hint, _unclosed, known_words, place_in_query
from symindex.extract.parse.regions import regions_at
from symindex.extract.parse.roles import _first_word
from symindex.extract.parse.skipping.bodies import touches


def own(query: str) -> Language:
    return Language("own", LanguageFile(name="Own", grammar="json"), query)


def test_a_place_in_a_query_is_that_of_its_folder() -> None:
    text = f"{QUERY_OF}base\n(a)\n(b)\n{QUERY_OF}own\n(c)"
    assert [place_in_query("own", text, row) for row in range(5)] == [
        "grammars/base/symbols.scm:1", "grammars/base/symbols.scm:1", "grammars/base/symbols.scm:2",
        "grammars/own/symbols.scm:1", "grammars/own/symbols.scm:1",
    ]  # fmt: skip
    assert place_in_query("own", "(a)\n(b)", 1) == "grammars/own/symbols.scm:2"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("(a\n(b)", 0), ("(a)\n(b", 1), ("(a)\n[b\n(c", 1), ("; (\n(a", 1), ('"("\n(a', 1), (")\n(a)\n(b", 2), ("(a)", 0), ("", 0),
        ("(a)\n\n(b)\n(c (d)", 3),
    ],
)  # fmt: skip
def test_the_row_of_a_pattern_that_is_not_closed(text: str, row: int) -> None:
    assert _unclosed(text) == row


@pytest.mark.parametrize(
    ("rest", "hint"),
    [
        ("# x", ": a comment begins with `;`"),
        ("@x", ": a capture follows its node, `(node) @capture`; is a bracket missing before it?"),
        (") x", ": this bracket closes nothing"),
        ("] x", ": this bracket closes nothing"),
        ('"x', ": this quote is not closed"),
        ("x" * 30, f" at {'x' * 20!r}: a pattern is `(node field: (node) @capture) @capture`"),
    ],
)
def test_hints_at_wrong_syntax(rest: str, hint: str) -> None:
    assert _hint(rest) == hint


OK = "(pair key: (string) @name) @definition.key"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (f"{OK}\n(pair", "symbols.scm:2: "),
        (f"{OK}\n(pairs) @doc", "symbols.scm:2, column 2: Invalid node type pairs; similar: pair"),
        (f"{OK}\n(pair keys: (_)) @doc", "symbols.scm:2, column 7: Invalid field name keys; similar: key"),
        (f'{OK}\n("no" @doc)', 'symbols.scm:2, column 3: Invalid node type no'),
        (f'{OK}\n((pair) @doc (#match? @dok "x"))', "Invalid capture name dok; similar: doc"),
        (f'{OK}\n((pair) @doc (#match? @doc "("))', "symbols.scm:2: expression '(': missing )"),
        (f"{OK}\n(pair (pair)) @doc", "the grammar never puts such a node there"),
        (f"{OK}\n(pair) @dok", "symbols.scm:2: unknown capture @dok; similar: @doc"),
        (f"{OK}\n(pair) @definition.kee", "unknown capture @definition.kee; similar: @definition.key"),
        (f"{OK}\n((pair) @doc (#is-any-of? @doc))", "unknown predicate #is-any-of?"),
        (f'{OK}\n((pair) @doc (#not-any-of? @doc "x"))', "#not-any-of?: write a `#not-eq?` for each word"),
        (f"{OK}\n((pair) @doc (#set! plase file))", "unknown setting plase file; similar: place"),
        (f"{OK}\n((pair) @doc (#set! place fil))", "unknown setting place fil; similar: file"),
        (f"{OK}\n((pair) @doc (#set! language json))", ": it needs the id of a language, and a @source"),
        (f"{OK}\n(pair) @definition.key", "a pattern captures one @definition.<kind> and @name"),
        (f"{OK}\n(pair) @body", "a pattern captures one @definition.<kind> and @name"),
        (f"{OK}\n(pair) @name", "a pattern captures one @definition.<kind> and @name"),
        (f"{OK}\n(pair) @part", "a pattern captures one @definition.<kind> and @name"),
        (f"{OK}\n; (pairs)\n(pair) @doc", ""),
        (f"{OK}\n((pair) @body (#set! scope function))", ""),
        (f"{OK}\n((pair (string) @name) (#set! visibility private))", ""),
        (f"{OK}\n((pair) @part (#set! kind constant))", ""),
        (f"{OK}\n(pair (string) @part) @whole", ""),
        (f"{OK}\n((pair) @source (#set! language json))", ""),
        (f"{OK}\n(pair (string) @container) @body", ""),
        (f"{OK}\n(pair) @_own", "a pattern captures one @definition.<kind> and @name"),
    ],
)  # fmt: skip
def test_mistakes_in_a_query_are_told(query: str, message: str) -> None:
    if not message:
        compile_query(own(query)).compile()
        return
    with pytest.raises(GrammarError) as caught:
        compile_query(own(query)).compile()
    assert message in str(caught.value) and str(caught.value).startswith(
        "grammars/own/symbols.scm:"
    )


@pytest.mark.parametrize(
    ("pattern", "is_apart"),
    [
        ("(a (b) @x (c) @x)", True),
        ("(a (b (c) @x) @x)", False),
        ("[(b) @x (c) @x]", False),
        ("(a [(b) @x (c) @x])", False),
        ("(a (d [(b) @x]) (c) @x)", True),
        ("(a key: (b) @x . (c) @y)", False),
        ('(a "b" @x (c) @x)', True),
        ("(a (b)* @x (c)? @y)", False),
        ("(a) @x", False),
    ],
)
def test_a_capture_on_two_siblings_is_noticed(pattern: str, is_apart: bool) -> None:
    assert _is_apart(pattern, "@x") is is_apart


def test_a_syntax_tree_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    language = load_languages().by_id["json"]
    text = f'{{"a": "{"b" * 70}"}}'.encode()
    lines = print_tree(language, text).splitlines()
    assert lines[0] == f"(document) [1:0 - 1:{len(text)}]"
    assert lines[1] == f"  (object) [1:0 - 1:{len(text)}]"
    assert lines[2] == f"    (pair) [1:1 - 1:{len(text) - 1}]"
    assert lines[3] == "      key: (string) [1:1 - 1:4]"
    assert lines[4] == "        (string_content) [1:2 - 1:3] 'a'"
    assert lines[-1] == f"        (string_content) [1:7 - 1:77] {'b' * 60!r}"
    whole = print_tree(language, b'{"a"}\n', with_anonymous=True)
    assert whole.endswith("\n") and "({) [1:0 - 1:1] '{'" in whole
    assert "MISSING" in print_tree(language, b'{"a": [1}')
    monkeypatch.setattr(author_tools, "DEEPEST_SHOWN", 2)
    indents = [
        len(line) - len(line.lstrip()) for line in print_tree(language, b"[[[1]]]").splitlines()
    ]
    assert indents == [0, 2, 4, 4, 4]


def test_words_of_a_grammar() -> None:
    grammar = load_grammar(own(OK))
    assert "key" in known_words(grammar, "field") and "pair" in known_words(grammar, "node")
    assert "" not in known_words(grammar, "field")
    assert known_words(grammar, "node") == sorted(set(known_words(grammar, "node")))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("jsn", "no such grammar in the pack; similar: "),
        ("tree-sitter-No", "not the name of a package: use lower-case letters, digits and hyphens"),
        ("tree-sitter-not-there", "install that package next to symindex"),
        ("tree-sitter-language-pack", "; for a grammar of the pack write its name alone"),
    ],
)
def test_grammars_that_cannot_be_loaded(name: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        load_by_name(name)
    assert message in str(caught.value)


def test_hints_at_grammars() -> None:
    assert _others("p", ["language", "language_b", "language_a", "x"]) == ", but p p:a p:b"
    assert _others("p", ["language_a"]) == ", but p:a" and _others("p", ["x"]) == " at all"
    assert _meant("language_pack") == ", but a package is installed: 'tree-sitter-language-pack'"
    assert _meant("zzzz") == "; a grammar of an installed package is named tree-sitter-NAME"


@pytest.mark.parametrize(
    ("language", "text", "regions"),
    [
        ("python", "a = 'b'  # c\n", "ccccsssccCCCc"),
        ("python", "f'a{b}c'\n", "ssscccssc"),
        ("javascript", "a = `b${c}d`;\n", "ccccssccccsscc"),
        ("c", "/* a */ int b; // d\n", "CCCCCCCccccccccCCCCc"),
        ("bash", "#!/bin/sh\na\n", "CCCCCCCCCccc"),
    ],
)
def test_the_region_of_each_place(language: str, text: str, regions: str) -> None:
    data = text.encode()
    words = {"comments": "C", "strings": "s", "code": "c"}
    region_names = regions_at(
        load_languages().by_id[language], data, [(place, place + 1) for place in range(len(data))]
    )
    assert "".join(words[region] for region in region_names) == regions


def test_ranges_that_touch() -> None:
    ranges = [(2, 4), (8, 9)]
    touching = [place for place in range(12) if touches(ranges, place, place)]
    assert touching == [2, 3, 4, 8, 9] and touches(ranges, 0, 2) and not touches(ranges, 5, 7)
    assert touches(ranges, 5, 8) and not touches([], 0, 9)


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [("javascript", "a.b(c)(d)", b"a"), ("javascript", "-x", b"-"), ("python", "x", b"x"), ("c", "", b"")],
)  # fmt: skip
def test_the_first_word_of_a_node(language: str, text: str, word: bytes) -> None:
    grammar = load_grammar(load_languages().by_id[language])
    assert _first_word(tree_sitter.Parser(grammar).parse(text.encode()).root_node) == word
