"""The MCP server on standard streams: start and end, many calls at once, invalid messages."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import symindex
from tests.support.command import started
from tests.support.files import write_files
from tests.support.mcp_client import LEGACY, META, MODERN, McpClient
from tests.support.waiting import until

pytestmark = pytest.mark.slow


@pytest.mark.nightly
def test_discovery_is_answered_before_anything_is_loaded(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes", MODERN) as client:
        client.ask("tools/list", {})
        answered = time.monotonic() - client.started
        assert "`only`" in client.text("search", query="only")
        loaded = time.monotonic() - client.started
    assert answered < loaded / 2  # a ratio, since machines differ; tests/bench measures the seconds


@pytest.mark.nightly
def test_a_session_of_many_calls_while_files_change(tmp_path: Path) -> None:
    """Of 200 calls, four at a time, each is answered without a fault and without a symbol that
    never existed."""
    root = write_files(
        tmp_path / "tree",
        {f"m{n}.py": f"class C{n}:\n    def method_{n}(self): pass\n" for n in range(40)},
    )
    faults: list[Any] = []
    with McpClient([root], tmp_path / "indexes", LEGACY) as client:
        client.until("status", "Up to date")  # until then an answer is partial, and says so

        def work(worker: int) -> None:
            for number in range(50):
                n = (worker * 50 + number) % 40
                tool, arguments = [
                    ("search", {"query": f"method_{n}"}),
                    ("symbol", {"symbol": f"C{n}"}),
                    ("outline", {"path": f"m{n}.py"}),
                    ("status", {}),
                    ("search", {"queries": [f"C{n}", "method"], "max_tokens": 300}),
                    ("references", {"name": f"method_{n}"}),
                ][(number + worker) % 6]
                result = client.call(tool, **arguments)  # type: ignore[arg-type]
                text = result["content"][0]["text"]
                if result["isError"] or (tool != "status" and f"C{n}" not in text):
                    faults.append((tool, arguments, result))

        workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in workers:
            thread.start()
        version = 0
        while any(thread.is_alive() for thread in workers):
            version += 1
            for n in range(0, 40, 7):
                # Editors replace a file in one step: a half-written file would be read as it is at
                # that moment.
                write_files(
                    tmp_path,
                    {
                        "saved": "\n" * version
                        + f"class C{n}:\n    def method_{n}(self): return {version}\n"
                    },
                )
                os.replace(tmp_path / "saved", root / f"m{n}.py")
            workers[0].join(0.02)
        assert client.odd == []
    assert faults == []
    assert client.process.returncode == 0


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_word(number: int, tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes", MODERN) as client:
        assert "`only`" in client.text("search", query="only")
        client.process.send_signal(number)
        assert client.process.wait(20) == 0
        assert client.process.stderr is not None
        assert client.process.stderr.read() == b""


def as_call(arguments: bytes) -> bytes:
    call = b'{"jsonrpc":"2.0","id":777,"method":"tools/call","params":{"name":"search","arguments":'
    return call + arguments + b"}}\n"


UNREADABLE = [
    (b"[" * 200_000 + b"\n", None, "not valid JSON: maximum recursion depth"),
    (as_call(b'{"query":' + b"[" * 3_000 + b"]" * 3_000 + b"}"), None, "recursion depth"),
    (as_call(rb'{"query":"\ud800"}'), 777, "not valid JSON"),
    (as_call(b'{"query":"\xff"}'), 777, "not valid JSON"),
    (as_call(b'{"query":' + b"9" * 5_000 + b"}"), None, "not valid JSON"),
    (b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]\n', None, "not a JSON-RPC 2.0 message"),
    (b'{"jsonrpc":"2.0","id":778,"method":5}\n', 778, "not a JSON-RPC 2.0 message"),
    (rb'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}' + b"\n", None, "not valid JSON"),
    *(
        (
            b'{"jsonrpc":"2.0","id":%s,"method":"tools/list"}\n' % number,
            None,
            "ids must be integers or strings",
        )
        for number in (b"1.5", b"null", b"true", b"{}")
    ),
]


@pytest.mark.nightly
@pytest.mark.parametrize("when", ["first", "later"])
def test_unreadable_messages_are_answered_and_affect_no_other(
    repository: Path, tmp_path: Path, when: str
) -> None:
    """This holds both while the SDK loads and afterwards."""
    with McpClient([repository], tmp_path / "indexes", MODERN) as client:
        if when == "later":
            client.text("status")
        for message, number, said in UNREADABLE:
            client.send(message)
            error = client.wait(number)["error"]
            assert said in error["message"], message[:100]
        assert "# Search" in client.text("search", query="calc")
    assert client.odd == [] and client.process.returncode == 0


def n_waiting(pipe: Any) -> int:
    """Returns the number of bytes ready to be read."""
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.nightly
def test_the_end_of_a_client_that_reads_nothing(repository: Path, tmp_path: Path) -> None:
    with symindex.open(repository, tmp_path / "indexes") as workspace:
        # This test is about the number of answers, which cost less with an index.
        workspace.refresh()
    process = McpClient.start([repository], tmp_path / "indexes")
    assert process.stdin is not None
    call = {
        "name": "search",
        "arguments": {"queries": ["a", "calc", "get", ""] * 5, "max_tokens": 9_000},
        "_meta": META,
    }
    try:
        for number in range(40):  # more than the pipe can buffer
            message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
            process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        until(
            lambda: n_waiting(process.stdout) >= 60_000,
            "a full pipe",
            instead=lambda: n_waiting(process.stdout),
        )
        process.stdin.close()
        assert process.wait(30) == 0
    finally:
        process.kill()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


@pytest.mark.nightly
def test_what_is_too_long_is_no_message(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    with McpClient([root], tmp_path / "indexes", LEGACY) as client:
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (40 << 20) + b'"}\n')
        assert "longer than 16 MiB" in client.wait(None)["error"]["message"]
        assert "`only`" in client.text("search", query="only")


@pytest.mark.nightly
def test_a_fault_ends_it_though_the_client_reads_nothing(tmp_path: Path) -> None:
    script = """
        import asyncio, sys
        from concurrent.futures import ThreadPoolExecutor
        from symindex.serve.mcp import transport

        async def fails(bootstrap, handlers, choice):
            asyncio.get_running_loop().run_in_executor(ThreadPoolExecutor(1), bootstrap.write, b"x" * 1_000_000)
            await asyncio.sleep(0.2)
            raise RuntimeError("of ours")

        transport._serve = fails
        sys.argv = ["symindex", "mcp", "--root", *sys.argv[1:]]
        from symindex.__main__ import main
        main()
    """
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(script),
        tmp_path,
        "--index-dir",
        tmp_path / "indexes",
    ]
    with started(command, stdin=subprocess.PIPE) as process:  # type: ignore[arg-type]
        assert process.wait(30) == 2
        assert process.stderr is not None and "RuntimeError" in process.stderr.read()


@pytest.mark.nightly
@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize("when", ["first", "later"])
def test_calls_with_one_id_are_each_answered_once(
    version: str, when: str, repository: Path, tmp_path: Path
) -> None:
    """A cancelled call gets no answer, each other call gets one, and the id of the handshake may be
    used again."""
    with McpClient([repository], tmp_path / "indexes", version) as client:
        if when == "later":
            client.text("status")
        params = {
            "name": "status",
            "arguments": {},
            **({"_meta": client.meta} if client.meta else {}),
        }
        for _ in range(20):
            client.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        for _ in range(19):
            assert "result" in client.wait(1)
        client.wait(1)
        for _ in range(20):
            client.send({"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params})
        client.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}}
        )
        for _ in range(19):
            assert "result" in client.wait("x")
        assert "# " in client.text("status")
        assert client._answers["x"].qsize() <= 1 and client._answers[1].empty()
    assert client.odd == []
