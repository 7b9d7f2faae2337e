"""Who runs a command: this process for its own user, or a daemon for a client.

A command asks here where its text goes, what the terminal is like, and how a tree is opened; so it
is the same command in both.
"""

import gc
import os
import shutil
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import click

from symindex.serve import pager

if TYPE_CHECKING:
    from symindex.workspace.early_walk import EarlyStart
    from symindex.workspace.indexed_root import IndexedRoot


class Caller:
    """This process's own user."""

    def __init__(self, early: "EarlyStart | None" = None) -> None:
        """early: the work that was started while the command was loading."""
        self._early = early

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @property
    def folder(self) -> str:
        """The current folder, or where it was deleted the top of all."""
        try:
            return os.getcwd()
        except OSError:
            return os.path.abspath(os.sep)

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is one."""
        return sys.stdout.isatty()

    @property
    def may_be_asked(self) -> bool:
        """Whether a person can answer a question."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    @property
    def encoding(self) -> str:
        """Of standard output."""
        return str(getattr(sys.stdout, "encoding", "")).lower()

    @property
    def shows_progress(self) -> bool:
        """Whether a bar is shown while something takes long."""
        return sys.stderr.isatty()

    @property
    def lines(self) -> int:
        """Of the terminal."""
        return shutil.get_terminal_size().lines

    @property
    def columns(self) -> int:
        """The same for its width."""
        return shutil.get_terminal_size().columns

    def console_options(self) -> dict[str, Any]:
        """What rich has to be told of the terminal."""
        return {"file": sys.stdout}

    def write(self, text: str, err: bool = False, color: bool | None = None) -> None:
        """Writes to standard output, or standard error. color: as of `click.echo`."""
        click.echo(text, nl=False, err=err, color=color)

    def show(self, text: str, pages: bool) -> None:
        """Writes lines as they are to standard output, on a terminal through a pager where they are
        longer than that. pages: whether they may be."""
        sys.stdout.flush()
        if pages and pager.may_page(os.environ):
            data = text.encode(self.encoding or "utf-8", "backslashreplace")
            if pager.show(data, os.environ, self.lines):
                return
        self.write(text, color=True)

    def write_data(self, text: str) -> None:
        """Writes to standard output, and changes nothing."""
        sys.stdout.write(text)

    def flush(self) -> None:
        sys.stdout.flush()

    def is_about_to_end(self) -> None:
        """Said before the one answer of a process is made: what is read for it ends with the
        process, and to collect it takes a tenth of the time."""
        gc.disable()

    def open_workspace(self, root: str | None, index_dir: str | None) -> "IndexedRoot":
        from symindex.workspace.workspace import (
            open_workspace,
        )  # here, because it loads numpy, which not all commands need

        workspace = open_workspace(root, index_dir)
        if self._early is not None:
            workspace.early = self._early
        return workspace


_OWN = Caller()

_CALLER: ContextVar[Caller] = ContextVar("caller", default=_OWN)


def caller() -> Caller:
    """Who runs the command of this thread."""
    return _CALLER.get()


def set_caller(of_thread: Caller) -> None:
    """Says who runs the commands of this thread from now on."""
    _CALLER.set(of_thread)
