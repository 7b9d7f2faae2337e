"""The options of a request as they are read: what they mean, and what is said of others."""

from collections.abc import Callable
from typing import Any

import pytest

from symindex.errors import RequestError, TokenError
from symindex.protocol.search import SearchItem, SearchRequest
from symindex.search.answer.cursor import digest, seal, unseal
from symindex.search.answer.page import _PageToken
from symindex.search.answer.universe import Universe, universe_of
from symindex.search.language.parse_query import parse_query
from symindex.search.names.weakness import guess_notice
from symindex.search.options.dates import DateRange, _clipped, read_date, read_dates
from symindex.search.options.exact_values import ExactValues, read_filters
from symindex.search.options.field_queries import read_fields
from symindex.search.options.given import read_text
from symindex.search.options.read import Options, read_options, with_own_names
from symindex.search.options.scopes import Scope, read_scopes, read_types

DAY = 86_400_000_000_000


def says(read: Callable[..., object], *given: Any) -> str:
    with pytest.raises(RequestError) as caught:
        read(*given)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-02", DAY), ("1970-01-01T00:00:01Z", 10**9), (" 1970-01-01T00:00:00.000001 ", 1_000),
        ("1970-01-01T02:00+02:00", 0), ("1969-12-31", -DAY), ("2024-02-29", 19_782 * DAY),
        ("1970-01-01T24", None), ("yesterday", None), ("", None), ("7d", None),
    ],
)  # fmt: skip
def test_dates_are_read_in_nanoseconds(text: str, expected: int | None) -> None:
    assert read_date(text) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, (None, None)),
        ({"date_from": "1970-01-02"}, (DAY, None)),
        ({"date_to": "1970-01-02"}, (None, 2 * DAY)),
        ({"date_to": "1970-01-02T00:00:00"}, (None, DAY + 1_000)),
        ({"date_to": "19700102"}, (None, 2 * DAY)),
        ({"date_to": "1970-01-01T00:00:01"}, (None, 10**9 + 1_000)),
        ({"date_from": "1970-01-01", "date_to": "1970-01-01"}, (0, DAY)),
        ({"date_from": "1970-01-01T00:00:01", "date_to": "1970-01-01T00:00:01"}, (10**9, 10**9 + 1_000)),
    ],
)  # fmt: skip
def test_both_ends_of_a_range_are_included(
    values: dict[str, str], expected: tuple[int | None, int | None]
) -> None:
    assert read_dates(values) == DateRange(*expected)


def test_a_moment_is_in_a_range() -> None:
    both, first, end, free = (
        DateRange(2, 4),
        DateRange(2, None),
        DateRange(None, 4),
        DateRange(None, None),
    )
    moments = (None, 1, 2, 3, 4)
    assert [both.contains(moment) for moment in moments] == [False, False, True, True, False]
    assert [first.contains(moment) for moment in moments] == [False, False, True, True, True]
    assert [end.contains(moment) for moment in moments] == [False, True, True, True, False]
    assert [free.contains(moment) for moment in moments] == [False, True, True, True, True]


def test_dates_that_are_refused() -> None:
    example = 'for example "2024-05-31" or "2024-05-31T12:00:00Z"'
    assert says(read_dates, {"date_from": "x"}) == (
        f"filters: date_from is 'x': expected a date, {example}"
    )
    assert says(read_dates, {"date_to": 7}) == (
        f"filters: date_to is 7: expected a string, {example}"
    )
    assert says(read_dates, {"date_to": "9999-12-31"}) == (
        f"filters: date_to is '9999-12-31': expected a date, {example}"
    )
    assert says(read_dates, {"date_from": "2024-01-02", "date_to": "2024-01-01"}) == (
        "filters: date_from '2024-01-02' is after date_to '2024-01-01'"
    )


FILTERS: list[tuple[dict[str, Any], list[tuple[str, tuple[str, ...], tuple[str, ...]]]]] = [
    ({"kind": "class"}, [("kind", ("class",), ())]),
    ({"kind": ["class", " !enum ", "!a"]}, [("kind", ("class",), ("enum", "a"))]),
    ({"language": "go", "file": "a"}, [("path", ("a",), ()), ("lang", ("go",), ())]),
    ({"name": "!"}, [("name", ("!",), ())]),
    ({"name": "!="}, [("name", ("!=",), ())]),
    ({"name": "! a"}, [("name", (), ("a",))]),
    ({"version": ">=1.2", "since": "<v2"}, [("since", ("<v2",), ()), ("version", (">=1.2",), ())]),
    ({"title": "== 1.0"}, [("title", ("== 1.0",), ())]),
    ({"name": "<x"}, [("name", ("<x",), ())]),
    ({"name": []}, [("name", (), ())]),
]  # fmt: skip


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_are_read(
    filters: dict[str, Any], expected: list[tuple[str, tuple[str, ...], tuple[str, ...]]]
) -> None:
    assert read_filters(filters) == tuple(ExactValues(*values) for values in expected)


