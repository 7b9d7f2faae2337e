"""Limits of the front ends and of what they render: requests, logs, lists; and the words past a
limit."""

import io
import logging
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest

from symindex.editor.merged_view import grouped
from symindex.files.access.private_folder import PrivateFolder
from symindex.render.hierarchy import _first, _places_that_may_inherit
from symindex.render.markdown import other_lines
from symindex.serve.cli.commands.grep import _given
from symindex.serve.cli.in_dialect import from_file
from symindex.serve.faults import describe_fault
from symindex.serve.log import _Bounded, _Lines
from symindex.serve.lsp.listener import _error
from symindex.serve.mcp.answers import shorten_error
from symindex.workspace.elsewhere import tell_packages
from tests.support.command import run
from tests.support.files import write_files
from tests.support.limits import Limit, cases, check_limit


def request_file(n: int, folder: Path) -> object:
    return from_file(io.BytesIO(b"{}".ljust(n)))[1]


def trace(n: int, folder: Path) -> object:
    write_files(
        folder, {"tree/a.py": "def f():\n    pass\n", "trace": 'File "a.py", line 1, in f'.ljust(n)}
    )
    done = run(
        "trace",
        str(folder / "trace"),
        "--root",
        str(folder / "tree"),
        "--index-dir",
        str(folder / "index"),
    )
    return done.code, done.err.strip()


def warnings(n: int, folder: Path) -> object:
    return records(n, logging.WARNING)


def details(n: int, folder: Path) -> object:
    return records(n, logging.INFO)


def records(n: int, level: int) -> object:
    """Logs `n` records of one line of code, and one more after a minute; returns how many are
    written, and the last one."""
    written: list[str] = []
    keeper = logging.Handler()
    keeper.handle = lambda record: bool(written.append(record.getMessage())) or True  # type: ignore[method-assign]
    bounded, now = _Bounded([keeper]), time.monotonic()
    for number in range(n + 1):
        record = logging.LogRecord("x", level, "a.py", 1, "text", None, None)
        with mock.patch("symindex.serve.log.time.monotonic", return_value=now + 61 * (number == n)):
            bounded.emit(record)
    return len(written), written[-1]


def log_line(n: int, folder: Path) -> object:
    return _Lines("%(message)s").format(
        logging.LogRecord("x", logging.INFO, "a.py", 1, "a" * n, None, None)
    )


def fault(n: int, folder: Path) -> object:
    return describe_fault(ValueError("x" * (n - len("ValueError: ")))).rpartition(": ")[2]


def outside(n: int, folder: Path) -> object:
    return _first([str(number) for number in range(n)])


def uncertain(n: int, folder: Path) -> object:
    item = cast(Any, SimpleNamespace(name="n", at="a.py:1", text="t"))
    return _places_that_may_inherit([item] * n)[-1]


def lines_of_row(n: int, folder: Path) -> object:
    return other_lines(range(n))


def folders(n: int, folder: Path) -> object:
    return grouped(
        [
            cast(Any, SimpleNamespace(path=f"f{number}", name=f"f{number}"))
            for number in range(n + 1)
        ],
        lambda _: "is not indexed",
    )


def error(n: int, folder: Path) -> object:
    return shorten_error("e" * n)


def id_of_request(n: int, folder: Path) -> object:
    return _error("i" * n, 1, "text").request_id


def piped(n: int, folder: Path) -> object:
    with mock.patch(
        "symindex.serve.cli.commands.grep.sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"x" * n))
    ):
        return len(_given(must_come=True) or b"")


def packages_named(n: int, folder: Path) -> object:
    labels = [f"pypi:p{number}@1" for number in range(n)]
    with mock.patch("symindex.packages.indexes.name_table.kept_packages_with", lambda *_: labels):
        return tell_packages([PrivateFolder(folder)], "name")[0].partition("indexed: ")[2]


LIMITS: list[Limit] = [
    Limit("serve.cli.commands.grep.MOST_GIVEN", 8, piped, 8, 'standard input has more than 8 bytes: search a file instead'),
    Limit("workspace.elsewhere.MOST_PACKAGES_NAMED", 2, packages_named, "pypi:p0@1, pypi:p1@1; ask for the symbol, or search with space: system", 'pypi:p0@1, pypi:p1@1 and 1 more; ask for the symbol, or search with space: system'),
    Limit("serve.mcp.answers.MOST_ERROR", 8, error, "eeeeeeee", "eeee…eeee"),
    Limit("serve.lsp.listener.LONGEST_ID", 8, id_of_request, "iiiiiiii", None),
    Limit("serve.cli.in_dialect.MOST_BYTES", 20, request_file, {}, '--request has more than 20 bytes: divide it into several calls'),
    Limit("serve.cli.commands.explore.MOST_TRACE", 60, trace, (0, ""), (2, 'symindex: the trace has more than 60 characters: give its beginning or its end')),
    Limit("serve.log.MOST_A_MINUTE", 2, warnings, (3, "text"), (3, 'text (1 more lines like this were left out)')),
    Limit("serve.log.MOST_DETAILS", 2, details, (3, "text"), (3, 'text (1 more lines like this were left out)')),
    Limit("serve.log.LONGEST", 8, log_line, "aaaaaaaa", 'aaaa … aaaa'),
    Limit("serve.faults._MOST", 20, fault, "xxxxxxxx", "xxxxxxxx…"),
    Limit("render.hierarchy._LISTED", 2, outside, "0, 1", '0, 1 and 1 other'),
    Limit("render.hierarchy._LISTED_PLACES", 2, uncertain, "- `n` `a.py:1`: `t`", '- and 1 more'),
    Limit("render.markdown._LISTED_LINES", 2, lines_of_row, " (+2: 0, 1)", ' (+3: 0, 1, …)'),
    Limit("editor.merged_view.MOST_FOLDERS_NAMED", 2, folders, ["f0: is not indexed", "f1: is not indexed", "f2: is not indexed"], ['f0, f1 and 2 other folders: is not indexed']),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_front_ends(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
