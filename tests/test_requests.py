"""Messages about wrong words and values: what they quote, and where they cut."""

import threading
import time
from typing import Any

import pytest

from symindex.background import in_background
from symindex.cancellation import NotWantedError, check_wanted, wait_until, wanted_until
from symindex.errors import (
    GrammarError,
    RequestError,
    SymindexError,
    is_unicode,
    like_it,
    one_of,
    right_words,
    shown,
)
from symindex.protocol.explore import ReferencesRequest, SymbolRequest
from symindex.protocol.search import SearchRequest
from symindex.requests import (
    MOST_PATHS,
    check_limit,
    check_request,
    check_texts,
    check_types,
    read_request,
)

HALF = "\ud800"
"""Half of a surrogate pair, which no encoding can write."""


def said(call: Any, *arguments: Any) -> str:
    with pytest.raises(RequestError) as caught:
        call(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("got", "choices", "end"),
    [
        ("clas", ["class", "method"], "; similar: class"),
        ("zzzz", ["class", "method"], ""),
        ("", ["class"], ""),
        ("abcd", ["abce", "abcf", "abcg", "abch"], "; similar: abch, abcg, abcf"),
        ("abcde", ["abcxy"], "; similar: abcxy"),  # a share of 0.6
        ("abcdef", ["abcxyz"], ""),  # a share of 0.5
        ("abcd", ["abce", "abce"], "; similar: abce"),
        ("x" * 100 + "y" * 200, ["x" * 100], f"; similar: {'x' * 100}"),
        ("y" * 99 + "x", ["y" * 60 + "x"], f"; similar: {'y' * 60}x"),
    ],
)
def test_words_like_an_unknown_one_are_suggested(got: str, choices: list[str], end: str) -> None:
    assert like_it(got, choices) == end
    assert right_words(got, choices) == (
        end or f": expected one of {', '.join(sorted({*choices}))}"
    )


def test_an_unknown_word_lists_the_known_ones_in_order() -> None:
    assert str(one_of("kind", "CLAS", ["method", "class"])) == (
        "unknown kind 'CLAS': expected one of class, method; similar: class"
    )
    assert str(one_of("agent", "x", [])) == "unknown agent 'x': there are none"
    assert right_words("x", []) == ": there are none"


def test_texts_that_cannot_be_written_are_recognised_and_shown() -> None:
    assert is_unicode("plain") and is_unicode("é") and not is_unicode(f"é{HALF}")
    assert shown(f"a{HALF}b\udfff") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}"
    assert shown("\ud7ff\ue000") == "\ud7ff\ue000"
    assert str(SymindexError(f"{HALF}.py: gone")) == "\N{REPLACEMENT CHARACTER}.py: gone"
    assert str(SymindexError()) == "" and str(GrammarError("a", "key", "word")) == "a"


@pytest.mark.parametrize("length", [57, 58, 59, 200])
def test_a_wrong_value_is_quoted_up_to_a_length(length: int) -> None:
    value = "v" * length
    quoted = f"'{value}'" if length <= 58 else f"'{'v' * 59}…"
    message = said(read_request, {"query": "q", "max_items": value}, SearchRequest)
    assert message == f"max_items is {quoted}: expected an integer"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"query": "q", "kinds": "class"}, "kinds is 'class': expected a list, as ['class']"),
        ({"query": "q", "kinds": 1}, "kinds is 1: expected a list"),
        ({"query": ["q"]}, "query is ['q']: expected a string"),
        ({"query": "q", "kinds": [1]}, "kinds is [1]: expected a string at kinds[0]"),
        ({"query": "q", "sort": 1}, "Object contains unknown field `sort`"),
        ({}, "Object missing required field `query`"),
        (
            {"query": "q", HALF: 1},
            "a field's name, or the word of a choice, is not valid Unicode: give it as UTF-8",
        ),
    ],
)
def test_what_is_wrong_with_the_fields_of_a_request(fields: dict[str, Any], message: str) -> None:
    assert said(read_request, fields, SearchRequest) == message


def test_what_is_no_object_is_refused() -> None:
    assert said(read_request, [], SearchRequest) == "Expected `object`, got `array`"


def test_only_an_optional_field_may_be_null() -> None:
    absent: Any = None
    check_types(SymbolRequest(symbol="a", lines=absent))
    assert said(check_types, SymbolRequest(symbol=absent)) == ("symbol is None: expected a string")
    assert said(check_types, SearchRequest(query="q", start_index=absent)) == (
        "start_index is None: expected an integer"
    )


def test_limits_of_a_request() -> None:
    for right in (None, 1, 2):
        check_limit("max_items", right)
    assert said(check_limit, "depth", 0) == "depth is 0: it must be 1 or more, or null for all"
    many = ["a"] * MOST_PATHS
    check_texts(many)
    assert said(check_texts, [*many, "b"]) == "paths has 1,001 globs: at most 1,000 are allowed"
    assert said(check_texts, [HALF], ("name", "a")).startswith("path glob '\\ud800' is not valid")
    assert said(check_texts, [], ("a", "b"), ("name", HALF)) == (
        "name '\\ud800' is not valid Unicode: give it as UTF-8"
    )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (SearchRequest(query="q", start_index=-1), "start_index is -1: it must be 0 or more"),
        (SearchRequest(query=HALF), "query '\\ud800' is not valid Unicode: give it as UTF-8"),
        (ReferencesRequest(name=HALF), "name '\\ud800' is not valid Unicode: give it as UTF-8"),
        (
            SearchRequest(query="q", paths=["ok", HALF]),
            "path glob '\\ud800' is not valid Unicode: give it as UTF-8",
        ),
        (
            ReferencesRequest(name="n", max_items=0),
            "max_items is 0: it must be 1 or more, or null for all",
        ),
    ],
)
def test_values_that_are_not_allowed(
    request_: SearchRequest | ReferencesRequest, message: str
) -> None:
    assert said(check_request, request_) == message


def test_values_that_are_allowed() -> None:
    for start in (0, 1, 7):
        check_request(
            SearchRequest(query="q", start_index=start, kinds=["class"], include=["doc", "range"])
        )
    check_request(ReferencesRequest(name="n", paths=["*.py"], max_items=1))
    assert "unknown kind 'clas'" in said(check_request, SearchRequest(query="q", kinds=["clas"]))


def test_work_that_nobody_wants_ends() -> None:
    given_up = threading.Event()
    with wanted_until(given_up):
        check_wanted()
        wait_until(lambda: True, 0.0)
        given_up.set()
        with pytest.raises(NotWantedError):
            check_wanted()
        with pytest.raises(NotWantedError):
            wait_until(lambda: False, 0.0)
        wait_until(lambda: True, 60.0)
    check_wanted()  # outside of the block, the event means nothing
    with pytest.raises(ValueError), wanted_until(given_up):
        raise ValueError
    check_wanted()


def test_a_wait_ends_when_its_time_is_over_or_its_condition_is_true() -> None:
    began = time.monotonic()
    wait_until(lambda: False, 0.001, 0.01)
    assert 0.01 <= time.monotonic() - began < 5
    asked: list[int] = []

    def is_there() -> bool:
        asked.append(1)
        return len(asked) == 3

    with in_background():
        wait_until(is_there, 0.0)
    assert len(asked) == 3
    wait_until(lambda: False, 60.0, 0.0)
    assert time.monotonic() - began < 30
