"""Calls of dialects from Python and the shell: the choice of dialects, arguments that are read or
refused, and output."""

import io
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symindex
from symindex.dialects.dialect import Parameter, Tool, as_json
from symindex.dialects.table import NAMES, call, choose, dialect
from symindex.dialects.values import is_absent, read_value
from symindex.errors import RequestError
from symindex.serve.cli.in_dialect import MOST_BYTES, from_file, from_options
from tests.support.command import run_symindex
from tests.support.files import write_files


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(
        tmp_path_factory.mktemp("calls") / "tree",
        {"a.py": "class Reader: pass\ndef read_all(): pass\n"},
    )


@pytest.fixture(scope="module")
def workspace(root: Path) -> Iterator[symindex.Workspace]:
    with symindex.open(root, root.parent / "index") as workspace:
        yield workspace


def run(root: Path, *words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    return run_symindex(
        "search",
        *words,
        "--root",
        str(root),
        "--index-dir",
        str(root.parent / "index"),
        input=given,
    )


# the choice of a dialect


def test_an_unknown_dialect_is_refused_with_the_five() -> None:
    assert len(NAMES) == 5
    with pytest.raises(
        RequestError,
        match=r"^unknown dialect 'klingon': expected one of .*context-mode.*lsap.*symindex",
    ):
        dialect("klingon")
    with pytest.raises(RequestError, match="unknown dialect 'klingon'"):
        choose(["lsap", "klingon"])


def test_a_dialect_that_is_given_twice_counts_once() -> None:
    assert [chosen_dialect.name for chosen_dialect in choose(["lsap", "lsap", "context-mode"])] == [
        "lsap",
        "context-mode",
    ]


@pytest.mark.parametrize(
    ("names", "both"),
    [(["sibyl", "lsap"], "sibyl and lsap"), (["symindex", "lsap"], "symindex and lsap")],
)
def test_two_tools_of_one_name_are_refused(names: list[str], both: str) -> None:
    with pytest.raises(
        RequestError, match=f"^--dialect {both} both have a tool 'search': run two servers$"
    ):
        choose(names)


# reading arguments


LEAST_TWO = Tool(
    "least",
    "",
    (
        Parameter(name="text", kind="string", about="a text", is_required=True),
        Parameter(name="number", kind="integer", about="", default=3, least=1, most=5),
        Parameter(name="free", kind="integer", about=""),
        Parameter(name="words", kind="array", about="", most=3, choices=("a", "b")),
        Parameter(name="flag", kind="boolean", about="", default=True),
        Parameter(name="either", kind="flag or object", about=""),
    ),
    {},
    lambda _caller, arguments: as_json(arguments),
)

ABSENT = {"text": "", "number": 3, "free": None, "words": None, "flag": True, "either": None}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"text": ""}, ABSENT),
        ({"text": "x", "number": 1}, {**ABSENT, "text": "x", "number": 1}),
        ({"text": "x", "number": 5}, {**ABSENT, "text": "x", "number": 5}),
        ({"text": "x", "number": "4"}, {**ABSENT, "text": "x", "number": 4}),
        ({"text": "x", "free": 10**9}, {**ABSENT, "text": "x", "free": 10**9}),
        ({"text": "x", "flag": False}, {**ABSENT, "text": "x", "flag": False}),
        ({"text": "x", "flag": "false"}, {**ABSENT, "text": "x", "flag": False}),
        ({"text": "x", "either": False}, {**ABSENT, "text": "x", "either": False}),
        (
            {"text": "x", "either": {"enabled": True}},
            {**ABSENT, "text": "x", "either": {"enabled": True}},
        ),
        ({"text": "x", "words": ["A", "b"]}, {**ABSENT, "text": "x", "words": ["a", "b"]}),
        ({"text": "x", "words": "a,b"}, {**ABSENT, "text": "x", "words": ["a", "b"]}),
        (
            {"text": "x", "words": [], "number": None, "flag": None, "either": {}},
            {**ABSENT, "text": "x"},
        ),
        ({"text": "x", "number": False, "words": False}, {**ABSENT, "text": "x"}),
    ],
)
def test_arguments_are_read_with_their_defaults(
    given: dict[str, Any], read: dict[str, Any]
) -> None:
    assert LEAST_TWO.read(given) == read


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "least: text is missing: a text"),
        ({"text": None}, "least: text is missing: a text"),
        ({"text": "x", "number": 0}, "least: number is 0: expected 1 to 5"),
        ({"text": "x", "number": 6}, "least: number is 6: expected 1 to 5"),
        ({"text": "x", "free": -1}, "least: free is -1: expected 0 or more"),
        ({"text": "x", "number": 1.5}, "least: number is 1.5: expected an integer"),
        ({"text": "\ud800"}, "least: text is not valid Unicode: give it as UTF-8"),
        ({"text": "x", "words": ["\udcff"]}, "least: words is not valid Unicode: give it as UTF-8"),
        (
            {"text": "x", "either": {"a": [{"\ud800": 1}]}},
            "least: either is not valid Unicode: give it as UTF-8",
        ),
        (
            {"text": "x", "\ud800": 1},
            "least: an argument's name is not valid Unicode: give it as UTF-8",
        ),
        ({"text": "x", "words": ["c"]}, "least: words is 'c': expected one of a, b"),
        ({"text": "x", "words": ["a"] * 4}, "least: words has 4 parts: at most 3 are allowed"),
        ({"text": "x", "flag": "perhaps"}, "least: flag is 'perhaps': expected true or false"),
        (
            {"text": "x", "texts": 1},
            "least: unknown argument 'texts'; expected one of text, number, free, words, flag, either",
        ),
    ],
)
def test_a_wrong_argument_is_refused_with_the_right_form(given: dict[str, Any], error: str) -> None:
    with pytest.raises(RequestError) as refused:
        LEAST_TWO.read(given)
    assert str(refused.value) == error


