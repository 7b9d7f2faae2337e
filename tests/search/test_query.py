"""The query language: text to tree, text to name, text to error; a printed tree parses to the same
tree."""

import time
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symindex.errors import RequestError, UnfinishedQueryError
from symindex.search.language.half_typed import finish_query
from symindex.search.language.parse_query import lower_case_operators, parse_query
from symindex.search.language.query import (
    FIELDS,
    KEYWORDS,
    LISTED,
    And,
    Everything,
    Name,
    Node,
    Not,
    Or,
    Term,
    Words,
    parse_name,
)

TREES = {
    "": "",
    "   ": "",
    "auth login": "(auth login)",
    "auth AND login": "(auth AND login)",
    "login hooks: before": "(login hooks before)",
    "login hooks:": "(login hooks)",
    "a OR b c": "(a OR b AND c)",
    "a b OR c": "(a AND b OR c)",
    "(a OR b) c": "((a OR b) AND c)",
    "a (b c)": "(a b c)",
    "NOT a": "NOT a",
    "NOT NOT a": "NOT NOT a",
    "a NOT b": "(a AND NOT b)",
    "a and b": "(a and b)",
    "a (b OR c) NOT d": "(a AND (b OR c) AND NOT d)",
    "  a   b  ": "(a b)",
    "NOT(a b)": "NOT (a AND b)",
    "auth(login OR logout)": "(auth AND (login OR logout))",
    "login() test": "(login() test)",
    # phrases
    '"file system"': '"file system"',
    '"say \\"hi\\""': '"say \\"hi\\""',
    '"C:\\new\\\\x"': '"C:\\\\new\\\\x"',
    '" a "': '"a"',
    '"a\\\\"': '"a\\\\"',
    '"AND" "kind:x" "-y"': '("AND" AND "kind:x" AND "-y")',
    # wildcards
    "get*Name": "get*Name",
    "*": "*",
    "file-s*": "file-s*",
    "Path.is*": "Path.is*",
    "Path::is*": "Path::is*",
    "name:Path.is*": "name:Path.is*",
    "src/*.py": "src/*.py",
    "(get*)": "get*",
    # fields
    "kind:class": "kind:class",
    "Kind:class NAME:x": "(kind:class AND name:x)",
    'doc:"to do" lang:go': '(doc:"to do" AND lang:go)',
    "kind:class Auth.login": "(kind:class AND Auth.login)",
    "is:exported type:class content:x": "(is:exported AND type:class AND content:x)",
    "name:a::b": "name:a::b",
    "name:foo:bar": "name:foo:bar",
    "name:AND": "name:AND",
    "name:http://x": "name:http://x",
    "path:/src/x": "path:/src/x",
    "signature:a,b": "signature:a,b",
    # lists and groups of a field
    "kind:class,method": "kind:class,method",
    "kind:class,method a": "(kind:class,method AND a)",
    "lang:go,rust OR is:test,generated": "(lang:go,rust OR is:test,generated)",
    'kind:"class,method"': 'kind:"class,method"',
    "name:(login OR logout)": "(name:login OR name:logout)",
    "kind:(class OR method)": "kind:class,method",
    "kind:(class,method OR field)": "(kind:class,method OR kind:field)",
    "doc:(a b)": "(doc:a AND doc:b)",
    'doc:(a "b c" NOT d*)': '(doc:a AND doc:"b c" AND NOT doc:d*)',
    "doc:(a OR name:b)": "(doc:a OR name:b)",
    "doc:(a name:(b OR c) d)": "(doc:a AND (name:b OR name:c) AND doc:d)",
    "NAME:(x)": "name:x",
    "name:(::a)": "name:(::a)",
    # forms of NOT
    "-a": "NOT a",
    "!a": "NOT a",
    "(-x)": "NOT x",
    "login -test": "(login AND NOT test)",
    "login !test": "(login AND NOT test)",
    '-"b c"': 'NOT "b c"',
    "a -(b OR c)": "(a AND NOT (b OR c))",
    "!(a b)": "NOT (a AND b)",
    "-kind:class,method": "NOT kind:class,method",
    "a OR (b -kind:class)": "(a OR b AND NOT kind:class)",
    "-doc:(a b)": "NOT (doc:a AND doc:b)",
    "doc:(a -b)": "(doc:a AND NOT doc:b)",
    "-1 a": "(NOT 1 AND a)",
    "-*b": "NOT *b",
    "-moz-*": "NOT moz-*",
    "-.env": "NOT .env",
    "NOT -x": "NOT NOT x",
    # forms that do not mean NOT
    "a --flag": "(a --flag)",
    "a - b": "(a - b)",
    "a ! b": "(a ! b)",
    "a ->b": "(a ->b)",
    "a != b": "(a != b)",
    "save! utf-8 a-1 operator-": "(save! utf-8 a-1 operator-)",
    "a name:-x": "(a AND name:-x)",
    '"-a" "!b"': '("-a" AND "!b")',
    # colons that do not end a field
    "a std::foo": "(a std::foo)",
    "name::a b": "(name::a b)",
    "a 12:30": "(a 12:30)",
    "a initWithFrame:style:": "(a initWithFrame:style:)",
    "see rubocop:disable here": "(see rubocop:disable here)",
    "kind:class std:list": "(kind:class AND std:list)",
    "-colour:red a": "(NOT colour:red AND a)",
    "foo:(a b)": "(foo a b)",
    'foo:"a b"': '(foo AND "a b")',
    "a:b:c d": "(a:b:c d)",
    "see http://x.org for details": "(see http://x.org for details)",
    "kind:class a:b*": "(kind:class AND a:b*)",
    "a C:/x": "(a C:/x)",
    "http://x.org/y": '"http://x.org/y"',
    "doc:(http://x)": 'doc:"http://x"',
}

