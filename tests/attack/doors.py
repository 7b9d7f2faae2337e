"""Garbage and hostile values for the servers of editors and agents, on standard streams.

Whatever a client sends, the next proper request is answered, and the server ends cleanly with its
client and leaves no process behind. Agents see nothing outside the roots that the server was
started with. (An editor on standard streams is the user, and may name any folder or file.) The
campaign `sockets` attacks servers that listen.
"""

import json
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any, Final

from symindex.serve.mcp.tools import TOOLS
from tests.attack.commands import SYMINDEX, Attacked
from tests.attack.figures import Figures
from tests.attack.traps import CONTROLS, SECRET
from tests.support.lsp_client import Client, framed, start_server
from tests.support.mcp_client import LEGACY, MODERN, McpClient

ON_ONE_SERVER: Final = 40
"""Number of messages for one server."""

SECONDS: Final = 30.0

HIDDEN: Final = "zq_in_its_body"
"""A text in the symbol outside the tree. No request contains it, so no error that quotes a request
does."""

HOSTILE: Final = (
    "", ".", "..", "../outside/precious.py", "/", "/etc/passwd", "/dev/zero", "/dev/stdin", "/proc/kmsg",
    "/proc/self/mem", "~", "\0", "a\0b",
    "x" * 100_000, "../" * 1_000, "(" * 5_000, "[" * 5_000, "a." * 5_000, "*" * 5_000, "**/" * 300 + "x", "!" * 500, "NOT " * 500,
    "precious.py#" + SECRET, "outside/precious.py:1", "precious.py:99999999999999999999", "-1--1", "9" * 4_000, "%00",
    "%s%n", "\ud800",
    "kind:" * 400, "path:../** name:*", "doc:" + "a" * 5_000, "\\" * 999, '"', "a" * 400 + " OR " + "b" * 400,
    "é" * 3_000, "🙂", *CONTROLS,
)  # fmt: skip
NUMBERS: Final = (0, -1, 1, 2**31, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308, -0.0)
BROKEN: Final = (
    b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}", b"NaN", b"\xff\xfe\0", b"[" * 200_000, b'{"a":' * 100_000,
    b"\0" * 1_000, b"9" * 100_000,
    b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","method":3}', b'{"jsonrpc":"1.0","method":"initialize","id":1}',
    b'{"jsonrpc":"2.0","id":null}',
    b'{"jsonrpc":"2.0","id":"' + b"i" * 100_000 + b'","method":"x"}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"x"}',
    b'{"jsonrpc":"2.0","id":[[]],"method":"tools/list"}', b'{"jsonrpc":"2.0","id":{},"method":"shutdown "}',
    b'{"jsonrpc":"2.0","id":1e999}',
    b'{"jsonrpc":"2.0","id":5,"result":5,"error":5}', b'{"jsonrpc":"2.0","method":"' + b"m" * 1_000_000 + b'"}', b'"\\ud800"',
    b'{"jsonrpc":"2.0","method":"x","method":"y","params":' + b"[" * 900 + b"]" * 900 + b"}",
)  # fmt: skip
HEADERS: Final = (
    b"Content-Length: -5\r\n\r\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n",
    b"Content-Length: " + b"9" * 9_000 + b"\r\n\r\n",
    b"\r\n\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"x" * 100_000, b"Content-Length: 100\r\n\r\n{",
    b"\0" * 1_000, b"Content-Le",
    b"Content-Length: 1_0\r\n\r\n{}", b"A: b\r\n" * 10_000, b"Content-Length: 2\r\nContent-Length: 9\r\n\r\n{}",
)  # fmt: skip
"""Impossible headers for the language server, which may close the connection."""


def hostile_value(schema: Mapping[str, Any], chance: random.Random) -> Any:
    """Returns a value for a field, mostly of the right type."""
    kind = (
        schema.get("type")
        if chance.random() < 0.9
        else chance.choice(("string", "integer", "array", "object", "boolean", "null"))
    )
    if kind == "string":
        return chance.choice(HOSTILE)
    if kind == "integer":
        return chance.choice(NUMBERS)
    if kind == "array":
        return [chance.choice(HOSTILE) for _ in range(chance.choice((0, 1, 2, 2_000)))]
    return {"object": {"a": [{}]}, "boolean": True}.get(kind or "")


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Returns a message with some bytes changed, cut off or doubled."""
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    if chance.random() < 0.3:
        del changed[chance.randrange(len(changed) + 1) :]
    return bytes(changed)


def hostile_request(tree: Path, chance: random.Random) -> dict[str, Any]:
    """Returns a well-formed request or notification for the language server."""
    paths = [
        (tree / "plain.py").as_uri(),
        (tree.parent / "outside" / "precious.py").as_uri(),
        tree.as_uri() + "/../outside/precious.py",
    ]
    uris = [
        *paths,
        *HOSTILE,
        "file://",
        "file:///dev/zero",
        "file:///proc/kmsg",
        "file:///%00",
        "file://host/x.py",
        "untitled:x",
        "http://x/a.py",
    ]
    uris += [
        "file:///" + "%2e%2e/" * 50 + "etc/passwd",
        tree.as_uri() + "/pipe.py",
        tree.as_uri() + "/%ff.py",
    ]
    document = {
        "uri": chance.choice(uris),
        "languageId": chance.choice(("python", "", "\0")),
        "version": chance.choice(NUMBERS),
    }
    place = {"line": chance.choice(NUMBERS), "character": chance.choice(NUMBERS)}
    change = {"range": {"start": place, "end": place}, "text": chance.choice(HOSTILE)}
    folder = {"uri": chance.choice(uris), "name": chance.choice(HOSTILE)}
    odd = chance.choice(
        (
            chance.choice(HOSTILE),
            [chance.choice(HOSTILE)],
            {chance.choice(HOSTILE): chance.choice(HOSTILE)},
        )
    )
    method, params = chance.choice(
        (
            ("workspace/symbol", {"query": chance.choice(HOSTILE)}),
            (
                "symindex/search",
                {
                    "query": chance.choice(HOSTILE),
                    "max_items": chance.choice(NUMBERS),
                    "paths": [chance.choice(HOSTILE)],
                },
            ),
            (
                "symindex/search",
                {
                    "query": chance.choice(HOSTILE),
                    "phrasings": chance.choice(
                        (odd, chance.choices(HOSTILE, k=chance.randrange(9)))
                    ),
                },
            ),
            (
                "symindex/search",
                {
                    "query": "",
                    "type": "all",
                    **{chance.choice(("scope", "fields", "filters")): odd},
                },
            ),
            (
                "symindex/fetch",
                {
                    "item_id": chance.choice(HOSTILE),
                    chance.choice(("version", "item_type", "source")): odd,
                },
            ),
            ("symindex/fetch", {"item_id": "odd", "destination": "project", "query": odd}),
            ("symindex/outline", {"path": chance.choice(HOSTILE), "depth": chance.choice(NUMBERS)}),
            ("textDocument/documentSymbol", {"textDocument": document}),
            ("textDocument/definition", {"textDocument": document, "position": place}),
            ("textDocument/hover", {"textDocument": document, "position": place}),
            (
                "textDocument/references",
                {
                    "textDocument": document,
                    "position": place,
                    "context": {"includeDeclaration": True},
                },
            ),
            (chance.choice(_RELATIONS), {"textDocument": document, "position": place}),
            (chance.choice(_NEXT), {"item": {**_ITEM, "uri": document["uri"], "data": odd}}),
            (
                "textDocument/didOpen",
                {"textDocument": {**document, "text": chance.choice(HOSTILE)}},
            ),
            (
                "textDocument/didChange",
                {"textDocument": document, "contentChanges": [change] * chance.choice((1, 3, 100))},
            ),
            ("textDocument/didClose", {"textDocument": document}),
            ("textDocument/didSave", {"textDocument": document}),
            (
                "workspace/didChangeWatchedFiles",
                {"changes": [{"uri": chance.choice(uris), "type": chance.choice(NUMBERS)}] * 20},
            ),
            (
                "workspace/didChangeConfiguration",
                {"settings": {"symindex": {"exclude": [chance.choice(HOSTILE)]}}},
            ),
            (
                "workspace/didChangeWorkspaceFolders",
                {"event": {"added": [folder], "removed": [folder]}},
            ),
            (
                "workspace/executeCommand",
                {"command": chance.choice(HOSTILE), "arguments": [HOSTILE[3]]},
            ),
            ("window/workDoneProgress/cancel", {"token": chance.choice((*HOSTILE, *NUMBERS))}),
            ("$/cancelRequest", {"id": chance.choice((*HOSTILE, *NUMBERS))}),
            ("$/setTrace", {"value": chance.choice(HOSTILE)}),
            ("initialize", {"capabilities": {}, "rootUri": chance.choice(uris)}),
            ("initialized", {}),
        )
    )
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    is_asked = method not in NOTIFICATIONS if chance.random() < 0.95 else chance.random() < 0.5
    return {**message, "id": f"hostile {chance.random()}"} if is_asked else message


_RELATIONS: Final = (
    "textDocument/implementation",
    "textDocument/prepareTypeHierarchy",
    "textDocument/prepareCallHierarchy",
)
_NEXT: Final = (
    "typeHierarchy/subtypes",
    "typeHierarchy/supertypes",
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
)
_SPOT: Final = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
_ITEM: Final = {"name": "x", "kind": 5, "range": _SPOT, "selectionRange": _SPOT}

NOTIFICATIONS: Final = frozenset(
    (
        "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave", "initialized",
        "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders",
        "window/workDoneProgress/cancel", "$/cancelRequest", "$/setTrace",
    )
)  # fmt: skip


def to_json(message: object) -> bytes:
    """Returns the bytes of a message."""
    return json.dumps(message).encode()


class _Listener(Client):
    """A client that ignores answers to messages which it sent as bytes."""

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message and message.get("id") not in [*self._asked]:
            return
        super()._take(message)


def attack_lsp(tree: Path, attacked: Attacked, chance: random.Random, count: int) -> list[str]:
    """Starts a language server, makes the handshake, and sends it messages."""
    client = start_server(env=attacked.environment, cwd=tree)
    client.__class__ = _Listener
    faults: list[str] = []
    try:
        client.initialize(tree)
        for _ in range(count):
            kind = chance.random()
            hostile = to_json(hostile_request(tree, chance))
            body = (
                chance.choice(BROKEN)
                if kind < 0.3
                else mutated(hostile, chance)
                if kind < 0.5
                else hostile
            )
            with suppress(OSError):
                client.send_bytes(framed(body))
        uri = client.open("untitled:alive", "def alive(): pass\n", "python")
        if [node["name"] for node in client.outline(uri)] != ["alive"]:
            faults.append("lsp: a proper document is not read")
        if chance.random() < 0.5:
            with suppress(OSError):
                client.send_bytes(chance.choice(HEADERS))
        else:
            client.call("shutdown")
            client.notify("exit")
    except AssertionError as error:
        is_garbled = (
            client.is_ended and client.process is not None and client.process.poll() is None
        )
        what = "writes what is no message" if is_garbled else str(error).splitlines()[0]
        faults.append(f"lsp: {what}: {client.log().strip()[-300:]}")
    try:
        code = client.hang_up()
        if code not in (0, 1):
            faults.append(f"lsp: exit code {code}: {client.log().strip()[-300:]}")
    except subprocess.TimeoutExpired:
        faults.append("lsp: does not end with its client")
    if "Traceback" in client.log():
        faults.append(f"lsp: a traceback: {client.log().strip()[-500:]}")
    return faults


class _Agent(McpClient):
    """An agent whose server has the attacked user's home and logs to a file."""

    attacked: Attacked
    folder: Path
    answered: list[Any]

    def start(self, roots: Sequence[Path], index_dir: Path, *_: Any) -> "subprocess.Popen[bytes]":  # type: ignore[override]
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        command = [SYMINDEX, "mcp", *(word for root in roots for word in ("--root", str(root)))]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log}
        return subprocess.Popen(command, cwd=self.folder, env=self.attacked.environment, **streams)  # type: ignore[call-overload]

    def end(self) -> tuple[int | None, str]:
        """Hangs up. Returns the exit code, or `None` if the server does not end in time, and the
        log."""
        assert self.process.stdin is not None and self.process.stdout is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            code: int | None = self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        self.process.kill()
        self.process.wait()
        with suppress(OSError, ValueError):
            self.process.stdout.close()
        self.log.seek(0)
        said = self.log.read().decode("utf-8", "replace")
        self.log.close()
        return code, said


