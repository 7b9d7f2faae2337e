"""Finds a file in its repository, and the lines of its version in a commit that its lines are now.

git counts lines in a commit, and everybody else counts them in the file as it is now, with changes
that are not committed and documents that are not saved. So both texts are compared here; git would
clean the file first, by a program that the repository may name.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore.git_objects import Repository, check_revision, open_repository
from symindex.explore.missing import nothing_there
from symindex.explore.text_range import parse_lines
from symindex.extract.texts.file_text import BINARY_BYTES, FileText, text_of
from symindex.files.walk import VERSION_CONTROL
from symindex.resolve.tree import Tree, place_of, read_shown, shown_path
from symindex.text.counts import count_of
from symindex.text.editing.common_lines import MOST_COMPARED, common_lines

MOST_LINES: Final = 500
"""Most lines in one answer."""


class RepositoryFile(NamedTuple):
    """A file, which need not exist now. shown: its path in answers. place: on disk. path: from the
    top of its repository."""

    shown: str
    place: Path
    repository: Repository
    path: str


class CommittedFile(NamedTuple):
    """A file in a commit. commit: the whole hash. text: its text there."""

    file: RepositoryFile
    commit: str
    text: FileText


class Window(NamedTuple):
    """Some lines of a file; an empty file has none.

    Attributes:
        first, last: the numbers of the lines.
        n_lines: the length of the file.
        numbers: for each of these lines its number in the commit, 0 if it is not there.
        is_changed: whether any line of the file differs from the commit.
    """

    first: int
    last: int
    n_lines: int
    numbers: Sequence[int]
    is_changed: bool


def find_in_repository(tree: Tree, path: str) -> RepositoryFile:
    """Returns a file with the repository around it, which may be that of a submodule. Raises
    RequestError for a path that no file can have, and without a repository."""
    shown = shown_path(tree, path)
    if not shown or f"{shown}/" in tree.roots:
        raise RequestError(f"{shown or 'that'} is a root: name a file in it")
    if not VERSION_CONTROL.isdisjoint(shown.split("/")):
        raise RequestError(f"{shown}: belongs to version control")
    place = place_of(tree, shown)
    if place.is_dir():
        raise RequestError(f"{shown} is a folder: name a file in it")
    repository, inside = repository_of(place)
    return RepositoryFile(shown, place, repository, inside)


def repository_of(place: Path) -> tuple[Repository, str]:
    """Returns the innermost repository around a place below a root, and the place's path from the
    top of it. The place need not exist now."""
    folder = Path(os.path.realpath(place.parent))
    there = next(parent for parent in (folder, *folder.parents) if parent.is_dir())
    repository, above = open_repository(there)
    return repository, above + (folder / place.name).relative_to(there).as_posix()


def read_committed(tree: Tree, path: str, revision: str, most_bytes: int) -> CommittedFile:
    """Returns a file as it is in a commit. revision: empty means the current commit. Raises
    RequestError if it is not there, and for a file that is no text."""
    if revision:
        check_revision(revision)
    file = find_in_repository(tree, path)
    commit = file.repository.commit(revision or "HEAD")
    if not revision and file.repository.blob_of(file.path, commit) is None:
        raise not_committed(tree, file)
    data = file.repository.read(file.path, commit, revision or "HEAD", most_bytes)
    text = text_of(data)
    _check_text(file.shown, text)
    n_lines = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    if n_lines != len(lines_of(text)):
        raise RequestError(
            f"{file.shown}: git counts {count_of(n_lines, 'line')} in it instead of"
            f" {len(lines_of(text)):,}: they do not all end with line feeds"
        )
    return CommittedFile(file, commit, text)


def not_committed(tree: Tree, file: RepositoryFile) -> RequestError:
    """Returns the error for a file that the current commit does not contain."""
    if not os.path.lexists(file.place):
        return nothing_there(tree, file.shown)
    return RequestError(
        f"{file.shown}: is not in the current commit, so git knows nothing about it"
    )


def shallow_notices(repository: Repository) -> list[str]:
    """Returns a notice if the repository is a shallow copy."""
    if not repository.is_shallow():
        return []
    return ["this copy of the repository is shallow: commits that are older are not known"]


def requested_lines(lines: str) -> tuple[int, int]:
    """Reads a range of lines. Raises RequestError for one that is too long."""
    first, last = parse_lines(lines)
    if last - first >= MOST_LINES:
        raise RequestError(
            f"lines {lines!r}: at most {MOST_LINES:,} lines are shown at once: ask for them in"
            " parts"
        )
    return first, last


def lines_now(tree: Tree, file: CommittedFile, lines: tuple[int, int], most_bytes: int) -> Window:
    """Returns lines of the file as it is now, with their numbers in the commit. Raises RequestError
    if the file cannot be read, or too much of it has changed."""
    shown = file.file.shown
    now = read_shown(tree, shown, most_bytes)
    _check_text(shown, now)
    committed, current = lines_of(file.text), lines_of(now)
    numbers = common_lines(committed, current)
    if numbers is None:
        raise RequestError(
            f"{shown}: differs from commit {file.commit[:12]} in more than {MOST_COMPARED:,} lines,"
            " which are not compared: give that commit as the revision"
        )
    first, last = existing(shown, lines, len(current))
    is_changed = committed != current
    return Window(first, last, len(current), numbers[first - 1 : last], is_changed)


def lines_then(file: CommittedFile, lines: tuple[int, int]) -> Window:
    """Returns lines of the file as it is in the commit."""
    n_lines = len(lines_of(file.text))
    first, last = existing(file.file.shown, lines, n_lines)
    return Window(first, last, n_lines, range(first, last + 1), False)


def existing(shown: str, lines: tuple[int, int], n_lines: int) -> tuple[int, int]:
    """Returns the first and the last of some lines that a file has. Raises RequestError if it has
    none of them; only an empty file may be asked for its first line."""
    first, last = lines
    if first > max(n_lines, 1):
        raise RequestError(f"{shown} has {count_of(n_lines, 'line')}: there is no line {first:,}")
    return first, min(last, n_lines)


def lines_of(text: FileText) -> list[str]:
    """Returns the lines of a text; none if it is empty."""
    return text.lines if text.data else []


def _check_text(shown: str, text: FileText) -> None:
    if text.data.find(b"\0", 0, BINARY_BYTES) >= 0:
        raise RequestError(f"{shown}: is binary: only text has lines")
