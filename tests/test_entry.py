"""How the command begins and ends: exit codes, what a process prepares, and what `symindex` exports."""

import gc
import io
import os
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import symindex
from symindex import __main__ as entry
from symindex.workspace.workspace import Workspace, open_workspace


class Left(BaseException):
    """The process has ended, with a code and without cleaning up."""


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.enable()
    gc.set_threshold(*before)


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The codes with which the process has ended at once."""
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise Left

    monkeypatch.setattr(os, "_exit", leave)
    return codes


def with_arguments(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "argv", ["symindex", *line.split()])


@pytest.mark.parametrize(
    ("line", "is_short"),
    [
        ("search a", True),
        ("symbol a", True),
        ("outline", True),
        ("refs a", True),
        ("index", True),
        ("index --watch", False),
        ("index x --watch", False),
        ("serve", False),
        ("grep search", False),
        ("", False),
        ("--root search", False),
    ],
)
def test_a_command_that_answers_once_ends_without_cleaning_up(
    line: str, is_short: bool, monkeypatch: pytest.MonkeyPatch, left: list[int]
) -> None:
    with_arguments(monkeypatch, line)
    assert entry.ends_at_once() is is_short
    with pytest.raises(Left if is_short else SystemExit) as caught:
        entry.leave(3)
    assert left == ([3] if is_short else [])
    assert is_short or getattr(caught.value, "code", None) == 3
    with pytest.raises(SystemExit) as words:
        entry.leave("a message")
    assert words.value.code == "a message"


def test_all_that_was_written_is_flushed_before_the_end(
    monkeypatch: pytest.MonkeyPatch, left: list[int]
) -> None:
    """A stream that cannot be flushed does not keep the other from it."""
    with_arguments(monkeypatch, "search a")
    for fault in (OSError, ValueError, None):
        flushed: list[str] = []

        def fail(fault: type[Exception] | None = fault, flushed: list[str] = flushed) -> None:
            flushed.append("out")
            if fault is not None:
                raise fault

        monkeypatch.setattr(sys, "stdout", SimpleNamespace(flush=fail))
        monkeypatch.setattr(
            sys, "stderr", SimpleNamespace(flush=lambda flushed=flushed: flushed.append("err"))
        )
        with pytest.raises(Left):
            entry.leave(0)
        monkeypatch.undo()
        assert flushed == ["out", "err"]
        with_arguments(monkeypatch, "search a")
        monkeypatch.setattr(os, "_exit", lambda code: (_ for _ in ()).throw(Left))
    monkeypatch.setattr(sys, "stdout", None)  # as in a process without streams
    with pytest.raises(Left):
        entry.leave(0)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (BrokenPipeError(32, "Broken pipe"), 0, ""),
        (OSError(28, "No space left on device"), 2, "symindex: output: No space left on device\n"),
        (OSError("odd"), 2, "symindex: output: odd\n"),
    ],
)
def test_output_that_cannot_be_written_ends_the_command(
    error: OSError, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "open", lambda *values: opened.append(values) or 77)
    monkeypatch.setattr(os, "dup2", lambda *values: opened.append(values))
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    def ask() -> int | None:
        raise error

    assert entry.ask_daemon(ask) == code
    assert opened == [(os.devnull, os.O_WRONLY), (77, 1)]  # what is left goes nowhere
    assert stream.getvalue() == said
    assert entry.ask_daemon(lambda: None) is None and entry.ask_daemon(lambda: 1) == 1


@pytest.mark.parametrize(
    ("line", "variables", "is_collecting", "threshold"),
    [
        ("search a", {}, False, 700),
        ("outline", {}, False, 700),
        ("index", {}, True, 50_000),
        ("index --watch", {}, True, 700),
        ("serve", {}, True, 700),
        ("", {"_SYMINDEX_COMPLETE": "x"}, False, 700),
    ],
)
def test_a_short_command_collects_no_garbage(
    line: str,
    variables: dict[str, str],
    is_collecting: bool,
    threshold: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_arguments(monkeypatch, line)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    gc.enable()
    gc.set_threshold(700, 10, 10)
    entry._prepare_process()
    assert (gc.isenabled(), gc.get_threshold()[0]) == (is_collecting, threshold)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    entry._prepare_process()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"


@pytest.mark.parametrize(
    ("encoding", "is_utf8_mode", "starts_again"),
    [("ascii", 0, True), ("utf-8", 0, False), ("ascii", 1, False)],
)
@pytest.mark.skipif(os.name != "posix", reason="names are UTF-8 there")
def test_a_process_that_cannot_read_all_names_starts_again(
    encoding: str, is_utf8_mode: int, starts_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[list[str]] = []
    monkeypatch.setenv("PYTHONUTF8", "0")
    monkeypatch.setattr(os, "execv", lambda path, words: started.append([path, *words]))
    system = SimpleNamespace(
        argv=["symindex", "serve"],
        orig_argv=["python", "-m", "symindex", "serve"],
        executable="/bin/python",
        flags=SimpleNamespace(utf8_mode=is_utf8_mode),
        getfilesystemencoding=lambda: encoding,
    )
    monkeypatch.setattr(entry, "sys", system)
    entry._prepare_process()
    again = ["/bin/python", "/bin/python", "-X", "utf8", "-m", "symindex", "serve"]
    assert started == ([again] if starts_again else [])
    assert os.environ["PYTHONUTF8"] == ("1" if starts_again else "0")


class Early:
    """The walk that starts early."""

    def __init__(self) -> None:
        self.is_closed = False

    def close(self) -> None:
        self.is_closed = True


def ended(
    monkeypatch: pytest.MonkeyPatch, load: Callable[[], object], line: str = "serve"
) -> object:
    """Returns the code with which `main` ends."""
    with_arguments(monkeypatch, line)
    monkeypatch.setattr(entry, "_prepare_process", lambda: None)
    monkeypatch.setattr(entry, "_load_command_line", load)
    with pytest.raises(SystemExit) as caught:
        entry.main()
    return caught.value.code


def test_the_code_of_the_command_is_that_of_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("symindex.serve.daemon.start.start_daemon", started.append)

    def run(code: object) -> Callable[[], None]:
        def end() -> None:
            if code is not None:
                raise SystemExit(code)

        return end

    for code in (None, 0, 1, 2, "words"):
        early = Early()
        exit_code = ended(monkeypatch, lambda: (run(code), early))  # noqa: B023
        assert exit_code == (0 if code is None else code) and early.is_closed
    assert not started
    monkeypatch.setenv(entry.VARIABLE, "start")
    assert ended(monkeypatch, lambda: (run(1), Early()), "grep a b") == 1
    assert started == [["grep", "a", "b"]]
    monkeypatch.setenv(entry.VARIABLE, "1")
    ended(monkeypatch, lambda: (run(1), Early()))
    assert len(started) == 1


def test_what_happens_while_the_command_line_loads_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> object:
        raise KeyboardInterrupt

    def fail() -> object:
        raise ZeroDivisionError

    assert ended(monkeypatch, interrupt) == 130
    assert capsys.readouterr().err == "symindex: interrupted\n"
    monkeypatch.setattr("symindex.serve.faults.tell_fault", lambda error: type(error).__name__)
    assert ended(monkeypatch, fail) == "ZeroDivisionError"


def test_an_early_walk_ends_also_where_the_command_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    early = Early()

    def run() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(entry, "_prepare_process", lambda: None)
    monkeypatch.setattr(entry, "_load_command_line", lambda: (run, early))
    with pytest.raises(ZeroDivisionError):
        entry.main()
    assert early.is_closed


@pytest.mark.parametrize(
    ("first", "is_awaited", "second", "code", "asked"),
    [
        (0, False, None, 0, ["ask"]),
        (1, True, None, 1, ["ask"]),
        (None, False, None, None, ["ask", "start", "worker", "load"]),
        (None, True, None, None, ["ask", "start", "worker", "load", "again"]),
        (None, True, 0, 0, ["ask", "start", "worker", "load", "again", "end"]),
    ],
)
def test_a_daemon_that_answers_first_ends_the_process(
    first: int | None,
    is_awaited: bool,
    second: int | None,
    code: int | None,
    asked: list[str],
    monkeypatch: pytest.MonkeyPatch,
    left: list[int],
) -> None:
    steps: list[str] = []

    def step(name: str, value: Any = None) -> Any:
        return lambda *_: (steps.append(name), value)[1]

    walk: Any = SimpleNamespace(
        start_worker=step("worker"), load=step("load"), end_walk=step("end"), close=step("close")
    )
    with_arguments(monkeypatch, "search a")
    monkeypatch.setattr(entry.client, "ask", step("ask", first))
    monkeypatch.setattr(entry.client, "is_awaited", lambda: is_awaited)
    monkeypatch.setattr(entry.client, "ask_again", step("again", second))
    monkeypatch.setattr("symindex.workspace.early_walk.start_early", step("start", walk))
    if code is None:
        run, early = entry._load_command_line()
        assert early is walk and callable(run)
    else:
        with pytest.raises(Left):
            entry._load_command_line()
    assert (steps, left) == (asked, [] if code is None else [code])


@pytest.mark.parametrize(
    ("line", "is_editor"),
    [("lsp", True), ("lsp --stdio", True), ("lsp --tcp", False), ("search lsp", False)],
)
def test_an_editor_starts_its_server_without_the_command_line(
    line: str, is_editor: bool, monkeypatch: pytest.MonkeyPatch, left: list[int]
) -> None:
    def serve() -> None:
        raise Left("server")

    with_arguments(monkeypatch, line)
    monkeypatch.setattr("symindex.serve.lsp.run.serve_editor", serve)
    monkeypatch.setattr(entry.client, "ask", lambda _: 0)
    with pytest.raises((Left, SystemExit)) as caught:
        entry._load_command_line()
    assert (str(caught.value) == "server") is is_editor
    monkeypatch.setattr(sys, "stdin", None)  # without streams, the command line reports it
    with pytest.raises((Left, SystemExit)) as caught:
        entry._load_command_line()
    assert str(caught.value) != "server"


def test_each_public_name_can_be_imported_and_no_other() -> None:
    assert [name for name in symindex.__all__ if getattr(symindex, name) is None] == []
    assert symindex.open is open_workspace and symindex.Workspace is Workspace
    assert symindex.RequestError.__module__ == "symindex.errors"
    assert symindex.SearchItem.__module__ == "symindex.protocol.search"
    assert symindex.ReferencesRequest.__module__ == "symindex.protocol.explore"
    assert symindex.SymbolKind.__module__ == "symindex.protocol.kinds"
    assert dir(symindex) == sorted(symindex.__all__)
    with pytest.raises(AttributeError) as caught:
        symindex.other  # noqa: B018
    assert str(caught.value) == "module 'symindex' has no attribute 'other'"