def attack_mcp(tree: Path, attacked: Attacked, chance: random.Random, count: int) -> list[str]:
    """Starts an agents' server and sends it messages."""
    agent_class = type("_AgentHere", (_Agent,), {"attacked": attacked, "folder": tree})
    client: _Agent = agent_class([tree], tree, chance.choice((MODERN, LEGACY)))
    faults: list[str] = []
    sent: list[bytes] = []
    try:
        for number in range(count):
            tool = chance.choice(TOOLS)
            properties = tool["inputSchema"]["properties"]
            chosen = [
                name
                for name in properties
                if name in tool["inputSchema"].get("required", ()) or chance.random() < 0.3
            ]
            arguments = {name: hostile_value(properties[name], chance) for name in chosen}
            params = {"name": tool["name"], "arguments": arguments, "_meta": client.meta}
            call = to_json(
                {
                    "jsonrpc": "2.0",
                    "id": f"hostile {number}",
                    "method": "tools/call",
                    "params": params,
                }
            )
            kind = chance.random()
            line = (
                chance.choice(BROKEN)
                if kind < 0.3
                else mutated(call, chance)
                if kind < 0.5
                else call
            )
            sent.append(line.replace(b"\n", b" ") + b"\n")
            client.send(sent[-1])
        if "plain_thing" not in client.text("search", query="plain_thing"):
            faults.append("mcp: a proper search finds nothing")
        for number in range(count):
            answers = client._answers.get(f"hostile {number}")
            said = (
                json.dumps(answers.get().get("result"))
                if answers is not None and not answers.empty()
                else ""
            )
            if HIDDEN in said or (SECRET in said and SECRET.encode() not in sent[number]):
                faults.append(f"mcp: shows what lies outside of its roots (call {number})")
    except (AssertionError, Empty, OSError) as error:
        faults.append(f"mcp: {type(error).__name__} {str(error)[:300]}")
    code, log = client.end()
    if client.odd:
        faults.append(f"mcp: writes what is no message: {client.odd[0][:200]!r}")
    if code != 0:
        faults.append(
            f"mcp: {'does not end with its client' if code is None else f'exit code {code}'}: {log.strip()[-300:]}"
        )
    if "Traceback" in log:
        faults.append(f"mcp: a traceback: {log.strip()[-500:]}")
    return faults


