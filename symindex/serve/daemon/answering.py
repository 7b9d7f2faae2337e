"""The answer to one question: the command is run here, and what it would write is kept."""

import io
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from symindex.serve.cli.caller import Caller

if TYPE_CHECKING:
    from symindex.workspace.asked_root import AskedRoot


class Declined(Exception):
    """The command has to do its work itself; the message says briefly why."""


class Question(NamedTuple):
    """A command, as its client sees it.

    root, index_dir: what these options were taken to be. is_terminal: whether standard output is
    one. size: of the terminal. environment: the variables by which it is written to. folder: the
    current one.
    """

    arguments: list[str]
    root: str | None
    index_dir: str | None
    is_terminal: bool
    size: tuple[int, int]
    environment: Mapping[str, str]
    folder: str = os.sep


def answer(question: Question, root_now: "Callable[[], AskedRoot | None]") -> list[bytes]:
    """The exit code, standard output and standard error of a command. Raises Declined, and what the
    command raises."""
    from symindex.serve.cli.main import (
        run_command,
    )  # here, because a server loads it with the first question

    client = _Client(question, root_now)
    code = run_command(question.arguments, client)
    return [str(code).encode(), client.out.data(), client.err.data()]


class _Kept(io.StringIO):
    """A stream whose text is kept."""

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

    def __init__(self, question: Question, root_now: "Callable[[], AskedRoot | None]") -> None:
        self.out, self.err = _Kept(question.is_terminal), _Kept(False)
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
        """The client has the terminal, and pages it."""
        self.write(text)

    def write_data(self, text: str) -> None:
        self.out.write(text)

    def is_about_to_end(self) -> None:
        """It goes on."""

    def flush(self) -> None:
        """There is nothing to flush."""

    def open_workspace(self, root: str | None, index_dir: str | None) -> "AskedRoot":
        if (root, index_dir) != (self._question.root, self._question.index_dir):
            raise Declined("other options than the client has seen")
        found = self._root_now()
        if found is None:
            raise Declined("not sure")
        return found