NAMES = {
    "login": "login",
    "Auth.login": "Auth.login",
    "Auth::login": "Auth.login",
    "Auth#login": "Auth.login",
    "auth/login": "auth.login",
    "auth\\login": "auth.login",
    "a->b": "a.b",
    "Auth.": "Auth.",
    "Auth::": "Auth.",
    "Auth:": "Auth",
    "login()": "login",
    "Auth().login()": "Auth.login",
    "std::vector<int>": "std.vector<int>",
    "a::b": "a.b",
    "C:\\src\\foo": "src.foo",
    "C:/src/foo": "src.foo",
    "initWithFrame:style:": "initWithFrame:style",
    "OR": "OR",
    "NOT ": "NOT",
    "and": "and",
    "operator==": "operator==",
    "operator()": "operator",
    "((a))": "a",
    "(Auth.login)": "Auth.login",
    "--flag": "--flag",
    "->": "->",
    "-": "-",
    "!": "!",
    "!!!": "!!!",
    "!=": "!=",
    "save!": "save!",
    "utf-8": "utf-8",
    "x-": "x-",
    "a=b": "a=b",
    "😀": "😀",
    "\0": "\0",
    "\udcff": "\udcff",
}

CODE = {
    "class Path:": "Path",
    "class Path(Base):": "Path",
    "class Path(Base, metaclass=Meta): pass": "Path",
    "def login(self)": "login",
    "total =5": "total",
    "total =": "total",
    "def self.login(user)": "login",
    "async def x(a: int) -> b:": "x",
    "fn poll_write<'a>(": "poll_write",
    "pub fn f(": "f",
    "pub(crate) fn f(x: u8) -> u8 {": "f",
    "#[derive(Debug)]\npub struct Foo {": "Foo",
    "@app.route('/')\ndef index():": "index",
    "func (s *Server) Serve(": "Server.Serve",
    "func (s *Server[T]) Serve(": "Server.Serve",
    "func Map[T any](x T) {": "Map",
    "public static void main(String[] args)": "main",
    "public <T> void foo(T x)": "foo",
    "List<String> names(int x)": "names",
    "interface Foo {": "Foo",
    "class Foo extends Bar {": "Foo",
    "class Foo < Bar": "Foo",
    "struct foo {": "foo",
    "typedef struct x {": "x",
    "typedef unsigned long size_t;": "size_t",
    "struct foo *bar(int x) {": "bar",
    "__attribute__((noreturn)) void die(int)": "die",
    "template<class T> class Foo {": "Foo",
    "export default function App() {": "App",
    "const foo = (a) => {": "foo",
    "let mut x: i32 = 5": "x",
    "var x int = 3": "x",
    "x := 5": "x",
    "MAX: Final = 3": "MAX",
    "this.foo = function(a) {": "foo",
    "impl<T> Foo for Bar<T> {": "Bar",
    "impl Foo {": "Foo",
    "#define MAX(a,b)": "MAX",
    "type Foo struct {": "Foo",
    "enum class E : int": "E",
    "void A::b(int)": "A.b",
    "void f(int) const {": "f",
    "void f (int a) {": "f",
    "- (void)viewDidLoad {": "viewDidLoad",
    "bool operator==(const X& o)": "operator==",
    "function Foo:bar()": "Foo.bar",
    "foo :: Int -> Int": "foo",
    "int x;": "x",
    "LOWEST = -1": "LOWEST",
    "fn f(name:String, !x) -> u8 {": "f",
    "foo(bar)": "foo",
    "login(": "login",
    "a.b(c, d)": "a.b",
    "def f(x='\"'):": "f",
    'extern "C" int foo(void)': "foo",
    'pub unsafe extern "C" fn foo(a: i32) {': "foo",
    "fun <T> List<T>.foo(x: Int): T {": "List.foo",
    "fun <K, V> Map<K, List<V>>.get(": "Map.get",
    "fun String?.bar() =": "String.bar",
    "typedef int (*handler_t)(int, char *);": "handler_t",
    "typedef void (*cb)(void)": "cb",
    "void (*signal(int sig, void (*func)(int)))(int);": "signal",
    "static int (*const table[])(void) = {": "table",
    "return foo(": "foo",
}

