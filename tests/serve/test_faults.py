"""Internal faults, which no other test may find: one line, exit code 2, and the traceback on
request."""

import asyncio
import builtins
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex import __main__ as entry
from symindex.serve import log
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.lsp import handshake
from symindex.serve.lsp.channel import INTERNAL_ERROR
from tests.support.command import run, run_program
from tests.support.files import write_files


class UnspeakableError(Exception):
    """An exception without a readable text."""

    def __str__(self) -> str:
        raise ValueError("no")


def nest() -> None:
    nest()


FAULTS = {
    "KeyError: 'x'": KeyError("x"),
    "RecursionError": RecursionError(),
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: bad": UnicodeDecodeError(
        "utf-8", b"\xff", 0, 1, "bad"
    ),
    "ValueError: a\\x1b[31m\\u202e b": ValueError("a\x1b[31m\u202e\nb"),
    "UnspeakableError": UnspeakableError(),
    "ExceptionGroup: two (1 sub-exception)": ExceptionGroup("two", [KeyError("x")]),
}


@pytest.mark.parametrize("said", FAULTS)
@pytest.mark.parametrize("command", ["search f", "symbol f", "export", "index --json"])
def test_a_fault_is_one_line_and_not_nothing_found(
    command: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise FAULTS[said]

    monkeypatch.setattr("symindex.workspace.workspace.open_workspace", fail)
    done = run(*command.split(), "--root", str(tmp_path))
    assert (done.code, done.out) == (2, "")
    place = r"symindex\.serve\.cli\.caller:\d+"
    assert re.fullmatch(
        rf"symindex: internal error at {place}: {re.escape(said)}; "
        r"SYMINDEX_TRACEBACK=1 in the environment shows a traceback\n",
        done.err,
    )


def test_the_traceback_is_shown_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_TRACEBACK", "1")
    monkeypatch.setattr("symindex.workspace.workspace.open_workspace", lambda *_: nest())
    done = run("search", "f", "--root", str(tmp_path))
    assert done.code == 2 and done.err.startswith("Traceback (most recent call last):")
    assert "RecursionError" in done.err.splitlines()[-1] and "in nest" in done.err


@pytest.fixture
def broken_import(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Makes the import of the command line fail."""
    load = builtins.__import__

    def fail(name: str, *rest: Any) -> Any:
        if name == "symindex.serve.cli.main":
            raise ImportError("libodd.so: cannot open shared object file")
        return load(name, *rest)

    monkeypatch.setattr(builtins, "__import__", fail)
    yield


@pytest.mark.usefixtures("broken_import")
def test_a_fault_while_the_program_is_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["symindex", "languages"])
    with pytest.raises(SystemExit) as ended:
        entry.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert re.match(
        r"symindex: internal error at symindex\.__main__:\d+: ImportError: libodd\.so: ",
        said.err,
    )
    assert said.err.count("\n") == 1


def test_a_fault_that_cannot_be_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert tell_fault(KeyError("x")) == 2
    assert describe_fault(KeyError("x")) == "internal error at an unknown place: KeyError: 'x'"


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("can't start new thread"), OSError(12, "Cannot allocate memory"),
              ImportError("x.so: failed to map segment from shared object")]
)  # fmt: skip
def test_a_lack_of_memory_is_no_fault(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_fault(error) == 2
    said = capsys.readouterr().err
    assert (
        said.startswith("symindex: not enough memory (at ")
        and "ulimit -v" in said
        and said.count("\n") == 1
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of address space")
@pytest.mark.parametrize("is_limited", [True, False])
def test_native_code_that_fails_without_a_word(
    is_limited: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory limit is then the likely reason; without a limit the reason is unknown."""
    import resource

    limit = 10**9 if is_limited else resource.RLIM_INFINITY
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    message = describe_fault(SystemError("error return without exception set"))
    assert message.startswith("not enough memory" if is_limited else "internal error at")
    assert describe_fault(SystemError("another")).startswith("internal error at")


@pytest.mark.nightly
def test_warnings_are_no_output(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.py": "def f(): pass\n"})
    script = (
        "import sys, warnings, symindex.workspace.workspace as w; o = w.open_workspace\n"
        "w.open_workspace = lambda *a: (warnings.warn('look out'), o(*a))[1]\n"
        "sys.argv[1:] = ['search', 'f', '--root', sys.argv[1]]; import symindex.__main__ as m; m.main()"
    )
    done = run_program([sys.executable, "-W", "always", "-c", script, str(tmp_path)], check=True)
    assert "look out" in done.stderr and done.stdout.startswith("# Search: `f`\nFound 1 result\n")


def test_an_editor_is_told_of_a_fault_without_its_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault does not end the session, not even one in the handshake."""
    sent: list[dict[str, Any]] = []

    class Client:
        waiting = 0

        def __init__(self, *said: bytes) -> None:
            self.said = [*said]

        async def read(self) -> bytes | None:
            return self.said.pop() if self.said else None

        def write(self, message: bytes) -> None:
            sent.append(json.loads(message))

        async def close(self) -> None:
            pass

    def fail(_: Any) -> None:
        raise KeyError("/home/somebody/secret")

    monkeypatch.setattr(handshake, "read_client_info", fail)
    client = Client(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}')
    assert (
        asyncio.run(handshake.run_handshake(client)) is None  # type: ignore[arg-type]
    )  # at the end of the input
    message = "internal error (KeyError); see the server's log"
    assert sent == [
        {"jsonrpc": "2.0", "id": 1, "error": {"code": INTERNAL_ERROR, "message": message}}
    ]


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to(tmp_path / "mine")
    done = run("lsp", "--log-file", str(tmp_path / "log"))
    assert (done.code, done.out) == (2, "") and not (tmp_path / "mine").exists()
    assert done.err.startswith(
        f"symindex: --log-file {tmp_path / 'log'}: this is a symbolic link, and is not followed; name its"
    )


def test_a_log_is_for_its_user_alone(tmp_path: Path) -> None:
    log._open_log(str(tmp_path / "log")).close()
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
