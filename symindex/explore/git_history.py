"""Asks git who changed what: the commits of a file or of some of its lines, and blame, which names
for each line the commit that last changed it.

git gets little time and memory (`git_objects`), so an answer may end early; it then says so. git
compares versions itself here, but runs no filter, textconv or external diff: only versions in
commits are compared, never a file of the working tree, which git would clean by a program of the
repository's choice. Names, subjects and patches are a stranger's text: they are decoded with
replacement characters and cut, and whoever shows them escapes them.
"""

import re
import secrets
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from symindex.errors import RequestError
from symindex.explore import git_objects
from symindex.explore.git_objects import Repository
from symindex.files.ignore.git_command import GitAnswer

MOST_BYTES: Final = 4_000_000
"""Most bytes of an answer of git that are read."""

LONGEST_NAME: Final = 100
"""Most characters of an author's name."""

LONGEST_SUBJECT: Final = 300
"""Most characters of the subject of a commit, its first line."""

LONGEST_PATCH: Final = 20_000
"""Most characters of the patch of a commit."""

_HUNK: Final = re.compile(rb"([0-9a-f]{40}(?:[0-9a-f]{24})?) \d+ (\d+) (\d+)")
"""The line of `git blame --incremental` that begins a hunk: the commit, the first line in the
commit's version, the first line in the blamed version, and how many lines follow."""

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
"""Matches a date as git writes it, unless the commit has none."""

_PATCH_START: Final = re.compile(rb"^@@+ ", re.MULTILINE)

_PLAIN_DIFF: Final = ("--no-color", "--no-ext-diff", "--no-textconv")


class Commit(NamedTuple):
    """A commit. date: when its author wrote it, in the form 2026-11-24. patch: the hunks of its
    difference, if requested. is_whole: whether the patch is not cut."""

    commit: str
    author: str
    date: str
    subject: str
    patch: str = ""
    is_whole: bool = True


class Commits(NamedTuple):
    """Commits, newest first. missing: why there may be more of them than git said; empty if there
    are not."""

    items: list[Commit]
    missing: str


class Blame(NamedTuple):
    """The commits of lines, by their numbers. first: those commits that have no parent here.
    missing: why lines are missing; empty if none are."""

    commits: dict[int, str]
    first: frozenset[str]
    missing: str


def blame(
    repository: Repository, path: str, commit: str, ranges: Iterable[tuple[int, int]]
) -> Blame:
    """Finds the commits that last changed some lines of a file as it is in a commit. path: from the
    top of the repository. ranges: first and last lines, which must exist."""
    answer = repository.ask_partly(
        MOST_BYTES,
        "blame",
        "--incremental",
        "--no-ignore-revs-file",  # the configuration may name any file, also a pipe
        "--no-textconv",
        *(f"-L{first},{last}" for first, last in ranges),
        commit,
        "--",
        path,
    )
    missing = _why_incomplete(answer, path, "blame")
    commits: dict[int, str] = {}
    parentless: set[str] = set()
    name = ""
    for line in answer.said.split(b"\n")[:-1]:
        if hunk := _HUNK.fullmatch(line):
            name, first, count = hunk[1].decode(), int(hunk[2]), int(hunk[3])
            commits |= dict.fromkeys(range(first, first + count), name)
        elif line == b"boundary":
            parentless.add(name)
    return Blame(commits, frozenset(parentless), missing)


def commits_named(repository: Repository, names: Sequence[str]) -> Commits:
    """Returns commits by their hashes, in the same order."""
    return (
        _log(repository, "", ["--no-walk=unsorted", "-s", *names, "--"])
        if names
        else Commits([], "")
    )


def commits_of(
    repository: Repository, path: str, commit: str, most: int, with_patch: bool = False
) -> Commits:
    """Returns the last commits, up to a commit, that changed a file. path: from the top of the
    repository."""
    words = [f"-{most}", "--no-follow", "-p" if with_patch else "-s"]
    return _log(repository, path, [*words, commit, "--", path])


def commits_of_lines(
    repository: Repository,
    path: str,
    commit: str,
    lines: tuple[int, int],
    most: int,
    with_patch: bool = False,
) -> Commits:
    """Returns the last commits, up to a commit, that changed a range of lines of a file, also under
    its earlier names. lines: the first and last line in that commit, which must exist."""
    words = [f"-{most}", "-p" if with_patch else "-s"]
    return _log(repository, path, [*words, f"-L{lines[0]},{lines[1]}:{path}", commit, "--"])


def _log(repository: Repository, path: str, words: Sequence[str]) -> Commits:
    mark = secrets.token_hex(16)  # a file's text cannot contain it, as its author cannot know it
    name, subject = f"%<({LONGEST_NAME},trunc)%an", f"%<({LONGEST_SUBJECT},trunc)%s"
    answer = repository.ask_partly(
        MOST_BYTES,
        "log",
        *_PLAIN_DIFF,
        "--no-show-signature",
        "--no-notes",
        "--no-decorate",
        f"--format={mark}%H%x00{name}%x00%as%x00{subject}%x00",
        *words,
    )
    missing = _why_incomplete(answer, path, "log")
    fields = [part.split(b"\0", 4) for part in answer.said.split(mark.encode())[1:]]
    commits = [_commit(part) for part in fields if len(part) == 5]
    if missing and commits and "-p" in words:
        commits[-1] = commits[-1]._replace(is_whole=False)
    return Commits(commits, missing)


def _commit(fields: list[bytes]) -> Commit:
    name, author, date, subject = (field.decode("utf-8", "replace") for field in fields[:4])
    hunks = _PATCH_START.search(fields[4])
    patch = fields[4][hunks.start() :].rstrip(b"\n").decode("utf-8", "replace") if hunks else ""
    return Commit(
        name,
        author.rstrip(" ")[:LONGEST_NAME],
        date if _DATE.fullmatch(date) else "",
        subject.rstrip(" ")[:LONGEST_SUBJECT],
        patch[:LONGEST_PATCH],
        len(patch) <= LONGEST_PATCH,
    )


def _why_incomplete(answer: GitAnswer, path: str, command: str) -> str:
    """Returns why an answer ends early, empty if it is whole. Raises RequestError if git failed."""
    if answer.is_late:
        return f"git was not done within {git_objects.SECONDS:g} s"
    if len(answer.said) >= MOST_BYTES:
        return f"git had more than {MOST_BYTES:,} bytes to say"
    if answer.code:
        raise RequestError(
            f"{path}: git {command} fails here: the repository is damaged, or lacks a part of its"
            " history; see git fsck"
        )
    return ""