NO_CODE = {
    "class path": "(class path)",
    "function login": "(function login)",
    "type foo bar": "(type foo bar)",
    "auth (login)": "(auth login)",
    "class (a b)": "(class a b)",
    "class auth (login user)": "(class auth login user)",
    "a == b": "(a == b)",
    "a -> b": "(a -> b)",
    "a < b": "(a < b)",
    "get*Name(x)": "(get*Name AND x)",
    "foo(bar) kind:class": "(foo AND bar AND kind:class)",
    "foo(bar) -test": "(foo AND bar AND NOT test)",
    'foo(bar) "a b"': '(foo AND bar AND "a b")',
    "kind:class foo(bar)": "(kind:class AND foo AND bar)",
    "class kind:function": "(class AND kind:function)",
    "-foo(x)": "(NOT foo AND x)",
    'it("logs in")': '(it AND "logs in")',
    "foo(a OR b)": "(foo AND (a OR b))",
    "NOT(x)": "NOT x",
    "if (a) {": "(if a {)",
    "for (a of b) {": "(for a of b {)",
    "} else if (a) {": "(} else if a {)",
    "return (x);": "(return x ;)",
    "a (*b)(c)": "(a AND *b AND c)",
    'extern "C" config': '(extern AND "C" AND config)',
    "def path:src": "(def AND path:src)",
}

ERRORS = {
    "a )": "query, at character 3: expected a word, AND, OR, NOT or the end; this closes no parenthesis: put it in quotes to "
    "search for it",
    "Path)": "query, at character 5: expected a word, AND, OR, NOT or the end; this closes no parenthesis: put it in quotes to "
    "search for it",
    "Path exists)": "query, at character 12: expected a word, AND, OR, NOT or the end; this closes no parenthesis: put it in "
    "quotes to search for it",
    "AND a": "query, at character 1: expected a word, a phrase, NOT or an opening parenthesis; to search for the word, put it "
    'in quotes: "AND"',
    "a OR OR b": "query, at character 6: expected a word, a phrase, NOT or an opening parenthesis after OR; to search for the "
    'word, put it in quotes: "OR"',
    "a -AND": "query, at character 4: expected a word, a phrase, NOT or an opening parenthesis after -; to search for the word, "
    'put it in quotes: "AND"',
    "(NOT)": "query, at character 5: expected a word, a phrase, NOT or an opening parenthesis after NOT",
    'a ""': "query, at character 3: expected some text between the quotes",
    "kind: a": "query, at character 6: expected a value after kind:",
    "(Kind:)": "query, at character 7: expected a value after Kind:",
    "kind:class, method": "query, at character 12: expected a word on either side of each comma of class,, without white space",
    "kind:,class": "query, at character 1: expected a word on either side of each comma of ,class, without white space",
    "()": "query, at character 2: expected a word, a phrase, NOT or an opening parenthesis after (",
    "name:()": "query, at character 7: expected a word, a phrase, NOT or an opening parenthesis after (",
    "x" * 1001: "the query has 1,001 characters: at most 1,000 are read",
    "x" * 1_000_000: "the query has 1,000,000 characters: at most 1,000 are read",
    "(" * 10_000: "the query has 10,000 characters: at most 1,000 are read",
    "(" * 150
    + "a": "query, at character 101: expected fewer than 100 nested parentheses and negations",
    "-(" * 400
    + "a": "query, at character 101: expected fewer than 100 nested parentheses and negations",
}

