"""The processes that answer for others: those that follow a tree, and `symindex serve`, which does
nothing else."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_cache_dir

from symindex.files.user_folders import cache_folder
from symindex.serve.daemon import exchange
from tests.support.command import SYMINDEX, run, run_python, run_symindex, started
from tests.support.daemon import ask, socket_of
from tests.support.files import write_files
from tests.support.lsp_client import start_server
from tests.support.mcp_client import McpClient
from tests.support.mixed_tree import TREE
from tests.support.pages import EVERYTHING, blocks
from tests.support.waiting import SECONDS, until

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    return write_files(tmp_path / "tree", TREE).resolve()


def is_answered_as_by_the_command(root: Path) -> bool:
    until(lambda: ask("Server", "--root", str(root)))
    own = run("search", "Server", "--root", str(root), "--no-daemon")
    return ask("Server", "--root", str(root)) == (own.code, own.out, own.err)


def end(process: "subprocess.Popen[Any]") -> int:
    process.send_signal(signal.SIGINT)
    return process.wait(SECONDS)


@pytest.mark.nightly
def test_serve(root: Path) -> None:
    with started([*SYMINDEX, "serve", "--root", root]) as process:
        assert is_answered_as_by_the_command(root)
        second = run_symindex("serve", "--root", root)
        assert second.returncode == 0 and "another process already serves" in second.stderr
        assert end(process) == 0
        assert process.stderr is not None
        assert f"serving {root} until Ctrl-C, or 30 minutes" in process.stderr.read()
    assert not socket_of(root).exists()


@pytest.mark.nightly
def test_serve_ends_when_it_is_idle(root: Path) -> None:
    ran = run_symindex("serve", "--root", root, "--idle", "0.01")
    assert ran.returncode == 0 and "0.01 minutes" in ran.stderr
    assert run_symindex("serve", "--root", root, "--idle", "-1").returncode == 2


@pytest.mark.nightly
def test_serve_where_it_is_forbidden(root: Path) -> None:
    ran = run_symindex("serve", "--root", root, env={**os.environ, "SYMINDEX_DAEMON": "off"})
    assert ran.returncode == 2 and "cannot serve" in ran.stderr


@pytest.mark.nightly
def test_index_watch(root: Path) -> None:
    with started([*SYMINDEX, "index", "--watch", "--root", root]) as process:
        assert is_answered_as_by_the_command(root)
        end(process)


@pytest.mark.nightly
def test_the_language_server(root: Path) -> None:
    """It answers others from the files on the disk, without its editor's unsaved changes."""
    editor = start_server()
    editor.initialize(root)
    until(lambda: ask("Server", "--root", str(root)))
    editor.open(root / "py" / "shop.py", "class Unsaved: pass\n")
    editor.until_names("Unsaved", ["Unsaved"])
    assert ask("Unsaved", "--no-fuzzy", "--root", str(root))[0] == 1  # type: ignore[index]
    assert is_answered_as_by_the_command(root)
    assert editor.leave() == 0
    assert not socket_of(root).exists()


@pytest.mark.nightly
def test_the_server_for_agents(root: Path, tmp_path: Path) -> None:
    with McpClient([root], tmp_path / "indexes") as agent:
        agent.call("search", query="Server")
        until(lambda: ask("Server", "--root", str(root), "--index-dir", str(tmp_path / "indexes")))


@pytest.mark.nightly
def test_nothing_is_started_unasked(root: Path) -> None:
    run_symindex("search", "Server", "--root", root)
    time.sleep(0.3)
    assert not socket_of(root).exists()


@pytest.mark.nightly
def test_a_daemon_is_started_where_the_user_wants_it(root: Path) -> None:
    environment = {**os.environ, "SYMINDEX_DAEMON": "start"}
    for option in ("--no-daemon", "--no-refresh"):
        run_symindex("search", "Server", "--root", root, option, env=environment)
    run_symindex("refs", "Cart", "--root", root, env=environment)
    time.sleep(0.3)
    assert not socket_of(root).exists()
    began = time.monotonic()
    ran = run_symindex("search", "Server", "--root", root, env=environment)
    assert ran.returncode == 0 and not ran.stderr and time.monotonic() - began < SECONDS
    until(lambda: ask("Server", "--root", str(root)))
    (pid,) = [
        pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if is_serving(pid, root)
    ]
    os.kill(pid, signal.SIGINT)
    until(lambda: not socket_of(root).exists())


def is_serving(pid: int, root: Path) -> bool:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"serve" in command and f"--root={root}".encode() in command


@pytest.mark.nightly
def test_a_server_may_be_forbidden_to_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMINDEX_DAEMON", "off")
    with started([*SYMINDEX, "index", "--watch", "--root", root], env=dict(os.environ)) as process:
        write_files(root, {"fresh.py": "def fresh(): pass\n"})
        time.sleep(0.5)
        assert not socket_of(root).exists()
        end(process)


@pytest.mark.parametrize("cache", [None, "", "  ", "/tmp/c", "relative/c"])
def test_the_client_finds_the_folder_that_platformdirs_names(
    cache: "str | None", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if cache is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
    assert cache_folder() == user_cache_dir("symindex")


def test_the_client_loads_almost_nothing() -> None:
    """The client alone imports only these modules."""
    code = (
        "import sys; before = set(sys.modules); from symindex.serve.daemon.client import ask; ask(['search', 'x']); "
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = {
        name for name in run_python(code, cwd="/").stdout.split() if not name.startswith("symindex")
    }
    assert loaded <= {"_blake2", "_socket", "_struct", "array", "errno", "math", "select", "selectors", "socket", "struct"} | {
        "collections", "collections.abc", "enum", "functools", "_collections", "_functools", "itertools", "keyword", "operator",
        "reprlib", "types", "_operator", "time", "copyreg",
    }  # fmt: skip


@pytest.mark.skipif(shutil.which("fzf") is None, reason="fzf is not installed")
def test_the_recipe_for_fzf(root: Path, tmp_path: Path) -> None:
    """It lists symbols while one types, and opens the chosen one."""
    (recipe,) = [block for block in blocks("sh", EVERYTHING) if "fzf --" in block]
    write_files(root, {".git/HEAD": "ref: refs/heads/main\n"})
    program = tmp_path / "bin" / "symindex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symindex "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "EDITOR": "echo chosen",
        "TERM": "xterm",
    }
    run_symindex("index", "--root", root)
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [
        "setsid",
        "--ctty",
        "bash",
        "-c",
        recipe.replace("export SYMINDEX_DAEMON=start\n", ""),
    ]
    with started(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=root, env=environment
    ) as fzf:
        os.close(theirs)
        seen = bytearray()

        def shows(text: bytes) -> bool:
            while select.select([ours], [], [], 0.05)[0]:
                try:
                    seen.extend(os.read(ours, 65_536))
                except OSError:  # the end of a terminal
                    break
            return text in re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", bytes(seen))

        until(lambda: shows(b"symbol>"))
        os.write(ours, b"Serv")
        until(lambda: shows(b"method Server.Serve"))
        os.write(ours, b"er.Close")
        until(lambda: shows(b"src/net/more.go:3"))
        os.write(ours, b"\r")
        until(lambda: shows(b"chosen +3 src/net/more.go"))
        fzf.wait(SECONDS)
    os.close(ours)
