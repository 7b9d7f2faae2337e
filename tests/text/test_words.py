"""Words of code and prose, and their stems."""

import pytest

from symindex.text.words import STOP_WORDS, stem, words_of

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


def test_no_stop_word_is_what_code_is_called() -> None:
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