DOORS: Final[dict[str, Callable[[Path, Attacked, random.Random, int], list[str]]]] = {
    "lsp": attack_lsp,
    "mcp": attack_mcp,
}


def run(seed: int, count: int, say: Callable[[str], object]) -> Figures:
    """Runs the campaign. count: number of messages; each server gets several."""
    figures = Figures(count, Counter(), [])
    for first in range(0, count, ON_ONE_SERVER):
        chance = random.Random(f"{seed} {first}")
        door = (*DOORS,)[(seed + first // ON_ONE_SERVER) % len(DOORS)]
        n_messages = min(ON_ONE_SERVER, count - first)
        with (
            tempfile.TemporaryDirectory(prefix="symindex-doors") as top,
            Attacked(Path(top)) as attacked,
        ):
            tree = Path(top, "tree")
            for path, text in {
                "tree/plain.py": "def plain_thing(): pass\n",
                "outside/precious.py": f"def {SECRET}(): {HIDDEN}()\n",
            }.items():
                Path(top, path).parent.mkdir()
                Path(top, path).write_text(text)
            begun = time.monotonic()
            faults = DOORS[door](tree, attacked, chance, n_messages)
            faults += [f"{door}: left behind: {command}" for command in attacked.left_behind()]
            figures.contained[door] += n_messages
            figures.faults.extend(f"seed {seed}, from {first}: {fault}" for fault in faults)
            for fault in faults:
                say(f"doors: from {first}: {fault}")
        say(
            f"doors: {first + n_messages:,} of {count:,} ({door}, {time.monotonic() - begun:.0f} s), {len(figures.faults)} faults"
        )
    return figures
