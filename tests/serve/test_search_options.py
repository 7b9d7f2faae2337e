"""Search options, valid or not, give the same answer at the command line, from the MCP server and
in Python."""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.dialects.rye_page import RYE_NEEDS, as_rye
from symindex.dialects.table import call
from symindex.errors import RequestError
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.waiting import until


@pytest.fixture(scope="module")
def index_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture(scope="module")
def workspace(repository: Path, index_dir: Path) -> Iterator[Workspace]:
    with Workspace(repository, index_dir) as made:
        made.refresh()
        yield made


@pytest.fixture(scope="module")
def agent(repository: Path, index_dir: Path, workspace: Workspace) -> Iterator[Callable[..., Any]]:
    """Answers a search as the MCP server does."""
    handlers = ToolHandlers([repository], str(index_dir))
    until(
        lambda: (
            handlers.answer("search", {"query": "Cart"}, threading.Event()).data.notices
            is msgspec.UNSET
        ),
        "an index",
    )
    yield lambda **arguments: handlers.answer("search", arguments, threading.Event())
    handlers.workspace.close()


@pytest.fixture
def command(repository: Path, index_dir: Path, workspace: Workspace) -> Callable[..., Any]:
    return lambda *words: run(
        "search", *words, "--root", str(repository), "--index-dir", str(index_dir)
    )


SAME: list[tuple[dict[str, Any], list[str]]] = [
    ({"query": "calc", "limit": 2, "offset": 1}, ["calc", "--limit", "2", "--offset", "1"]),
    ({"query": "calc", "fields": {"kind": "method"}}, ["calc", "--field", "kind=method"]),
    ({"query": "", "fields": {"name": "(calc) (tax)"}}, ["--field", "name=calc", "--field", "name=tax"]),
    (
        {"query": "", "filters": {"kind": ["class", "!method"], "path": "src/**"}},
        ["--filter", "kind=class", "--filter", "kind=!method", "--filter", "path=src/**"],
    ),
    ({"query": "", "filters": {"date_from": "2001-01-01"}, "limit": 3}, ["--filter", "date_from=2001-01-01", "--limit", "3"]),
    ({"query": "recalculaet", "fuzzy": {"enabled": True, "max_distance": 1}}, ["recalculaet", "--fuzzy", "--max-distance", "1"]),
    ({"query": "reclculte", "fuzzy": {"enabled": False, "max_distance": 1}}, ["reclculte", "--no-fuzzy", "--max-distance", "1"]),
    ({"query": "recalculaet", "fuzzy": False}, ["recalculaet", "--no-fuzzy"]),
    ({"query": "auth service", "proximity": {"enabled": True, "max_distance": 0}}, ["auth service", "--proximity", "0"]),
    ({"query": "", "sort_by": "name", "limit": 4}, ["--sort-by", "name", "--limit", "4"]),
    ({"query": "", "scope": ["class.src.auth", "method.src.cart"]}, ["--scope", "class.src.auth", "--scope", "method.src.cart"]),
]  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize(("fields", "words"), SAME)
def test_every_front_end_answers_alike(
    fields: dict[str, Any],
    words: list[str],
    workspace: Workspace,
    agent: Callable[..., Any],
    command: Callable[..., Any],
) -> None:
    response = workspace.search(**fields)
    rows = [(item.name, item.file_path, item.line) for item in response.items]
    assert command(*words, "--json").code == (0 if rows else 1)
    assert json.loads(command(*words, "--json").out)["items"] == json.loads(
        msgspec.json.encode(response.items)
    )
    answer = agent(**fields)
    assert not answer.is_error, answer.text
    assert [(item.name, item.file_path, item.line) for item in answer.data.items] == rows
    assert (answer.data.total, answer.data.start_index) == (response.total, response.start_index)
    as_text = {
        name: json.dumps(value) if isinstance(value, dict) else value
        for name, value in fields.items()
    }
    assert agent(**as_text).text == answer.text  # some models write objects as strings
    if fields["query"]:
        batch = agent(**{**fields, "query": None, "queries": [fields["query"]] * 2}).data["batch"]
        assert [[item.name for item in page.items] for page in batch] == [
            [name for name, *_ in rows]
        ] * 2


