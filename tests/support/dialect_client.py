"""A client of `symindex mcp --dialect` that sees what a user of the original system would see:
tools, answers, refusals."""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

SECONDS: Final = 60.0
Arguments = Mapping[str, Any]
INHERITED: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "PYTHONPATH")


class Answer(NamedTuple):
    """A tool's answer. text: the text for the model. structured: its structured content, if any."""

    text: str
    structured: Any
    is_error: bool

    @property
    def data(self) -> Any:
        """The response as data, parsed from the text."""
        assert not self.is_error, self.text
        return json.loads(self.text)

    @property
    def results(self) -> list[Any]:
        data = self.data
        assert "results" in data, self.text
        return list(data["results"])

    @property
    def ids(self) -> list[str]:
        return [row["id"] for row in self.results]

    @property
    def plain(self) -> str:
        """The text of a successful answer, without the emphasis around matches."""
        assert not self.is_error, self.text
        return self.text.replace("**", "").replace("`", "")

    @property
    def refusal(self) -> str:
        """The reason for the refusal. Fails if the request was answered, or if the server reports a
        fault of its own."""
        assert "Traceback" not in self.text and "internal error at" not in self.text, self.text
        if self.is_error:
            return self.text
        assert self.text.startswith("{"), f"this was answered: {self.text}"
        reason = json.loads(self.text).get("error")
        assert reason, f"this was answered: {self.text}"
        return str(reason)