UNFINISHED = {
    "(a": "query, at the end: expected a parenthesis that closes the one at character 1",
    "a name:(b": "query, at the end: expected a parenthesis that closes the one at character 8",
    "a AND": "query, at the end: expected a word, a phrase, NOT or an opening parenthesis after AND",
    "a OR": "query, at the end: expected a word, a phrase, NOT or an opening parenthesis after OR",
    "a -(": "query, at the end: expected a word, a phrase, NOT or an opening parenthesis after (",
    '"abc': "query, at the end: expected a closing quote for the one at character 1",
    '-doc:"abc\\"': "query, at the end: expected a closing quote for the one at character 6",
    "kind:": "query, at the end: expected a value after kind:",
    "a -Kind:": "query, at the end: expected a value after Kind:",
    "kind:class,": "query, at the end: expected a word on either side of each comma of class,, without white space",
}


@pytest.mark.parametrize("text", [*TREES, *NO_CODE])
def test_tree(text: str) -> None:
    tree = parse_query(text)
    assert isinstance(tree, (Everything, Words, *get_args(Node)))
    assert str(tree) == {**TREES, **NO_CODE}[text]


@pytest.mark.parametrize("text", NAMES)
def test_name(text: str) -> None:
    assert qualified(text) == NAMES[text]


@pytest.mark.parametrize("text", CODE)
def test_pasted_code_means_what_it_defines(text: str) -> None:
    assert qualified(text) == CODE[text]


def qualified(text: str) -> str:
    """Returns the name that a query searches for, with dots."""
    query = parse_query(text)
    assert isinstance(query, Name)
    return ".".join([*query.qualifiers, query.name])


