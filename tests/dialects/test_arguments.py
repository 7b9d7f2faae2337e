"""The arguments of a tool: which values are read, what is said of others, and the schema that a
client sees."""

from typing import Any

import pytest

from symindex.dialects.dialect import (
    CallContext,
    Dialect,
    Parameter,
    Reply,
    Tool,
    as_json,
    refusal,
    tool_of,
)
from symindex.dialects.rye_page import PREVIEW, as_rye, prepare_rye, render_rye
from symindex.dialects.throttle import PREFIXES, Throttle, Turn
from symindex.dialects.values import check_unicode, is_absent, read_value, shown
from symindex.errors import RequestError
from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse

READ: list[tuple[str, Any, Any]] = [
    ("string", "a", "a"), ("string", 3, "3"), ("string", 2.5, "2.5"), ("string", "x" * 4_000, "x" * 4_000),
    ("integer", 3, 3), ("integer", "3", 3), ("integer", "3.0", 3), ("integer", 3.0, 3), ("integer", " 7 ", 7),
    ("integer", 2**53, 2**53), ("integer", -(2**53), -(2**53)),
    ("boolean", True, True), ("boolean", "Yes", True), ("boolean", "0", False), ("boolean", "no", False),
    ("boolean", "TRUE", True), ("boolean", "1", True), ("boolean", "false", False), ("boolean", 1, True), ("boolean", 0, False),
    ("array", ["a", 2], ["a", "2"]), ("array", "a, b,,c", ["a", "b", "c"]), ("array", ' ["a,b", "c"]', ["a,b", "c"]),
    ("array", "[a", ["[a"]), ("array", "{a,b}", ["{a,b}"]), ("array", ["", None, "a"], ["a"]), ("array", "", []),
    ("array", ["x"] * 100, ["x"] * 100),
    ("object", {"a": 1}, {"a": 1}), ("object", ' {"a": 1}', {"a": 1}), ("object", {}, {}),
    ("object", dict.fromkeys(map(str, range(100))), dict.fromkeys(map(str, range(100)))),
    ("flag or object", "true", True), ("flag or object", False, False), ("flag or object", {"a": 1}, {"a": 1}),
    ("flag or object", '{"a": 1}', {"a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "expected"), READ, ids=lambda value: str(value)[:20])
def test_values_that_are_read(kind: str, value: Any, expected: Any) -> None:
    read = read_value("x", kind, value)
    assert read == expected and type(read) is type(expected)


REFUSED: list[tuple[str, Any, str]] = [
    ("string", True, "x is True: expected a string"),
    ("string", None, "x is None: expected a string"),
    ("string", ["a"], "x is ['a']: expected a string"),
    ("string", "x" * 4_001, "x has 4,001 characters: at most 4,000 are allowed"),
    ("integer", True, "x is True: expected an integer"),
    ("integer", 2.5, "x is 2.5: expected an integer"),
    ("integer", "2.5", "x is '2.5': expected an integer"),
    ("integer", "a.b", "x is 'a.b': expected an integer"),
    ("integer", "inf", "x is 'inf': expected an integer"),
    ("integer", 2**53 + 1, "x is 9007199254740993: the number is too large"),
    ("integer", -(2**53) - 1, "x is -9007199254740993: the number is too large"),
    ("boolean", 2, "x is 2: expected true or false"),
    ("boolean", "maybe", "x is 'maybe': expected true or false"),
    ("boolean", [], "x is []: expected true or false"),
    ("array", 3, "x is 3: expected a list of strings"),
    ("array", ["x"] * 101, "x has 101 parts: at most 100 are allowed"),
    ("array", ["a", True], "x, item 2, is True: expected a string"),
    ("array", [True, "a"], "x, item 1, is True: expected a string"),
    ("array", [True], "x is True: expected a string"),
    ("object", "a", "x is 'a': expected an object"),
    ("object", "{a", "x is '{a': expected an object"),
    ("object", ["a"], "x is ['a']: expected an object"),
    ("object", dict.fromkeys(range(101)), "x has 101 parts: at most 100 are allowed"),
    ("flag or object", "maybe", "x is 'maybe': expected true or false"),
    ("flag or object", "{a", "x is '{a': expected an object"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "message"), REFUSED, ids=lambda value: str(value)[:30])
def test_values_that_are_refused(kind: str, value: Any, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_value("x", kind, value)
    assert str(caught.value) == message


def test_a_pasted_trace_may_be_longer() -> None:
    assert len(read_value("symbol: symbol", "string", "x\n" * 100_000)) == 200_000
    for name, text in (
        ("symbol: symbol", "x" * 4_001),
        ("other", "x\n" * 2_001),
        ("symbol: symbol", "x\n" * 100_001),
    ):
        with pytest.raises(RequestError, match="are allowed"):
            read_value(name, "string", text)


@pytest.mark.parametrize(
    "value", ["\ud800", ["a", "\ud800"], {"\ud800": 1}, {"a": [{"b": "\ud800"}]}]
)
def test_text_that_is_not_unicode_is_refused_at_any_depth(value: Any) -> None:
    with pytest.raises(RequestError, match=r"^x is not valid Unicode: give it as UTF-8$"):
        check_unicode("x", value)
    check_unicode("x", ["ä", {"b": [3, None]}])


def test_a_long_value_is_cut_in_messages() -> None:
    assert shown("x" * 58) == repr("x" * 58) and shown("x" * 59) == f"'{'x' * 59}…"


ABSENT = {"string": False, "integer": False, "array": False, "object": False}


def test_empty_values_are_absent_and_false_is_only_a_flag() -> None:
    for kind in (*ABSENT, "boolean", "flag or object"):
        empty: list[Any] = [None, "", [], {}]
        values: list[Any] = [0, True, "a", [0], {"a": None}, " "]
        assert all(is_absent(value, kind) for value in empty)
        assert not any(is_absent(value, kind) for value in values)
        assert is_absent(False, kind) == (kind in ABSENT)


def parameter(kind: str = "string", **more: Any) -> Parameter:
    return Parameter(name="p", kind=kind, about="About.", **more)


SCHEMAS: list[tuple[Parameter, dict[str, Any]]] = [
    (parameter(), {"type": "string"}),
    (parameter(choices=("a", "b"), default="a"), {"type": "string", "enum": ["a", "b"], "default": "a"}),
    (parameter("array", most=9), {"type": "array", "items": {"type": "string"}, "maxItems": 9}),
    (parameter("array", choices=("a",)), {"type": "array", "items": {"type": "string", "enum": ["a"]}}),
    (parameter("integer", default=0, least=0, most=5), {"type": "integer", "default": 0, "minimum": 0, "maximum": 5}),
    (parameter("flag or object"), {"anyOf": [{"type": "object"}, {"type": "boolean"}]}),
]  # fmt: skip


@pytest.mark.parametrize(("listed", "expected"), SCHEMAS)
def test_the_schema_of_a_parameter(listed: Parameter, expected: dict[str, Any]) -> None:
    assert listed.schema() == {"description": "About.", **expected}
    assert listed.required().is_required and listed.required().schema() == listed.schema()


BOUNDS: list[tuple[Parameter, Any, str]] = [
    (parameter("integer", least=1), 0, "t: p is 0: expected 1 or more"),
    (parameter("integer"), -1, "t: p is -1: expected 0 or more"),
    (parameter("integer", most=2_000), 2_001, "t: p is 2,001: expected 0 to 2,000"),
    (parameter("integer", least=1, most=5), 6, "t: p is 6: expected 1 to 5"),
    (parameter("array", most=2), ["a", "b", "c"], "t: p has 3 parts: at most 2 are allowed"),
    (parameter(choices=("a", "b")), "c", "t: p is 'c': expected one of a, b"),
    (parameter(choices=("a",)), "c" * 101, f"t: p is '{'c' * 100}': expected one of a"),
    (parameter("array", choices=("a", "b")), ["a", "c"], "t: p is 'c': expected one of a, b"),
]  # fmt: skip


@pytest.mark.parametrize(("listed", "value", "message"), BOUNDS)
def test_a_value_out_of_bounds_is_refused(listed: Parameter, value: Any, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        listed.read("t", value)
    assert str(caught.value) == message


def test_values_at_their_bounds_are_read() -> None:
    numbers = parameter("integer", least=1, most=5)
    assert [numbers.read("t", value) for value in (1, 5)] == [1, 5]
    assert parameter("integer").read("t", 0) == 0 and parameter("integer").read("t", 10**6) == 10**6
    assert parameter("array", most=2).read("t", "a,b") == ["a", "b"]
    assert parameter(choices=("Ab",)).read("t", "aB") == "Ab"
    assert parameter("array", choices=("a", "B")).read("t", "A,b") == ["a", "B"]


def answer(_: CallContext, arguments: dict[str, Any]) -> Reply:
    if arguments["fails"]:
        raise RequestError("no")
    return as_json(arguments, 2)


TOOL = Tool(
    "t",
    "Does.",
    (
        Parameter(name="must", kind="string", about="Needed.", is_required=True),
        Parameter(name="may", kind="array", about="May.", is_required=True, may_miss=True),
        Parameter(name="fails", kind="boolean", about="Fails.", default=False),
        Parameter(name="hidden", kind="integer", about="Hidden.", is_listed=False, default=4),
    ),
    {"x": {"type": "string"}},
    answer,
    writes=True,
)  # fmt: skip


def test_the_schema_of_a_tool() -> None:
    schema = TOOL.schema()
    assert [*schema["inputSchema"]["properties"]] == ["must", "may", "fails"]
    assert schema["inputSchema"]["type"] == "object"
    assert schema["inputSchema"]["required"] == ["must", "may"]
    assert schema["annotations"] == {"readOnlyHint": False, "openWorldHint": False}
    assert (schema["name"], schema["description"]) == ("t", "Does.")
    assert schema["outputSchema"] == {"type": "object", "properties": {"x": {"type": "string"}}}
    bare = TOOL._replace(parameters=TOOL.parameters[2:], writes=False).schema()
    assert "required" not in bare["inputSchema"] and bare["annotations"]["readOnlyHint"]


CONTEXT = CallContext(None, None)  # type: ignore[arg-type]


def test_a_call_reads_its_arguments_and_fills_in_defaults() -> None:
    reply = TOOL.call(CONTEXT, {"must": "ä\u202e", "hidden": "7"})
    assert reply.data == {"must": "ä\u202e", "may": None, "fails": False, "hidden": 7}
    assert reply.text == '{"must":"ä\\u202e","may":null,"fails":false,"hidden":7}'
    assert (reply.n_results, reply.is_error) == (2, False)
    # An empty text is a value of a required argument, and `false` one of a flag.
    assert TOOL.read({"must": "", "fails": False})["must"] == ""


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "t: must is missing: Needed."),
        ({"must": None}, "t: must is missing: Needed."),
        ({"must": []}, "t: must is missing: Needed."),
        ({"must": "a", "fails": True}, "no"),
        ({"must": "a", "other": 1}, "t: unknown argument 'other'; expected one of must, may, fails"),
        ({"o" * 101: 1}, f"t: unknown argument '{'o' * 100}'; expected one of must, may, fails"),
        ({"\ud800": 1}, "t: an argument's name is not valid Unicode: give it as UTF-8"),
        ({"must": "\ud800"}, "t: must is not valid Unicode: give it as UTF-8"),
    ],
)  # fmt: skip
def test_a_call_that_cannot_be_answered_says_why(given: dict[str, Any], message: str) -> None:
    reply = TOOL.call(CONTEXT, given)
    assert (reply.text, reply.data, reply.is_error) == (message, {"error": message}, True)
    assert refusal(message, {}) == reply and reply.n_results == 0


def test_a_tool_is_found_by_its_name() -> None:
    dialects = [Dialect("a", "A", "", ()), Dialect("b", "B", "", (TOOL,))]
    assert tool_of(dialects, "t") is TOOL and tool_of(dialects, "b") is None


def turn(**more: Any) -> Turn:
    return Turn(
        **({"number": 3, "cap": 8, "seconds": 60.0, "most": None, "is_refused": False} | more)
    )


def test_what_a_counted_call_is_told() -> None:
    assert turn().told == turn().counter == "call #3/8 in 60 s"
    assert turn(seconds=0.5).counter == "call #3/8 in 0.5 s"
    assert turn(most=1).told == (
        "call #3/8 in 60 s; 1 result per query from now on; send several queries in one call"
    )
    assert turn(is_refused=True, most=1, wait=2.1).told == (
        "call #3/8 in 60 s: refused; wait 3 s; read the results so far, then send several queries "
        "in one call"
    )


def test_the_variables_of_the_throttle() -> None:
    assert not Throttle({}).is_on and Throttle({}).take("a") is None
    assert Throttle({}).take("a", always=True) == (1, 8, 60.0, None, False, 0.0)
    ours, theirs = PREFIXES
    both = {f"{theirs}SEARCH_BLOCK_AFTER": "5", f"{ours}SEARCH_BLOCK_AFTER": "6"}
    assert Throttle(both).is_on
    counted = Throttle(both).take("a")
    assert counted is not None and counted.cap == 6
    empty = Throttle({f"{theirs}SEARCH_BLOCK_AFTER": "5", f"{ours}SEARCH_BLOCK_AFTER": ""})
    counted = empty.take("a")
    assert counted is not None and counted.cap == 5
    for text in ("0", "x", "-1", "1000000001", "1.5"):
        with pytest.raises(RequestError) as caught:
            Throttle({f"{ours}SEARCH_WINDOW_MS": text})
        assert str(caught.value) == (
            f"SYMINDEX_SEARCH_WINDOW_MS is '{text}': expected an integer from 1"
        )
    for text in ("1", "1000000000"):
        counted = Throttle({f"{ours}SEARCH_WINDOW_MS": text}).take("a")
        assert counted is not None and counted.seconds == int(text) / 1_000


def found(**more: Any) -> SearchItem:
    fields: dict[str, Any] = {
        "name": "n", "kind": "method", "file_path": "a/b.py", "line": 1, "container": None,
    }  # fmt: skip
    return SearchItem(**(fields | more))


RYE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"id": "a/b.py#n"}, {"id": "a/b.py#n", "category": "a", "score": 0.0, "source": "project", "preview": ""}),
    ({"container": "C", "score": 0.123456}, {"category": "C", "score": 0.1235}),
    ({"signature": "def  n()", "doc": " One\n  two. "}, {"preview": "def  n() One two.", "description": "One"}),
    ({"snippet": "s", "doc": "d"}, {"preview": "d"}),
    ({"kind": "section", "snippet": " s\n t", "doc": "d"}, {"preview": "s t"}),
    ({"metadata": {"id": 7}, "id": "x", "snippet": "s"}, {"id": "7", "category": "", "preview": "s"}),
    ({"metadata": {"id": ""}, "id": "x"}, {"id": "x"}),
    ({"doc": "d" * PREVIEW}, {"preview": "d" * PREVIEW}),
    ({"doc": "d" * (PREVIEW + 1)}, {"preview": "d" * (PREVIEW - 1) + "…"}),
    ({"space": "user", "shadowed_by": "project"}, {"source": "user", "shadowed_by": "project"}),
]  # fmt: skip


