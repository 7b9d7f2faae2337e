"""A query in parts finds what the whole query finds: patterns that need words are tried around
those words; patterns for a whole file are tried at its root; and a small source has only the
patterns that can match it compiled."""

from pathlib import Path
from time import thread_time

import pytest
import tree_sitter

from symindex.extract.languages.registry import load_languages
from symindex.extract.languages.rules import parser_text
from symindex.extract.parse.grammar import load_grammar
from symindex.extract.parse.patterns import MOST_MATCHES
from symindex.extract.parse.query import CompiledQuery, compile_query
from symindex.extract.parse.skipping import word_search
from symindex.extract.parse.skipping.pattern_words import pair, read_patterns
from symindex.extract.parse.skipping.query_parts import SMALL_BYTES
from symindex.extract.parse.skipping.regex_literals import beginnings
from tests.support import marks
from tests.support.common_languages import lanes

FIXTURES = Path(__file__).parents[2] / "fixtures" / "symbols"

LANGUAGES = load_languages(check=False).by_id.values()
WORDED = [language.id for language in LANGUAGES if language.rules.search_words]
ROOTED = [language.id for language in LANGUAGES if language.rules.query_root]
_KEPT_QUERIES: list[CompiledQuery] = []
_KEPT: list[
    tree_sitter.Query
] = []  # keeps them alive: freeing a query while others are in use has crashed the binding