WRONG: list[tuple[dict[str, Any], list[str], str]] = [
    ({"limit": 2, "max_items": 3}, ["--limit", "2", "--max-items", "3"], "limit is another name of max_items: give one of"),
    (
        {"offset": 2, "start_index": 3},
        ["--offset", "2", "--start-index", "3"],
        "offset is another name of start_index: give one of the two",
    ),
    ({"fields": {"nme": "a"}}, ["--field", "nme=a"], "fields: symbols have no field 'nme': expected one of author, body,"),
    ({"filters": {"colour": "red"}}, ["--filter", "colour=red"], "filters: symbols have no field 'colour': expected"),
    ({"fuzzy": {"max_distance": 21}}, ["--max-distance", "21"], "fuzzy: max_distance is 21: it must be an integer from"),
    ({"proximity": {"max_distance": -1}}, ["--proximity", "-1"], "proximity: max_distance is -1: it must be an integer"),
    ({"proximity": {"max_distance": 1}}, ["--proximity", "1"], "proximity needs two words at least"),
    ({"sort_by": "size"}, ["--sort-by", "size"], "unknown sort_by 'size': expected one of date, name, score"),
    ({"scope": "klass.src"}, ["--scope", "klass.src"], "unknown type 'klass': expected one of adr, agent, all,"),
]  # fmt: skip


OPTIONS = {
    "fields:": "--field:",
    "filters:": "--filter:",
    "fuzzy:": "--fuzzy:",
    "proximity:": "--proximity:",
}


def _in_options(said: str) -> str:
    """Replaces the fields of a request in an error message by the shell's options."""
    words = [
        OPTIONS.get(word, f"--{word.replace('_', '-')}" if word in _FIELDS else word)
        for word in said.split(" ")
    ]
    return (
        " ".join(words)
        .replace("max_items:", "--max-items:")
        .replace("start_index:", "--start-index:")
    )


_FIELDS = frozenset({"limit", "offset", "max_items", "start_index", "max_distance", "sort_by"})


@pytest.mark.parametrize(("fields", "words", "said"), WRONG)
def test_every_front_end_refuses_alike(
    fields: dict[str, Any],
    words: list[str],
    said: str,
    workspace: Workspace,
    agent: Callable[..., Any],
    command: Callable[..., Any],
) -> None:
    with pytest.raises(RequestError) as caught:
        workspace.search("login", **fields)
    assert said in str(caught.value)
    done = command("login", *words)
    assert (
        (done.code, done.out) == (2, "")
        and _in_options(said) in done.err
        and done.err.count("\n") == 1
    )
    answer = agent(query="login", **fields)
    assert answer.is_error and said in answer.text


@pytest.mark.parametrize("words", [["--field", "kind"], ["--filter", "=x"]])
def test_a_pair_needs_a_name_and_a_value(words: list[str], command: Callable[..., Any]) -> None:
    done = command("login", *words)
    assert done.code == 2
    assert (
        f"{words[0]} '{words[1]}': expected a field and a value, as {words[0]} kind=class"
        in done.err
    )


def test_objects_as_agents_write_them(agent: Callable[..., Any]) -> None:
    for wrong in ([1], "name", 3):
        answer = agent(query="login", fields=wrong)
        assert answer.is_error and "expected an object" in answer.text
    assert not agent(query="login", fuzzy="true").is_error
    assert (
        "unknown format 'xml': expected one of markdown, rye"
        in agent(query="login", format="xml").text
    )


def test_the_form_of_rye_search(
    workspace: Workspace, agent: Callable[..., Any], command: Callable[..., Any]
) -> None:
    fields: dict[str, Any] = {"query": "calc", "scope": ["symbol.src.*"], "limit": 2, "offset": 1}
    expected = json.loads(
        msgspec.json.encode(as_rye(workspace.search(**fields, include=[*RYE_NEEDS])))
    )
    assert (expected["total"], expected["limit"], expected["offset"], len(expected["results"])) == (
        6,
        2,
        1,
        2,
    )
    printed = command(
        "calc", "--scope", "symbol.src.*", "--limit", "2", "--offset", "1", "--format", "rye"
    )
    strict = msgspec.to_builtins(
        call(workspace, "rye", query="calc", scope="symbol.src.*", limit=2, offset=1)
    )
    assert (printed.code, json.loads(printed.out)) == (0, strict)
    answer = agent(**fields, format="rye")
    assert json.loads(answer.text) == json.loads(msgspec.json.encode(answer.data)) == expected
    batch = agent(queries=["calc", "login"], format="rye").data["batch"]
    assert [entry.query for entry in batch] == ["calc", "login"]


def test_a_page_of_that_form_fits_its_budget(agent: Callable[..., Any]) -> None:
    answer = agent(query="", format="rye", max_tokens=400)
    page = json.loads(answer.text)
    assert 1 <= len(page["results"]) < page["total"]
    following = json.loads(
        agent(query="", format="rye", max_tokens=400, offset=len(page["results"])).text
    )
    assert following["offset"] == len(page["results"])
    assert {row["id"] for row in page["results"]}.isdisjoint(
        row["id"] for row in following["results"]
    )
