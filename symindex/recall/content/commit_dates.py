"""Reads from git's history when each file was last changed by a commit."""

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from symindex.errors import IndexFileError, RequestError, UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.ignore.git_reader import GitReader
from symindex.index.store import read_table, write_table

SECONDS: Final = 2.0
MOST_BYTES: Final = 8_000_000
"""Most bytes of the history that are read, the newest first; the files beyond have no date from
git."""

MOST_COMMITS: Final = 5_000
"""Most commits that are read: a file that was last changed before has no date from git."""


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    """Dates as they are stored, by path."""

    dates: dict[str, int]


class CommitDates:
    """The dates of a root's files, read once for each commit that is checked out.

    Args:
        root: the folder.
        folder: the user's own; the dates are stored in it.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder = root, PrivateFolder(folder / "dates")
        self._head: str | None = None
        self._dates: dict[str, int] = {}

    def of(self, path: str) -> int:
        """Returns the date of a file in milliseconds since 1970; 0 if git does not say."""
        return self._dates.get(path, 0)

    def bring_up_to_date(self) -> None:
        """Reads the dates of the commit that is checked out now."""
        head = head_of(self._root)
        if head == self._head:
            return
        stored = None
        rules = blake2b(head.encode(), digest_size=16).digest()
        with suppress(IndexFileError):
            stored = read_table(self._folder, rules, _Stored)
        if stored is None:
            stored = _Stored(commit_dates(self._root) if head else {})
            with suppress(UnwritableError):  # they are read again by the next process
                write_table(self._folder, rules, stored)
        self._head, self._dates = head, stored.dates


def head_of(root: Path) -> str:
    """Returns the commit that is checked out, empty if there is none."""
    output = _ask(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return output.decode("ascii", "replace").strip()


def commit_dates(root: Path) -> dict[str, int]:
    """Returns dates in milliseconds since 1970, by path relative to the root; empty if git is
    missing or too slow."""
    words = "--format=%x01%ct", "--name-only", "--no-renames", "--relative", "-z", "--", "."
    output = _ask(root, "log", f"--max-count={MOST_COMMITS}", *words)
    if len(output) >= MOST_BYTES:
        output = output[: output.rfind(b"\0") + 1]  # without the name that the limit cuts
    dates: dict[str, int] = {}
    for commit in output.split(b"\x01")[1:]:
        head, *names = commit.replace(b"\n", b"\0").split(b"\0")
        if head.isdigit():
            for name in filter(None, names):
                dates.setdefault(name.decode("utf-8", "surrogateescape"), int(head) * 1_000)
    return dates


def _ask(root: Path, *words: str) -> bytes:
    try:
        answer = GitReader.of(root).ask(words, MOST_BYTES, SECONDS, root)
    except RequestError:  # files have other dates, too
        return b""
    is_cut = answer is not None and len(answer.said) >= MOST_BYTES and not answer.is_late
    return answer.said if answer is not None and (is_cut or not answer.code) else b""