def page_of(*items: SearchItem, **request: Any) -> SearchResponse:
    return SearchResponse(
        request=SearchRequest(query="q", **request), items=[*items], start_index=4, max_items=9,
        total=20, has_more=True, pagination_id=None,
    )  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), RYE)
def test_a_row_of_rye(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    (row,) = as_rye(page_of(found(**fields))).results
    assert {name: getattr(row, name) for name in expected} == expected
    assert (row.name, row.type) == ("n", fields.get("kind", "method"))


def test_a_page_of_rye() -> None:
    assert render_rye(page_of()) == (
        '{"results":[],"total":20,"query":"q","scope":"symbol","space":"all","limit":9,"offset":4,'
        '"search_type":"keyword"}'
    )
    assert as_rye(page_of(scope=["tool"], space="user")).scope == "tool"
    assert as_rye(page_of(scope=["tool", "skill"])).scope == ["tool", "skill"]


def test_a_page_of_rye_has_ten_rows_by_default() -> None:
    for fields, expected in (
        ({}, 10), ({"max_items": 3}, 3), ({"limit": None}, None), ({"pagination_id": "T"}, None),
    ):  # fmt: skip
        request = SearchRequest(query="q", **fields)
        prepare_rye(request)
        assert request.max_items == expected
        assert request.include == ["id", "signature", "doc", "score", "metadata", "snippet"]