def test_filters_that_are_refused() -> None:
    assert says(read_filters, {"name": ">=1.2"}) == (
        "filters: name '>=1.2': only versions are compared, and name has none"
    )
    assert says(read_filters, {"version": ">1.x"}) == (
        "filters: version '>1.x': '1.x' is not a version: expected one as in >=1.2.0"
    )
    assert says(read_filters, {"version": 1}) == (
        'filters: version is 1: expected a string, for example "value", "!value" or a list of these'
    )
    assert says(read_filters, {" ": "a"}) == (
        'filters: the name of a field is empty: expected a string, for example "category", or leave it out'
    )


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("class", ("class", "", False)), ("CLASS.src", ("class", "src", False)), ("class.src.*", ("class", "src", True)),
        ("class.src*", ("class", "src", True)), ("class.*", ("class", "", False)), ("class*", ("class", "", False)),
        ("tool.rye/core/", ("tool", "rye.core", False)), ("rye.search.tool.rye.core.*", ("tool", "rye.core", True)),
        ("rye.fetch.tool", ("tool", "", False)), (" all.x ", ("all", "x", False)), ("Symbol.a.b", ("symbol", "a.b", False)),
        ("enummember.x", ("enumMember", "x", False)), ("my-type.x", ("my-type", "x", False)),
    ],
)  # fmt: skip
def test_a_scope_is_a_type_and_a_namespace(text: str, scope: tuple[str, str, bool]) -> None:
    assert read_scopes(text) == read_scopes([text, text]) == (Scope(*scope),)


def test_scopes_and_types_that_are_refused() -> None:
    assert says(read_scopes, "class.*.a") == (
        "scope 'class.*.a': a * may only be at the end, as in symbol.src.auth.*"
    )
    assert says(read_scopes, 7).startswith(
        'scope is 7: expected a string, for example "class.src.auth.*", or a list of strings'
    )
    assert says(read_scopes, ["a", 7]).startswith("scope is 7: expected a string, for example ")
    assert says(read_scopes, "9.a").startswith("unknown type '9': expected one of all, array, ")
    assert says(read_types, 7) == (
        'type is 7: expected a string, for example "all", or a list of strings'
    )
    assert says(read_types, "a,?").startswith("unknown type '?': expected one of all, array, ")
    assert says(read_types, f"?{'x' * 100}").startswith(f"unknown type '?{'x' * 99}': ")


def test_types_are_words_of_one_or_several_texts() -> None:
    assert read_types("Class, ALL,tool") == ("class", "all", "tool")
    assert read_types(["symbol", "item,Symbol", "My-Type"]) == ("symbol", "item", "My-Type")


def test_a_text_of_an_option_has_a_longest_length() -> None:
    assert read_text("o", " a ", "x") == "a" and read_text("o", "a" * 1_000, "x") == "a" * 1_000
    assert (
        says(read_text, "o", "a" * 1_001, "x") == "o has 1,001 characters: at most 1,000 are read"
    )
    assert says(read_text, "o", "\ud800", "x").startswith("o '\\ud800' is not valid Unicode")
    assert says(read_text, "o", ["a"] * 30, "x").startswith(
        f"o is {str(['a'] * 30)[:60]}…: expected "
    )


def options(**fields: Any) -> Options:
    return read_options(SearchRequest(query="q", **fields))


MEANINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"whole": False, "weak": None, "edits": None, "between": None, "sort_by": "score", "space": "all", "dates": None}),
    ({"fuzzy": True}, {"weak": True, "edits": None}),
    ({"fuzzy": False}, {"weak": False}),
    ({"fuzzy": {}}, {"weak": None}),
    ({"fuzzy": {"enabled": True}}, {"weak": True, "edits": None}),
    ({"fuzzy": {"max_distance": 20}}, {"weak": True, "edits": 20}),
    ({"fuzzy": {"max_distance": 0}}, {"weak": False, "edits": None}),
    ({"fuzzy": {"enabled": False, "max_distance": 2}}, {"weak": False, "edits": None}),
    ({"proximity": {}}, {"between": None}),
    ({"proximity": {"enabled": True}}, {"between": 5}),
    ({"proximity": {"max_distance": 0}}, {"between": 0}),
    ({"proximity": {"max_distance": 1_000}}, {"between": 1_000}),
    ({"proximity": {"enabled": False, "max_distance": 9}}, {"between": None}),
    ({"sort_by": "DATE", "space": "User", "whole_words": True}, {"sort_by": "date", "space": "user", "whole": True}),
    ({"filters": {" Kind ": "class", "date_to": "1970-01-01"}}, {"filters": (ExactValues("kind", ("class",), ()),), "dates": DateRange(None, DAY)}),
    ({"type": "all", "scope": "class"}, {"types": ("all",), "scopes": (Scope("class", "", False),)}),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), MEANINGS)
