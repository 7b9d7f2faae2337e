"""Answers one request: runs the command, and keeps what it writes."""

import io
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from symindex.serve.cli.caller import Caller

if TYPE_CHECKING:
    from symindex.workspace.daemon_view import DaemonView


class Declined(Exception):
    """The command has to do its work itself; the message is a short reason."""


class CommandCall(NamedTuple):
    """A command, as its client runs it.

    root, index_dir: how the client read these options. is_terminal: whether its standard output is
    a terminal. size: the terminal's columns and lines. environment: the variables that affect
    output. folder: its current folder.
    """

    arguments: list[str]
    root: str | None
    index_dir: str | None
    is_terminal: bool
    size: tuple[int, int]
    environment: Mapping[str, str]
    folder: str = os.sep


def answer(question: CommandCall, root_now: "Callable[[], DaemonView | None]") -> list[bytes]:
    """Runs a command. Returns its exit code, standard output and standard error. Raises Declined,
    and any error of the command."""
    from symindex.serve.cli.main import (
        run_command,
    )  # deferred: a server loads it with its first request

    client = _Client(question, root_now)
    code = run_command(question.arguments, client)
    return [str(code).encode(), client.out.data(), client.err.data()]


class _TextStream(io.StringIO):
    """A stream that keeps its text."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__(newline="")
        self._is_terminal = is_terminal

    encoding = "utf-8"

    def isatty(self) -> bool:
        return self._is_terminal

    def data(self) -> bytes:
        return self.getvalue().encode("utf-8", "backslashreplace")


class _Client(Caller):
    """The client of a daemon."""

    def __init__(self, question: CommandCall, root_now: "Callable[[], DaemonView | None]") -> None:
        self.out, self.err = _TextStream(question.is_terminal), _TextStream(False)
        self._question, self._root_now = question, root_now

    @property
    def environment(self) -> Mapping[str, str]:
        return self._question.environment

    @property
    def folder(self) -> str:
        return self._question.folder

    @property
    def is_terminal(self) -> bool:
        return self._question.is_terminal

    encoding = "utf-8"
    shows_progress = may_be_asked = False

    @property
    def lines(self) -> int:
        return self._question.size[1]

    def console_options(self) -> dict[str, Any]:
        columns, lines = self._question.size
        size = (
            {}
            if self.environment.get("COLUMNS", "").isdigit()
            else {"width": columns, "height": lines}
        )
        return {"file": self.out, "_environ": self.environment, **size}

    def write(self, text: str, err: bool = False, color: bool | None = None) -> None:
        (self.err if err else self.out).write(text)

    def show(self, text: str, pages: bool) -> None:
        """Writes the text; the client has the terminal, and runs the pager."""
        self.write(text)

    def write_data(self, text: str) -> None:
        self.out.write(text)

    def is_about_to_end(self) -> None:
        """Does nothing, because a daemon continues."""

    def flush(self) -> None:
        """Does nothing: there is nothing to flush."""

    def open_workspace(self, root: str | None, index_dir: str | None) -> "DaemonView":
        if (root, index_dir) != (self._question.root, self._question.index_dir):
            raise Declined("the options differ from those of the client")
        root_view = self._root_now()
        if root_view is None:
            raise Declined("not sure")
        return root_view