@pytest.mark.parametrize(
    "kind", ["string", "integer", "boolean", "array", "object", "flag or object"]
)
def test_false_is_a_value_of_flags_alone(kind: str) -> None:
    assert is_absent(False, kind) == (kind not in ("boolean", "flag or object"))
    assert not is_absent(0, kind)


def test_the_longest_text_is_taken_and_one_more_character_is_not() -> None:
    assert read_value("x", "string", "a" * 4_000) == "a" * 4_000
    with pytest.raises(RequestError, match="x has 4,001 characters: at most 4,000 are allowed"):
        read_value("x", "string", "a" * 4_001)
    assert read_value("x", "array", ["a"] * 100) == ["a"] * 100
    with pytest.raises(RequestError, match="x has 101 parts: at most 100 are allowed"):
        read_value("x", "array", ["a"] * 101)


# from Python


def test_a_call_from_python_gives_the_response(workspace: symindex.Workspace) -> None:
    assert [item["name"] for item in call(workspace, "lsap", query="reader")["items"]] == ["Reader"]
    assert call(workspace, "lsap", "search", query="read", max_items=1)["total"] == 2


@pytest.mark.parametrize(
    ("words", "arguments", "error"),
    [
        (["lsap"], {}, "search: query is missing"),
        (["lsap", "find"], {}, "unknown tool of lsap 'find': expected one of search"),
        (["lsap"], {"query": "x", "kinds": ["klass"]}, "unknown kind 'klass'"),
        (["none"], {}, "unknown dialect 'none'"),
    ],
)
def test_a_call_from_python_that_is_wrong(
    words: list[str], arguments: dict[str, Any], error: str, workspace: symindex.Workspace
) -> None:
    with pytest.raises(RequestError, match=f"^{error}"):
        call(workspace, *words, **arguments)


def test_calls_of_one_workspace_are_counted(root: Path) -> None:
    with (
        symindex.open(root, root.parent / "index") as one,
        symindex.open(root, root.parent / "index") as other,
    ):
        lines = [call(one, "context-mode", queries=["reader"])["throttle"] for _ in range(2)]
        assert [text[:9] for text in lines] == ["call #1/8", "call #2/8"]
        assert call(other, "context-mode", queries=["reader"])["throttle"].startswith("call #1/8")


