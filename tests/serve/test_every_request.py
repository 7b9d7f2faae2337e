"""Every request, command and tool answers without a folder, with two folders, and after a folder
has been removed.

The requests come from the registries of each front end, so that a new request is tested as well.
"""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Union, get_args, get_origin

import attrs
import click
import msgspec
import pytest
from lsprotocol import types

from symindex.errors import one_of, right_words
from symindex.serve.cli.command_table import Commands
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.convert import SymbolCapabilities
from symindex.serve.lsp.handlers import make_server
from symindex.serve.lsp.handshake import FETCH, OUTLINE, SEARCH, ClientInfo
from symindex.serve.mcp.tools import TOOLS
from tests.support.command import SYMINDEX, run_program
from tests.support.files import write_files
from tests.support.lsp_client import EVERYTHING, Client, LspError, start_server
from tests.support.mcp_client import McpClient

pytestmark = pytest.mark.nightly

SECONDS = 40.0
"""Time limit for an answer, in seconds, for a busy machine."""

OF_OURS: dict[str, list[dict[str, Any]]] = {
    SEARCH: [
        {"query": "thing"},
        {"query": "thing", "space": "all"},
        {"query": "thing", "type": "all"},
    ],
    OUTLINE: [{}, {"path": "one"}, {"path": "../x"}],
    FETCH: [
        {},
        {"item_id": "x"},
        {"item_id": "x", "source": "registry"},
        {"query": "x", "scope": "tool"},
    ],
}
"""Our own requests, whose params no message type describes."""

RELATIONS = {
    name: True
    for name in (
        "definition",
        "hover",
        "references",
        "implementation",
        "typeHierarchy",
        "callHierarchy",
    )
}


class _Silent:
    """A channel without a reader."""

    waiting = 0

    def write(self, message: bytes) -> None:
        pass


def methods() -> dict[str, Any]:
    """Returns the type of the params of each request and notification that the server has
    registered with pygls."""
    capabilities = SymbolCapabilities({}, False)
    client = ClientInfo(
        folders=(), process_id=None, options=None, encoding="utf-16", symbols=capabilities, document_symbols=capabilities,
        takes_trees=True, resolves=False, shows_progress=False, tells_settings=False, registers=frozenset(),
    )  # fmt: skip
    server = make_server(client, _Silent(), lambda: None, Bounds())  # type: ignore[arg-type, return-value]
    manager = server.protocol.fm
    messages = {
        method: types.METHOD_TO_TYPES.get(method)
        for method in {**manager.builtin_features, **manager.features}
    }
    return {
        method: attrs.fields_dict(message[0])["params"].type if message else Any
        for method, message in messages.items()
    }


def example(kind: Any, text: str) -> Any:
    """Returns an example value of a type.

    text: the value of each string in it.
    """
    if attrs.has(kind):
        return {_in_json(field.name): example(field.type, text) for field in attrs.fields(kind)}
    if get_origin(kind) is Union:
        return example(get_args(kind)[0], text)
    if get_origin(kind) is Sequence:
        return [example(get_args(kind)[0], text)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind)).value
    return {str: text, int: 1, bool: True, float: 1.0}.get(kind, {})


def _in_json(name: str) -> str:
    first, *others = name.rstrip("_").split("_")
    return first + "".join(word.title() for word in others)


ENDS = (types.INITIALIZE, types.SHUTDOWN, types.EXIT)
"""The messages that begin or end the conversation."""


def ask_everything(client: Client, text: str) -> dict[str, str]:
    """Sends every request; returns the answer to each: a result as JSON, or an error."""
    answers = {}
    for method, kind in methods().items():
        if method in ENDS:
            continue
        message = types.METHOD_TO_TYPES.get(method)
        is_request = message is None or "id" in attrs.fields_dict(message[0])
        usual = OF_OURS.get(method) or [example(kind, text)]
        for params in [
            *usual,
            *([{**usual[0], "\ud800": 1}] if isinstance(usual[0], dict) else []),
        ]:
            number = len(client._asked) + 10_000
            numbered = {"id": client.expect(number)} if is_request else {}
            # Other clients send this form: `msgspec` refuses half a surrogate pair.
            client.send(
                json.dumps(
                    {"jsonrpc": "2.0", **numbered, "method": method, "params": params}
                ).encode()
            )
            if not is_request:
                continue
            try:
                answers[f"{method} {params}"] = json.dumps(client.answer(number, SECONDS))
            except LspError as error:
                answers[f"{method} {params}"] = str(error)
    return answers


