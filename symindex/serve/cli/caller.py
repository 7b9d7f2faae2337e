"""The caller of a command: the user of this process, or the client of a daemon.

A caller decides where text goes, what the terminal can show, and how a workspace is opened. So a
command runs unchanged in its own process and in a daemon.
"""

import gc
import os
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from symindex.serve import pager
from symindex.text.escaping import show_controls, show_text

if TYPE_CHECKING:
    from symindex.workspace.early_walk import EarlyStart
    from symindex.workspace.workspace import Workspace


class Caller:
    """The user of this process, with its streams and terminal."""

    def __init__(self, early: "EarlyStart | None" = None) -> None:
        """early: the work that was started while the command was loading."""
        self._early = early

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @property
    def folder(self) -> str:
        """The current folder, or the file system's root if the current folder was deleted."""
        try:
            return os.getcwd()
        except OSError:
            return os.path.abspath(os.sep)

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return sys.stdout.isatty()

    @property
    def may_be_asked(self) -> bool:
        """Whether a person can answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    @property
    def encoding(self) -> str:
        """The encoding of standard output."""
        return str(getattr(sys.stdout, "encoding", "")).lower()

    @property
    def shows_progress(self) -> bool:
        """Whether long work shows a progress bar."""
        return sys.stderr.isatty()

    @property
    def lines(self) -> int:
        """The height of the terminal, in lines."""
        return shutil.get_terminal_size().lines

    @property
    def columns(self) -> int:
        """The width of the terminal, in columns."""
        return shutil.get_terminal_size().columns

    def console_options(self) -> dict[str, Any]:
        """Returns the arguments with which rich makes a console for this terminal."""
        return {"file": sys.stdout}

    def write(self, text: str, err: bool = False, color: bool | None = None) -> None:
        """Writes to standard output, or to standard error. color: passed to `click.echo`."""
        click.echo(text, nl=False, err=err, color=color)

    def write_escaped(self, text: str, err: bool = False) -> None:
        """Writes lines for a reader, with control characters escaped."""
        self.write(show_text(text), err)

    def show(self, text: str, pages: bool) -> None:
        """Writes lines unchanged to standard output. If they do not fit on the terminal, they go
        through a pager.

        pages: whether a pager may be used.
        """
        sys.stdout.flush()
        if pages and pager.may_page(os.environ):
            data = text.encode(self.encoding or "utf-8", "backslashreplace")
            if pager.show(data, os.environ, self.lines):
                return
        self.write(text, color=True)

    def tell(self, *messages: str) -> None:
        """Writes each message as one line to standard error."""
        for message in messages:
            self.write(f"symindex: {show_controls(' '.join(message.split()))}\n", err=True)

    def write_data(self, text: str) -> None:
        """Writes text to standard output unchanged."""
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()

    def is_about_to_end(self) -> None:
        """Called before the only answer of a process is made. Turns garbage collection off: all
        memory is freed when the process ends, and collecting takes a tenth of its time."""
        gc.disable()

    def open_workspace(self, root: str | None, index_dir: str | None) -> "Workspace":
        from symindex.workspace.workspace import (
            open_workspace,
        )  # deferred, because it loads numpy, which not all commands need

        workspace = open_workspace(root, index_dir)
        if self._early is not None:
            workspace.source.indexed.early = self._early
        return workspace


OWN: Final = Caller()
"""The user of this process."""


def caller() -> Caller:
    """Returns the caller that `main.run_command` started the command with, or the user of this
    process while no command runs."""
    context = click.get_current_context(silent=True)
    return context.find_object(Caller) or OWN if context is not None else OWN
