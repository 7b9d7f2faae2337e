"""Writes the files of a commit into a folder, with the bytes that they have in the commit.

The bytes must not depend on the machine, and nothing of the tree may act. So no attribute of the
tree converts a file, no filter runs, and large files elsewhere (LFS) stay the short texts that they
are in git. Links and submodules are left out: a link leads anywhere, and the file that it leads to
is in the tree itself or does not belong to it.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

from symindex.errors import RequestError, StorageError
from symindex.fleet.catalogue.addresses import shown_address
from symindex.fleet.catalogue.repository import Limits
from symindex.fleet.sources.git_faults import git_fault, late_fault
from symindex.fleet.sources.git_program import Run, ask_git

_ENTRY_BYTES: Final = 400
"""Bytes of a list of files that each file may need. A path has 50 on average."""

_LEAST_LISTING: Final = 1_000_000
_MOST_SAID: Final = 100_000

ATTRIBUTES: Final = b"* -text -ident -filter -working-tree-encoding !eol\n"
"""Attributes that take precedence over all those of the tree: no file is converted."""

_LINK: Final = b"120000"
_OURS: Final = frozenset({".git", "git~1"})

_LONGEST_PATH: Final = 1_000
"""Longest path, in bytes. Linux opens no path of 4,096 bytes, which includes our folder."""

_LONGEST_PART: Final = 255
"""Longest name of a file or a folder, in bytes, on all usual file systems."""

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f\\\u0085\u2028\u2029]")
"""Line breaks and other controls, which no answer could show, and the separator of Windows."""


class TreeFiles(NamedTuple):
    """The files of a commit that are written. entries: of git's index, ended by NUL. left_out:
    reason -> number of files."""

    entries: bytes
    n_files: int
    n_bytes: int
    left_out: Counter[str]


def list_files(git_folder: Path, commit: str, location: str, limits: Limits, run: Run) -> TreeFiles:
    """Lists the files of a commit. Raises RequestError for more or larger ones than the limits
    allow, StorageError for a damaged commit."""
    most = max(_LEAST_LISTING, limits.max_files * _ENTRY_BYTES)
    shown = shown_address(location)
    answer = ask_git(
        run,
        [f"--git-dir={git_folder}", "ls-tree", "-r", "-l", "-z", "--full-tree", commit],
        most,
        with_faults=False,
    )
    if answer.said.count(b"\0") > limits.max_files:
        raise RequestError(
            f"{shown}: has more than {limits.max_files:,} files: raise `max_files`, or leave it out"
        )
    if len(answer.said) >= most:
        raise RequestError(
            f"{shown}: the paths of its files have more than {most:,} bytes: raise `max_files`, or"
            " leave it out"
        )
    if answer.is_late:
        raise late_fault(location, run.seconds)
    if answer.code:
        raise StorageError(
            f"{shown}: git cannot list the files of commit {commit[:12]}: objects are missing or"
            " damaged; run it again, and check the repository with git fsck"
        )
    entries: list[bytes] = []
    total = 0
    left_out: Counter[str] = Counter()
    for row in answer.said.split(b"\0")[:-1]:
        facts, _, name = row.partition(b"\t")
        mode, kind, blob, size = facts.split()
        reason = _reason_to_leave_out(mode, kind, size, name)
        if reason:
            left_out[reason] += 1
            continue
        total += int(size)
        entries.append(b"100644 %b\t%b\0" % (blob, name))
    if total > limits.max_repository_bytes:
        raise RequestError(
            f"{shown}: its files have {total:,} bytes, more than {limits.max_repository_bytes:,}:"
            " raise `max_repository_bytes`, or leave it out"
        )
    return TreeFiles(b"".join(entries), len(entries), total, left_out)


def _reason_to_leave_out(mode: bytes, kind: bytes, size: bytes, name: bytes) -> str:
    if kind == b"commit":
        return "submodules"
    if mode == _LINK:
        return "symbolic links"
    if kind != b"blob" or not size.isdigit():
        return "objects that are not there"
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return "names that are not UTF-8"
    return "" if _is_sound(text, len(name)) else "names that lead elsewhere or are too long"


def _is_sound(path: str, n_bytes: int) -> bool:
    """Whether a path leads to a place below its folder that can be written and named. git checks
    that too, as it writes; then it does not say which."""
    parts = path.split("/")
    return (
        n_bytes <= _LONGEST_PATH
        and not _UNSAFE.search(path)
        and all(
            part not in ("", ".", "..")
            and part.rstrip(". ").casefold() not in _OURS
            and len(part.encode()) <= _LONGEST_PART
            for part in parts
        )
    )


def write_files(
    git_folder: Path, files: TreeFiles, into: Path, location: str, run: Run
) -> Counter[str]:
    """Writes files into an existing empty folder. Returns what git has left out besides. Raises
    StorageError."""
    index = Path(f"{into}.index")
    environment = {"LC_ALL": "C", "GIT_INDEX_FILE": str(index)}
    words = [f"--git-dir={git_folder}", f"--work-tree={into}"]
    left_out: Counter[str] = Counter()
    try:
        added = ask_git(
            run,
            [*words, "update-index", "-z", "--index-info"],
            _MOST_SAID,
            environment=environment,
            standard_input=files.entries,
        )
        _check(added.code, added.said, added.is_late, location, run)
        if refused := added.said.count(b"Ignoring path "):
            left_out["names that lead elsewhere or are too long"] += refused
        if files.entries:
            written = ask_git(
                run,
                [*words, "checkout-index", "--all", "--quiet"],
                _MOST_SAID,
                environment=environment,
            )
            _check(written.code, written.said, written.is_late, location, run)
    finally:
        for name in (index, Path(f"{index}.lock")):
            name.unlink(missing_ok=True)
    return left_out


def _check(code: int, said: bytes, is_late: bool, location: str, run: Run) -> None:
    if is_late:
        raise late_fault(location, run.seconds)
    if code:
        raise git_fault(said, location)