@pytest.mark.sample(7)
@pytest.mark.parametrize("language_id", sorted({*WORDED, *ROOTED}))
def test_the_query_in_parts_finds_the_same(language_id: str) -> None:
    language = load_languages(check=False).by_id[language_id]
    compiled = compile_query(language)
    patterns = read_patterns(language.query, compiled.grammar)
    assert language_id not in WORDED or any(pattern.words for pattern in patterns)
    assert language_id not in ROOTED or any(
        pattern.roots == {language.rules.query_root} for pattern in patterns
    )
    whole = tree_sitter.Query(compiled.grammar, language.query)
    _KEPT.append(whole)
    parser = tree_sitter.Parser(compiled.grammar)
    for path in marks.fixture_files(FIXTURES / language_id):
        source = parser_text(language, path.read_bytes())
        tree = parser.parse(source)
        cursor = tree_sitter.QueryCursor(whole, match_limit=MOST_MATCHES)
        if compiled.depth:
            cursor.set_max_start_depth(compiled.depth)
        expected = {(number, _ranges(nodes)) for number, nodes in cursor.matches(tree.root_node)}
        matches = {
            (pattern.number, _ranges(nodes)) for pattern, nodes in compiled.matches(tree, source)[0]
        }
        assert matches == expected, path


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "language_id", lanes(sorted(language.id for language in LANGUAGES if language.query))
)
def test_a_small_source_is_read_with_the_patterns_that_it_may_fit(language_id: str) -> None:
    language = load_languages(check=False).by_id[language_id]
    rules = language.rules
    grammar, options = (
        load_grammar(language),
        (rules.query_depth, rules.query_root, rules.search_words),
    )
    whole = CompiledQuery(language_id, grammar, language.query, *options)
    whole.compile()
    _KEPT_QUERIES.append(whole)
    parser = tree_sitter.Parser(grammar)
    for path in marks.fixture_files(FIXTURES / language_id):
        lazy = CompiledQuery(language_id, grammar, language.query, *options)
        _KEPT_QUERIES.append(lazy)
        data = path.read_bytes()
        for source in (data[: len(data) // 2], data[len(data) // 3 :]):
            source = parser_text(language, source)
            tree = parser.parse(source)
            matches = [
                {
                    (pattern.number, _ranges(nodes))
                    for pattern, nodes in query.matches(tree, source)[0]
                }
                for query in (lazy, whole)
            ]
            assert matches[0] == matches[1], path


@pytest.mark.parametrize(("source", "is_whole"), [
    (b"[" * 50 + b"]" * 50, False),
    (b"[" * 70 + b"]" * 70, True),
    (b" " * SMALL_BYTES, False),
    (b" " * (SMALL_BYTES + 1), True),
])  # fmt: skip
def test_a_large_or_deep_source_is_read_with_all_patterns(source: bytes, is_whole: bool) -> None:
    language = load_languages(check=False).by_id["json"]
    compiled = CompiledQuery("json", load_grammar(language), language.query)
    _KEPT_QUERIES.append(compiled)
    compiled.matches(tree_sitter.Parser(compiled.grammar).parse(source), source)
    assert compiled.is_compiled == is_whole


@pytest.mark.parametrize(("pattern", "held", "source", "expected"), [
    ("(class (body) @doc)", {"class", "body", pair("class", "body")}, b"", True),
    # no class has a body
    ("(class (body) @doc)", {"class", "body", pair("module", "body")}, b"", False),
    ("(class (body)? @doc)", {"class"}, b"", True),
    ("(class [(body)? (name)] @doc)", {"class"}, b"", True),
    ("(class [(body) (name)] @doc)", {"class", "name", pair("class", "name")}, b"", True),
    ("(class [(body) (name)] @doc)", {"class", "name", "body", pair("name", "body")}, b"", False),
    ("(class [(_) (name)] @doc)", {"class"}, b"", True),
    ("(class (_ (name)) @doc)", {"class", "name"}, b"", True),
    ("(class ((name) (body)) @doc)", {"class", "name", "body"}, b"", True),
    ("([(class) (module)] @doc)", {"module"}, b"", True),
    ("([(class) (module)] @doc)", {"name"}, b"", False),
    ('(class "end" @doc)', {"class", "end", pair("class", "end")}, b"", True),
    ('((class) @doc (#eq? @doc "one"))', {"class"}, b"the one", True),
    ('((class) @doc (#eq? @doc "one"))', {"class"}, b"other", False),
    ('((class) @doc (#any-of? @doc "one" "other"))', {"class"}, b"other", True),
    ('((class) @doc (#match? @doc "^(one|other)$"))', {"class"}, b"none at all", True),
    ('((class) @doc (#match? @doc "^(one|other)$"))', {"class"}, b"two", False),
    # a missing name differs from an empty one
    ('((class (name)? @name) @doc (#eq? @name "one"))', {"class"}, b"other", True),
    ('((class) @doc (#not-eq? @doc "one"))', {"class"}, b"other", True),
    # only the beginning of a text is searched
    ('((class) @doc (#match? @doc "one$"))', {"class"}, b"other", True),
])  # fmt: skip
def test_which_sources_may_fit_a_pattern(
    pattern: str, held: set[str], source: bytes, expected: bool
) -> None:
    ruby = load_grammar(load_languages(check=False).by_id["ruby"])
    (text,) = read_patterns(
        pattern.replace("(name)", "(constant)").replace("(body)", "(body_statement)"), ruby
    )
    real = {name.replace("name", "constant").replace("body", "body_statement") for name in held}
    assert text.can_match(real, source) == expected


@pytest.mark.sample(2)
@pytest.mark.parametrize("language_id", ["json", "ruby", "scheme"])
def test_a_search_that_takes_too_long_runs_all_tests(
    language_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = load_languages(check=False).by_id[language_id]
    compiled = compile_query(language)
    parser = tree_sitter.Parser(compiled.grammar)
    for path in marks.fixture_files(FIXTURES / language_id):
        source = parser_text(language, path.read_bytes())
        tree = parser.parse(source)
        monkeypatch.undo()
        expected = {
            (pattern.number, _ranges(nodes)) for pattern, nodes in compiled.matches(tree, source)[0]
        }
        monkeypatch.setattr(word_search, "_SECONDS", -60.0)
        matches = {
            (pattern.number, _ranges(nodes)) for pattern, nodes in compiled.matches(tree, source)[0]
        }
        assert matches == expected, path


@pytest.mark.nightly
def test_words_at_each_of_many_depths_take_no_square() -> None:
    language = load_languages(check=False).by_id["json"]
    compiled = compile_query(language)
    source = b"[// x\n" * 20_000 + b"]" * 20_000
    tree = tree_sitter.Parser(compiled.grammar).parse(source)
    begin = thread_time()
    assert len(compiled.matches(tree, source)[0]) == 3  # only the first levels
    assert thread_time() - begin < 10  # it once took 30 s


def _ranges(nodes: dict[str, list[tree_sitter.Node]]) -> tuple[tuple[str, int, int], ...]:
    return tuple(
        sorted(
            (name, node.start_byte, node.end_byte)
            for name, of_name in nodes.items()
            for node in of_name
        )
    )


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^def(?!ault)", {"def"}),
        ("^(cl-|pcase-)?def", {"cl-def", "pcase-def", "def"}),
        ("^(ab|cd)e$", {"abe", "cde"}),
        ("^[A-Z]", {""}),
        ("^/[/*]", {"//", "/*"}),
        ("^[^a]b", {""}),
        ("^ab*c", {"a"}),
        ("def", set()),
        ("^(?i:def)", {""}),
        ("(?i)^def", set()),
    ],
)
def test_what_a_text_begins_with(pattern: str, expected: set[str]) -> None:
    assert beginnings(pattern) == expected


def test_a_pattern_that_may_end_early_is_tried_everywhere() -> None:
    grammar = load_grammar(load_languages(check=False).by_id["scheme"])
    query = """
        ((list . (symbol) @_def . (symbol) @name . (_)? @body) @definition.variable (#eq? @_def "define"))
        ((list . (symbol) @_def . (symbol) @name . (_)? @body ")") @definition.variable (#eq? @_def "define"))
        ((list . (symbol)? @_def . (symbol) @name) @definition.variable (#eq? @_def "define"))
        ((list . (symbol) @_def . (symbol) @name) @definition.variable (#not-eq? @_def "define"))
    """
    assert [sorted(pattern.words) for pattern in read_patterns(query, grammar)] == [
        [],
        ["define"],
        [],
        [],
    ]


@pytest.mark.parametrize(
    ("pattern", "is_free"),
    [
        ('((call !receiver method: (_) @_call) @doc (#eq? @_call "it"))', True),
        ('((call . (identifier) @_call) @doc (#eq? @_call "it"))', True),
        ('((call method: [(_) (constant)] @_call) @doc (#eq? @_call "it"))', True),
        (
            '((call method: (identifier) @_call) @doc (#eq? @_call "it"))',
            False,
        ),  # tree-sitter skips a root before such a child
        ('((call method: [(constant) (_)] @_call) @doc (#eq? @_call "it"))', False),
        ('(([(call method: (_) @_call) (class name: (_) @_call)]) @doc (#eq? @_call "it"))', False),
        ('((ERROR (_) @_call) @doc (#eq? @_call "it"))', False),  # a wildcard cannot replace ERROR
    ],
)
def test_where_a_wildcard_may_match_a_root(pattern: str, is_free: bool) -> None:
    (text,) = read_patterns(pattern, load_grammar(load_languages(check=False).by_id["ruby"]))
    assert text.words == {"it"}
    assert (text.root_at > 0) == is_free


def test_a_whole_word_is_not_found_in_longer_ones() -> None:
    language = load_languages(check=False).by_id["ruby"]
    grammar = load_grammar(language)
    source = b"task :a\ntasks :b\nsubtask :c\ntask(:d)\n"
    tree = tree_sitter.Parser(grammar).parse(source)
    for predicate, expected in (
        ('(#eq? @_call "task")', [b"task :a", b"task(:d)"]),
        ('(#match? @_call "^task")', None),
    ):
        patterns = read_patterns(f"((call method: (_) @_call) @doc {predicate})", grammar)
        search = word_search.WordSearch([*enumerate(patterns)])
        roots = [node.text for _, node in search.roots(tree, source)]
        assert roots == (expected or [b"task :a", b"tasks :b", b"task(:d)"])