@pytest.mark.parametrize("text", [*ERRORS, *UNFINISHED])
def test_error(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_query(text)
    assert str(caught.value) == {**ERRORS, **UNFINISHED}[text]
    assert isinstance(caught.value, UnfinishedQueryError) == (text in UNFINISHED)


FINISHED = {
    "(a": "(a)",
    "a name:(b": "a name:(b)",
    "a (b AND NOT kind:": "a (b)",
    '"abc': '"abc"',
    '("abc': '("abc")',
    '-doc:"abc\\"': '-doc:"abc\\""',
    '"(a': '"(a"',
    "a AND": "a",
    "a AND NOT": "a",
    "a -(": "a",
    "kind:class,": "kind:class",
    "kind:cl": "kind:cl*",
    "(a -type:class,ME": "(a -type:class,ME*)",
    "(kind:class": "(kind:class)",
    "is:exp": "is:exp*",
    "lang:py": "lang:py*",
    "kind:": "",
    "(": "",
    '"': "",
    "NOT": "",
    "kind:klass": "",
    "lang:zz": "",
    "name:cl": "",
    "a)": "",
    "(" * 900: "",
    "(a " * 5_000: "",
}


@pytest.mark.parametrize("text", FINISHED)
def test_what_is_finished_of_a_query(text: str) -> None:
    assert finish_query(text, ["python", "php"]) == FINISHED[text]


@pytest.mark.parametrize("text", [*TREES, *NAMES, *CODE, *NO_CODE])
def test_what_is_printed_is_the_same_query(text: str) -> None:
    query = parse_query(text)
    assert parse_query(str(query)) == query


ODD = 'ab.AND OR NOT()":*#/kind:name:(\\-!,=<{;\n\u0301class def '


@pytest.mark.nightly
@example("(A;)")
@given(
    st.text(st.sampled_from(ODD), max_size=40)
    | st.lists(st.sampled_from([*ODD, *KEYWORDS, "kind:", "name:("])).map("".join)
)
def test_every_text_is_one_clear_error_or_prints_as_the_same_query(text: str) -> None:
    try:
        query = parse_query(text)
    except RequestError as error:
        assert "\n" not in str(error)
        return
    assert parse_query(str(query)) == query


LETTERS = st.sampled_from("abAN*.:/\\-!,'\u00e9 ()\"")
WORDS = [*KEYWORDS, "kind:x", "foo:x", "-x", "!(", "::a", "http://x", "a,b", "a b", "x:"]
TEXTS = st.sampled_from(WORDS) | st.text(LETTERS, min_size=1)
TERMS = st.builds(
    Term,
    st.sampled_from(["", *FIELDS]),
    TEXTS.filter(lambda text: text.strip() == text),
    st.booleans(),
)


def nodes_of(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, parts)


@pytest.mark.nightly
@given(st.recursive(TERMS, nodes_of, max_leaves=8))
def test_every_tree_prints_as_a_query(tree: Node) -> None:
    """The result is the same tree, except that a word which cannot be written plainly becomes a
    phrase, and a single word becomes a name."""
    query = parse_query(str(tree))
    assert query == (expected(tree) if not is_name(tree) else parse_name(str(tree)))


def is_name(node: Node) -> bool:
    return (
        isinstance(node, Term) and str(node) == node.text and not (node.field or node.is_wildcard)
    )


def expected(node: Node) -> Node:
    if isinstance(node, Term):
        return Term(node.field, node.text, '"' in str(node))
    return (
        Not(expected(node.part))
        if isinstance(node, Not)
        else type(node)(tuple(map(expected, node.parts)))
    )


def test_the_deepest_query_prints_as_one() -> None:
    for text in (
        "(" * 99 + "a" + " b)" * 99,
        "(" * 100 + "a b" + ")" * 100,
        "NOT (a " * 49 + "b" + ")" * 49,
        "a OR b(" * 60 + "c" + ")" * 60,
    ):
        query = parse_query(text)
        assert parse_query(str(query)) == query


STORMS = [
    "*a" * 500, "a*" * 499, "-" * 1000, "!" * 1000, "<" * 1000, "a<" * 500, "a (" * 333, "a: " * 333, "f(" * 500, '"' * 999,
    "\\" * 1000, '"' + "\\" * 999, "class " * 160, "a::" * 333, "()" * 500, "a()" * 333, "operator" * 125, "[" * 1000,
    "a-" * 500, "-a" * 500, "a.b:" * 250, "x:" * 500, ",kind:" * 160, "kind:" + "a," * 490, "{;=:" * 250, "AND " * 250,
    "+-*/" * 250, "f() " * 250, "a=" * 500, "a: b = " * 140, "!(" * 500, "((" * 99 + "))" * 99, "\n\t" * 500, "\x1b[0m" * 200,
]  # fmt: skip


@pytest.mark.parametrize("text", STORMS)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    try:
        query = parse_query(text)
        assert parse_query(str(query)) == query or len(str(query)) > 1000
    except RequestError as error:
        assert "\n" not in str(error)
    assert time.process_time() - began < 0.5


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("login or logout", "login OR logout"),
        ("(a and b) Or not c", "(a AND b) OR NOT c"),
        ("not a", "NOT a"),
        ('"this or that" or c', '"this or that" OR c'),
        ("a AND b or c", "a AND b OR c"),
        ("login", None),
        ("login OR logout", None),
        ("or", None),
        ("a or", None),
        ("order android nothing", None),
        ('"a or b"', None),
        ("name:or b", None),
        ("if (a and b) {", None),
        ("(a or", None),
    ],
)
def test_operators_in_lower_case_are_reported(text: str, meant: str | None) -> None:
    assert lower_case_operators(text) == meant


def test_the_listed_fields_are_fields() -> None:
    assert set(LISTED) < set(FIELDS)


NO_FIELDS = {
    "see rubocop:disable here": ["`rubocop:` is no field, so it was searched for as text"],
    "a -knd:class": ["`knd:` is no field, so it was searched for as text; did you mean `kind:`?"],
    "foo:(a b) b:'x'": [
        "`foo:` is no field, so it was searched for as text",
        "`b:` is no field, so it was searched for as text",
    ],
    f"{'x' * 41}:y": [f"`{'x' * 40}…:` is no field, so it was searched for as text"],
    "kind:class std::list hooks: before 12:30": [],
}


@pytest.mark.parametrize(("text", "notices"), NO_FIELDS.items())
def test_a_word_that_looks_like_a_field(text: str, notices: list[str]) -> None:
    parsed_notices: list[str] = []
    parse_query(text, parsed_notices)
    assert parsed_notices == notices


@pytest.mark.parametrize(
    "text", ["AND", "NOT", "-a", "https://x.org", "kind:", "kind:class", "a b"]
)
def test_a_term_that_would_be_read_as_something_else_is_written_in_quotes(text: str) -> None:
    assert str(Term("", text)) == f'"{text}"'
