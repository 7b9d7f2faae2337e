"""Words of code and prose, their stems, and the tokens of prose."""

import pytest

from symindex.text.words import (
    LONGEST_WHOLE,
    STOP_WORDS,
    divide,
    stem,
    tokens_of,
    words_of,
)

WORDS = {
    "parseHttpRequest": "parse http request",
    "parse_http_request": "parse http request",
    "HTTPRequestParser2": "http request parser 2",
    "get-user  name(42)": "get user name 42",
    "a.b::c->d": "a b c d",
    "Größe_überAll": "grosse uber all",
    "naïveBayes": "naive bayes",
    "数据库Open": "数 据 库 open",
    "ПриветМир": "приветмир",
    "": "",
    "+-*/ \n": "",
    "😀 ok": "ok",
}


@pytest.mark.parametrize("text", WORDS)
def test_words(text: str) -> None:
    assert words_of(text) == WORDS[text].split()


def test_words_of_one_stem_are_one_word_to_a_question() -> None:
    assert {stem(word) for word in ("parse", "parses", "parsed", "parsing")} == {"pars"}
    assert stem("größe") == "größe"


def test_no_stop_word_is_a_name_in_code() -> None:
    assert not STOP_WORDS & {
        "get",
        "set",
        "use",
        "run",
        "add",
        "test",
        "new",
        "open",
        "close",
        "call",
        "not",
        "after",
        "before",
        "each",
    }


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("call useEffect(() => x)", ["call", "useEffect", "x"]),
        ("set rate_limit to 5.", ["set", "rate_limit", "to", "5"]),
        ("pass --dry-run or -v", ["pass", "--dry-run", "or", "-v"]),
        ("error E1234 since v2.3.1", ["error", "E1234", "since", "v2.3.1"]),
        ("see src/app/main.py: C++ and C#", ["see", "src/app/main.py", "C++", "and", "C#"]),
        ("a::b a.b a->b", ["a::b", "a.b", "a", "b"]),
        ("Größe naïve", ["Große", "naive"]),
    ],
)
def test_tokens(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    ("token", "whole", "words", "is_identifier"),
    [
        ("useEffect", "useeffect", ("use", "effect"), True),
        ("rate_limit", "rate_limit", ("rate", "limit"), True),
        ("--dry-run", "--dry-run", ("dry", "run"), True),
        ("E1234", "e1234", ("e", "1234"), True),
        ("cached", "cached", ("cached",), False),
        ("Cached", "cached", ("cached",), False),
        ("x" * (LONGEST_WHOLE + 1), "", ("x" * (LONGEST_WHOLE + 1),), False),
    ],
)
def test_dividing(token: str, whole: str, words: tuple[str, ...], is_identifier: bool) -> None:
    assert (divide(token).whole, divide(token).words, divide(token).is_identifier) == (
        whole,
        words,
        is_identifier,
    )