# from the shell


def test_options_become_the_parameters_of_a_dialect() -> None:
    assert from_options("lsap", {"query": "x", "kinds": ["class"], "limit": 3, "offset": None}) == {
        "query": "x", "kinds": ["class"], "max_items": 3
    }  # fmt: skip
    assert from_options("sibyl", {"query": "x", "types": ["task"], "status": ["todo", "doing"]}) == {
        "query": "x", "types": ["task"], "status": "todo,doing"
    }  # fmt: skip
    assert from_options("context-mode", {"query": "x", "content_type": "code"}) == {
        "queries": ["x"],
        "contentType": "code",
    }


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("lsap", {"paths": ["src"]}, "--format lsap: there is no parameter for --path"),
        (
            "lsap",
            {"content_type": "code"},
            "--format lsap: there is no parameter for --content-type",
        ),
        (
            "sibyl",
            {"languages": ["go", "c"]},
            "--format sibyl: expected one language, got 2",
        ),
    ],
)
def test_an_option_without_a_parameter_is_refused(
    name: str, options: dict[str, Any], error: str
) -> None:
    with pytest.raises(RequestError) as refused:
        from_options(name, options)
    assert str(refused.value) == error


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ('{"query": "x"}', (None, {"query": "x"})),
        ('{"name": "search", "arguments": {"query": "x"}}', ("search", {"query": "x"})),
        ('{"name": "search"}', (None, {"name": "search"})),
        ("{}", (None, {})),
    ],
)
def test_a_request_is_its_arguments_or_a_whole_call(given: str, read: Any) -> None:
    assert from_file(io.BytesIO(given.encode())) == read


@pytest.mark.parametrize(
    "given", ["", "[]", "1", "{", "[" * 5_000, '{"a": ' + "1" * (MOST_BYTES + 1) + "}", "\udcff"]
)
def test_an_invalid_request_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(RequestError, match=r"^--request[: ]") as refused:
        from_file(io.BytesIO(given.encode("utf-8", "surrogateescape")))
    assert "\n" not in str(refused.value)


@pytest.mark.nightly
def test_the_shell_answers_as_python_does(root: Path, workspace: symindex.Workspace) -> None:
    done = run(
        root,
        "--format",
        "lsap",
        "--request",
        "-",
        "--json",
        given='{"query": "read", "max_items": 1}',
    )
    assert (done.returncode, json.loads(done.stdout)) == (
        0,
        call(workspace, "lsap", query="read", max_items=1),
    )
    by_options = run(root, "read", "-n", "1", "--format", "lsap", "--json")
    assert by_options.stdout == done.stdout


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("words", "given", "code", "message"),
    [
        (["zzz", "--format", "lsap"], "", 1, ""),
        (
            ["x", "--request", "-"],
            "{}",
            2,
            "symindex: --request needs --format with the name of a system: rye",
        ),
        (["--format", "lsap", "--request", "-"], "{}", 2, "symindex: search: query is missing"),
        (
            ["--format", "lsap", "--request", "-"],
            '{"name": "find", "arguments": {}}',
            2,
            "symindex: unknown tool of lsap 'find'",
        ),
        (
            ["--format", "lsap", "--request", "-"],
            "nonsense",
            2,
            "symindex: --request: not valid JSON",
        ),
        (
            ["x", "--format", "lsap", "--path", "src"],
            "",
            2,
            "symindex: --format lsap: there is no parameter for --path",
        ),
        (
            ["x", "--format", "lsap", "--request", "none.json"],
            "",
            2,
            "symindex: Invalid value for '--request': 'none.json'",
        ),
    ],
)
def test_the_shell_says_what_is_wrong(
    words: list[str], given: str, code: int, message: str, root: Path
) -> None:
    done = run(root, *words, given=given)
    assert (done.returncode, done.stderr.startswith(message)) == (code, True), done.stderr
