"""The query language: text to tree, text to error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.search.query import Name, parse_query

TREES = {
    "": "everything",
    "   ": "everything",
    "login": "login",
    "Auth.login": "Auth.login",
    "Auth::login": "Auth.login",
    "Auth#login": "Auth.login",
    "auth/login": "auth.login",
    "auth\\login": "auth.login",
    "a->b": "a.b",
    "Auth.": "Auth.*",
    "login()": "login",
    "std::vector<int>": "std.vector<int>",
    "foo:bar": "foo:bar",
    "OR": "OR",
    "and": "and",
    "operator==": "operator==",
    "auth login": "(auth AND login)",
    "auth AND login": "(auth AND login)",
    "a OR b c": "(a OR (b AND c))",
    "a b OR c": "((a AND b) OR c)",
    "(a OR b) c": "((a OR b) AND c)",
    "NOT a": "NOT a",
    "NOT NOT a": "NOT NOT a",
    "a NOT b": "(a AND NOT b)",
    "a and b": "(a AND and AND b)",
    '"file system"': '"file system"',
    '"say \\"hi\\""': '"say "hi""',
    "get*Name": "get*Name",
    "*": "*",
    "kind:class": "kind:class",
    'doc:"to do" lang:go': '(doc:"to do" AND lang:go)',
    "kind:class Auth.login": "(kind:class AND Auth.login)",
    "name:a::b": "name:a::b",
    "((a))": "a",
    "  a   b  ": "(a AND b)",
    "-x": "-x",
    "(-x)": "-x",
    "--flag": "--flag",
    "-moz-*": "-moz-*",
    "NOT -x": "NOT -x",
    "a NOT -x": "(a AND NOT -x)",
    "a --flag": "(a AND --flag)",
    "a - b": "(a AND - AND b)",
    "a ->b": "(a AND ->b)",
    "foo-bar a-1": "(foo-bar AND a-1)",
    "operator- a": "(operator- AND a)",
    'a "-test"': '(a AND "-test")',
    "a name:-x": "(a AND name:-x)",
    "a (b OR c) NOT d": "(a AND (b OR c) AND NOT d)",
}

ERRORS = {
    "(a": "query, at the end: expected a parenthesis that closes the one at character 1",
    "a )": "query, at character 3: expected a word, AND, OR, NOT or the end; this closes no parenthesis",
    "a AND": "query, at the end: expected a word, a phrase, NOT or an opening parenthesis after AND",
    "AND a": "query, at character 1: expected a word, a phrase, NOT or an opening parenthesis",
    "a OR OR b": "query, at character 6: expected a word, a phrase, NOT or an opening parenthesis after OR",
    '"abc': "query, at the end: expected a closing quote for the one at character 1",
    'a ""': "query, at character 4: expected some text between the quotes",
    "kind: a": "query, at character 6: expected a value after kind:",
    "a colour:red": "query, character 3: unknown field 'colour': expected one of name, container, path, kind, lang, doc, "
    'signature, id, space; put it in quotes to search for it: "colour:red"',
    "login -test": 'query, at character 7: expected NOT test: a minus leaves nothing out; in quotes it is searched for: "-test"',
    "-1 a": 'query, at character 1: expected NOT 1: a minus leaves nothing out; in quotes it is searched for: "-1"',
    "a OR (b -kind:class)": "query, at character 9: expected NOT kind:class: a minus leaves nothing out; in quotes it is "
    'searched for: "-kind:class"',
    "a -*b": 'query, at character 3: expected NOT *b: a minus leaves nothing out; in quotes it is searched for: "-*b"',
    'a -"b c"': "query, at character 3: expected NOT: a minus leaves nothing out",
    "a -(b OR c)": "query, at character 3: expected NOT: a minus leaves nothing out",
    "()": "query, at character 2: expected a word, a phrase, NOT or an opening parenthesis after (",
    "x" * 1001: "the query has 1,001 characters: at most 1,000 are read",
    "(" * 150 + "a": "query, at character 101: expected fewer than 100 nested parentheses and negations",
}


@pytest.mark.parametrize("text", TREES)
def test_tree(text: str) -> None:
    assert str(parse_query(text)) == TREES[text]


@pytest.mark.parametrize("text", ERRORS)
def test_error(text: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse_query(text)
    assert str(caught.value) == ERRORS[text]


def test_a_keyword_alone_is_a_name() -> None:
    assert parse_query("NOT ") == Name("NOT", (), "NOT")


@given(st.text(st.sampled_from('ab AND OR NOT()":*.#/kind:\\-'), max_size=30))
def test_every_text_is_a_tree_or_one_clear_error(text: str) -> None:
    try:
        parse_query(text)
    except RequestError as error:
        assert "\n" not in str(error)