def check(answers: dict[str, str]) -> None:
    assert len(answers) > 25
    for asked, said in answers.items():
        assert "-32603" not in said and "internal error" not in said, (asked, said)
        assert "one of \n" not in f"{said}\n" and not said.rstrip('"').endswith("one of "), (
            asked,
            said,
        )


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    return [
        write_files(tmp_path / name, {"a.py": f"def thing_{name}(): pass\n"})
        for name in ("one", "two")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("n_folders", [0, 2])
@pytest.mark.parametrize("text", ["file:///one/a.py", "file:///a%ED%A0%80.py", "untitled:\ud800"])
@pytest.mark.parametrize("capabilities", [EVERYTHING, {}])
def test_a_language_server(
    n_folders: int, text: str, capabilities: dict[str, Any], two: list[Path]
) -> None:
    client = start_server()
    client.initialize(*two[:n_folders], capabilities=capabilities, options=RELATIONS)
    document = {
        "uri": text,
        "languageId": "python",
        "version": 1,
        "text": "def odd\ud800(): thing_one()\n",
    }
    client.send(
        json.dumps(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": document},
            }
        ).encode()
    )
    check(ask_everything(client, text))
    client.leave()


@pytest.mark.slow
def test_a_language_server_whose_folder_is_gone(two: list[Path]) -> None:
    client = start_server()
    client.initialize(*two)
    client.until_names("thing", ["thing_one", "thing_two"])
    shutil.rmtree(two[0])
    check(ask_everything(client, (two[0] / "a.py").as_uri()))
    client.leave()


def arguments_of(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """Returns a value for each argument of a tool."""
    values = {"string": text, "integer": 1, "boolean": True, "array": [text], "object": {}}
    return {name: values[part["type"]] for name, part in schema["properties"].items()}


@pytest.mark.slow
@pytest.mark.parametrize("text", ["thing", "\ud800"])
@pytest.mark.parametrize("n_gone", [0, 1, 2])
def test_the_agents_front_end(n_gone: int, text: str, two: list[Path], tmp_path: Path) -> None:
    with McpClient(two, tmp_path / "indexes") as client:
        client.until("search", "thing_two", query="thing_two")
        for folder in two[:n_gone]:
            shutil.rmtree(folder)
        for tool in TOOLS:
            every = arguments_of(tool["inputSchema"], text)
            for given in [
                every,
                *({name: value} for name, value in every.items()),
                {},
                {**every, "\ud800": 1},
            ]:
                call = {"name": tool["name"], "arguments": given}
                answer = client.wait(client.begin("tools/call", call), SECONDS)
                said = json.dumps(answer)
                assert "internal error at" not in said and "Traceback" not in said, (call, said)
                assert "result" in answer or "\ud800" in (text, *given), (call, said)


def commands() -> Iterator[tuple[str, click.Command]]:
    group = Commands()
    with click.Context(group) as context:
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield name, command


SERVES = ("lsp", "mcp", "serve")
"""Commands that run until their input ends, or forever."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "command"), [(name, command) for name, command in commands() if name not in SERVES]
)
def test_a_command(name: str, command: click.Command, tmp_path: Path) -> None:
    """Each command runs in a removed folder, with a removed or missing root, and with a word that
    is not valid Unicode."""
    missing, gone = tmp_path / "missing", tmp_path / "gone"
    needed = [part for part in command.params if isinstance(part, click.Argument)]
    takes_root = any("--root" in part.opts for part in command.params)
    # A shell deletes its own folder, since no process can start in a folder that is gone.
    in_gone = ["sh", "-c", 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', str(gone), *SYMINDEX]
    for word, roots in (
        ("thing", [missing]),
        ("thing", []),
        (os.fsdecode(b"\xff\xed\xa0\x80"), []),
        ("thing", ["."]),
    ):
        words = [word for part in needed for _ in range(max(part.nargs, 1))]
        given = [name, *words, *(["--root", str(roots[0])] if takes_root and roots else [])]
        is_in_gone = os.name == "posix" and roots != [missing]
        said = run_program(
            [*(in_gone if is_in_gone else SYMINDEX), *given], cwd=tmp_path, input="", timeout=60
        )
        assert said.returncode in (0, 1, 2), said.stderr
        assert "Traceback" not in said.stderr and "internal error at" not in said.stderr, (
            said.stderr
        )


def test_an_empty_list_is_said_to_be_empty() -> None:
    assert str(one_of("root", "x", [])) == "unknown root 'x': there are none"
    assert right_words("x", []) == ": there are none"
    assert (
        msgspec.json.encode(str(one_of("root", "x", ["a"])))
        == b"\"unknown root 'x': expected one of a\""
    )