def test_what_options_mean(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    read = options(**fields)
    assert {name: getattr(read, name) for name in expected} == expected


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"whole_words": 1}, "whole_words is 1: expected true or false"),
    ({"fuzzy": 3}, 'fuzzy is 3: expected true or false, or {"enabled": true, "max_distance": 0 to 20}'),
    ({"fuzzy": {"max_distance": 21}}, "fuzzy: max_distance is 21: it must be an integer from 0 to 20"),
    ({"fuzzy": {"max_distance": -1}}, "fuzzy: max_distance is -1: it must be an integer from 0 to 20"),
    ({"fuzzy": {"max_distance": True}}, "fuzzy: max_distance is True: it must be an integer from 0 to 20"),
    ({"fuzzy": {"enabled": 1}}, "fuzzy: enabled is 1: expected true or false"),
    ({"fuzzy": {"max": 1}}, "unknown part of fuzzy 'max': expected one of enabled, max_distance"),
    ({"proximity": True}, 'proximity is True: expected {"enabled": true, "max_distance": 0 to 1,000}'),
    ({"proximity": {"max_distance": 1_001}}, "proximity: max_distance is 1001: it must be an integer from 0 to 1,000"),
    ({"sort_by": "size"}, "unknown sort_by 'size': expected one of date, name, score"),
    ({"space": 7}, "unknown space '7': expected one of all, project, system, user"),
    ({"fields": "x"}, "fields is 'x': expected an object, for example {\"name\": \"login\"}"),
    ({"fields": {"name": "("}}, "fields: name: "),
    ({"fields": {"a b": "x"}}, "unknown field of fields 'a b': expected one of author, body, branch, category, container, content, "),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_wrong_options_are_named(fields: dict[str, Any], message: str) -> None:
    assert says(lambda: options(**fields)).startswith(message)


def test_options_without_some_fields_have_their_defaults() -> None:
    full = options(
        fields={"name": "x"}, filters={"kind": "class", "date_to": "1970-01-01"}, scope="class",
        proximity={"max_distance": 3}, type="all", space="user", fuzzy=True, sort_by="name",
    )  # fmt: skip
    bare = options(fuzzy=True, sort_by="name")
    assert full.without({"fields", "filters", "proximity", "scope", "space", "type"}) == bare
    assert full.without(set()) == full and full.without({"kinds"}) == full
    assert full.without({"filters"}).filters == () and full.without({"filters"}).dates is None
    assert full.without({"filters"}).types == ("all",)
    assert full.need_dates and options(sort_by="date").need_dates and not bare.need_dates


def test_limit_and_offset_are_other_names() -> None:
    request = with_own_names(SearchRequest(query="q", limit=3, offset=4))
    assert (request.max_items, request.start_index) == (3, 4)
    request = with_own_names(SearchRequest(query="q", limit=None, start_index=2))
    assert (request.max_items, request.start_index) == (None, 2)
    assert with_own_names(SearchRequest(query="q", limit=1, offset=0)).max_items == 1
    for fields, message in (
        ({"limit": 3, "max_items": 3}, "limit is another name of max_items: give one of the two"),
        ({"offset": 1, "start_index": 2}, "offset is another name of start_index: give one of the two"),
        ({"limit": 0}, "limit is 0: it must be 1 or more"),
        ({"offset": -1}, "offset is -1: it must be 0 or more"),
        ({"offset": False}, "offset is False: it must be 0 or more"),
        ({"limit": True}, "limit is True: it must be 1 or more"),
        ({"offset": None}, "offset is None: it must be 0 or more"),
    ):  # fmt: skip
        assert says(with_own_names, SearchRequest(query="q", **fields)) == message


def test_a_field_of_items_stands_for_several_of_symbols() -> None:
    (title,), (body,) = read_fields({"title": "x"}), read_fields({"body": "y"})
    assert (
        str(title) == "((name:x OR container:x) AND NOT type:item OR title:x)"
        and str(body) == "content:y"
    )
    both = read_fields({"name": "a b", "Owner".lower(): "c"})
    assert [*map(str, both)] == ["(name:a AND name:b)", "owner:c"]