class DialectServer:
    """A server process and the conversation with it. As a context, it ends the process. tools: the
    tools that it lists, by name."""

    def __init__(self, root: Path, dialects: Iterable[str], environment: Mapping[str, str]):
        dialects = [*dialects]
        self._other_door = (
            _OTHER_DOORS[DOOR](root, dialects, environment) if DOOR != "agents" else None
        )
        options = [word for dialect in dialects for word in ("--dialect", dialect)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "symindex", "mcp", "--root", str(root), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=root,
        )
        self._ids = itertools.count(1)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        about = {"capabilities": {}, "clientInfo": {"name": "conformance", "version": "1"}}
        self._ask("initialize", {"protocolVersion": "2025-06-18", **about})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = {tool["name"]: tool for tool in self._ask("tools/list", {})["result"]["tools"]}

    def __enter__(self) -> "DialectServer":
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _send(self, message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _ask(self, method: str, params: Arguments) -> Any:
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while line := self._lines.get(timeout=SECONDS):
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message
        raise AssertionError("the server has ended")

    def call(self, tool: str, arguments: Arguments) -> Answer:
        """Returns the answer of a tool. A request that the protocol rejects also counts as
        refused."""
        if self._other_door is not None:
            return self._other_door(tool, arguments)
        message = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in message:
            return Answer(str(message["error"]["message"]), None, True)
        result = message["result"]
        text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
        return Answer(text, result.get("structuredContent"), bool(result.get("isError")))

    def properties(self, tool: str) -> dict[str, Any]:
        """Returns the parameters in a tool's schema, by name."""
        return dict(self.tools[tool]["inputSchema"]["properties"])


def _shell(
    root: Path, dialects: Sequence[str], environment: Mapping[str, str]
) -> "Callable[[str, Arguments], Answer]":
    """Calls tools at the command line: one command per call, with the request on standard input."""

    def call(tool: str, arguments: Arguments) -> Answer:
        done = ask(tool, arguments)
        is_data = done.stdout.startswith("{")
        data = done.stdout if is_data else ask(tool, arguments, "--json").stdout
        return Answer(
            done.stdout or done.stderr, json.loads(data) if data else None, done.returncode == 2
        )

    def ask(tool: str, arguments: Arguments, *options: str) -> "subprocess.CompletedProcess[str]":
        command = [
            "search",
            "--root",
            str(root),
            "--format",
            dialects[0],
            "--request",
            "-",
            *options,
        ]
        return subprocess.run(
            [sys.executable, "-m", "symindex", *command], input=json.dumps({"name": tool, "arguments": arguments}),
            capture_output=True, text=True, env=dict(environment), cwd=root, timeout=SECONDS,
        )  # fmt: skip

    return call


_IN_PYTHON: Final = """
import json, sys
import msgspec, symindex
from symindex.dialects.table import call
asked = json.load(sys.stdin)
with symindex.open(sys.argv[1]) as workspace:
    try:
        found = call(workspace, sys.argv[2], asked["name"], **asked["arguments"])
    except symindex.SymindexError as error:
        sys.exit(f"symindex: {error}")
    print(json.dumps(msgspec.to_builtins(found)))
"""


def _python(
    root: Path, dialects: Sequence[str], environment: Mapping[str, str]
) -> "Callable[[str, Arguments], Answer]":
    """Calls tools from Python: one program per call."""

    def call(tool: str, arguments: Arguments) -> Answer:
        done = subprocess.run(
            [sys.executable, "-c", _IN_PYTHON, str(root), dialects[0]],
            input=json.dumps({"name": tool, "arguments": arguments}),
            capture_output=True, text=True, env=dict(environment), cwd=root, timeout=SECONDS,
        )  # fmt: skip
        is_error = done.returncode != 0
        return Answer(
            done.stderr if is_error else done.stdout,
            None if is_error else json.loads(done.stdout),
            is_error,
        )

    return call


_OTHER_DOORS: Final = {"shell": _shell, "python": _python}

DOOR: Final = os.environ.get("DIALECT_DOOR", "agents")
"""The front end that gets the calls: the agents' server, unless the environment names `shell` or
`python`, which take minutes."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """Returns the environment of a user whose home is a folder of the test."""
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    folders = {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CACHE", "DATA", "CONFIG", "STATE")
    }
    return {**kept, "HOME": str(home), **folders, **more}


Check = Callable[[Answer], None]


def case(statement: str, arguments: Arguments, *checks: Check) -> Any:
    """Returns a row of a table: a statement of a document as the id of the test, a call, and checks
    of its answer."""

    def check(answer: Answer) -> None:
        for assertion in checks:
            assertion(answer)

    return pytest.param(arguments, check, id=statement)


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Returns the JSON types that a parameter's schema allows."""
    types = schema.get("type", [])
    own = {types} if isinstance(types, str) else set(types)
    return own.union(
        *(types_of(branch) for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
    )


# checks of answers with results


def has(*ids: str) -> Check:
    def check(answer: Answer) -> None:
        assert set(ids) <= set(answer.ids), answer.ids

    return check


def lacks(*ids: str) -> Check:
    def check(answer: Answer) -> None:
        assert not set(ids) & set(answer.ids), answer.ids

    return check


def exactly(*ids: str) -> Check:
    """The answer has exactly these results, in any order, and its total counts them."""

    def check(answer: Answer) -> None:
        assert sorted(answer.ids) == sorted(ids), answer.text
        assert answer.data["total"] == len(ids), answer.data["total"]

    return check


def in_order(*ids: str) -> Check:
    """These results appear in this order, possibly with others between them."""

    def check(answer: Answer) -> None:
        assert [result_id for result_id in answer.ids if result_id in ids] == list(ids)

    return check


def told(**expected: Any) -> Check:
    """These fields of the response have these values."""

    def check(answer: Answer) -> None:
        assert {name: answer.data.get(name) for name in expected} == expected

    return check


def every(field: str, *values: Any) -> Check:
    """There are results, and in each the field has one of these values."""

    def check(answer: Answer) -> None:
        assert answer.results
        assert {row[field] for row in answer.results} <= set(values)

    return check


def refused(*parts: str) -> Check:
    """The request is refused with a message that contains these texts."""

    def check(answer: Answer) -> None:
        said = answer.refusal
        assert all(part in said for part in parts), said

    return check


# checks of answers in Markdown


def shows(*parts: str) -> Check:
    def check(answer: Answer) -> None:
        missing = [part for part in parts if part not in answer.plain]
        assert not missing, f"{missing} not in:\n{answer.plain}"

    return check


def hides(*parts: str) -> Check:
    def check(answer: Answer) -> None:
        shown = [part for part in parts if part in answer.plain]
        assert not shown, f"{shown} in:\n{answer.plain}"

    return check


def shows_in_order(*parts: str) -> Check:
    def check(answer: Answer) -> None:
        shows(*parts)(answer)
        places = [answer.plain.index(part) for part in parts]
        assert places == sorted(places), answer.plain

    return check