def universe(query: str = "q", kinds: tuple[str, ...] = (), **fields: Any) -> Universe:
    return universe_of(kinds, parse_query(query), options(**fields))


UNIVERSES: list[tuple[dict[str, Any], Universe]] = [
    ({}, Universe.SYMBOLS),
    ({"kinds": ("class",)}, Universe.SYMBOLS),
    ({"kinds": ("section",)}, Universe.DOCUMENTS),
    ({"kinds": ("section", "class")}, Universe.EVERYTHING),
    ({"type": "item"}, Universe.DOCUMENTS),
    ({"type": "symbol"}, Universe.SYMBOLS),
    ({"type": "all"}, Universe.EVERYTHING),
    ({"type": "tool,section"}, Universe.DOCUMENTS),
    ({"type": ["tool", "class"]}, Universe.EVERYTHING),
    ({"scope": "tool.x"}, Universe.DOCUMENTS),
    ({"scope": "symbol.x"}, Universe.SYMBOLS),
    ({"query": "q type:tool"}, Universe.EVERYTHING),
    ({"query": "q kind:class"}, Universe.SYMBOLS),
    ({"query": "q (kind:class OR type:all)"}, Universe.EVERYTHING),
    ({"query": "q type:cl*"}, Universe.EVERYTHING),
    ({"query": "q NOT type:tool"}, Universe.SYMBOLS),
    ({"query": "q type:tool", "kinds": ("class",)}, Universe.SYMBOLS),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), UNIVERSES)
def test_which_rows_a_request_is_about(fields: dict[str, Any], expected: Universe) -> None:
    assert universe(**fields) is expected


def test_rows_have_names_in_messages() -> None:
    assert [(member.row, member.rows) for member in Universe] == [
        ("symbol", "symbols"), ("section or item", "sections and items"),
        ("symbol, section or item", "symbols, sections and items"),
    ]  # fmt: skip


def guess(match: str) -> SearchItem:
    return SearchItem(name="n", kind="class", file_path="a", line=1, container=None, match=match)


def test_a_page_of_guesses_says_what_they_are() -> None:
    typo, letters, some = guess("typo"), guess("letters"), guess("some words")
    plain = SearchItem(name="n", kind="class", file_path="a", line=1, container=None)
    assert guess_notice("q", [typo, typo]) == (
        "nothing matches `q` itself; each row is spelt almost like it (typo)"
    )
    assert guess_notice("q" * 61, [letters, typo]) == (
        f"nothing matches `{'q' * 60}…` itself; each row is spelt almost like it (typo) or has its "
        "letters in order (letters)"
    )
    assert guess_notice("q" * 60, [guess("text")]).startswith(
        f"nothing matches `{'q' * 60}` itself"
    )
    for items in ([], [typo, plain], [typo, some], [some]):
        assert guess_notice("q", items) == ""


TOKEN = _PageToken(7, b"r", b"p", b"g", 3, True, [b"s"], b"", 1, 2, 3, 4, b"path", 5, 6)


def test_a_token_is_read_back_and_any_other_text_refused() -> None:
    text = seal(TOKEN)
    assert unseal(text, _PageToken, 7) == TOKEN and text.isascii() and "=" not in text
    for wrong in ("", "a", "AAAAA", text[:-1], f"{text}A", f"é{text}", text.swapcase(), "x" * 41):
        with pytest.raises(
            TokenError, match=r"is not a token of symindex: give back the one of the"
        ):
            unseal(wrong, _PageToken, 7)
    with pytest.raises(TokenError, match=rf"'{'x' * 40}…' is not"):
        unseal("x" * 41, _PageToken, 7)
    with pytest.raises(
        TokenError, match=r"^pagination_id is of token version 7, not 8: start again"
    ):
        unseal(text, _PageToken, 8)
    with pytest.raises(TokenError, match="belongs to another sort of request, or another version"):
        unseal(seal(Scope("a", "b", True)), _PageToken, 7)
    assert len(digest(b"a")) == 6 and len(digest(b"a", 4)) == 4 and digest(b"a") != digest(b"b")


@pytest.mark.parametrize("ns", [-(2**63) + 1, -(2**62) - 1, 0, 2**63 - 1])
def test_a_date_that_fits_into_64_bits_is_compared_as_it_is(ns: int) -> None:
    assert int(_clipped(ns)) == ns
    assert int(_clipped(-(2**64))) == 1 - 2**63 and int(_clipped(2**64)) == 2**63 - 1
