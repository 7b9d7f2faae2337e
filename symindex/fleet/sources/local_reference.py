"""Reads where a branch of a git repository on this machine points, without starting git.

A thousand repositories that have not changed are looked at in a second this way, and in ten by git.
Only what is plain is read: whatever else a repository may be (a worktree, a newer format) gives
`None`, and git is asked.
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from symindex.files.access.regular import read_regular
from symindex.fleet.catalogue.names import why_bad_ref

_MOST_BYTES: Final = 4_096
"""Largest file of one reference that is read, in bytes. git writes up to 300."""

_MOST_PACKED_BYTES: Final = 16_000_000
"""Largest list of packed references that is read, in bytes: some 200,000 of them."""

_HASH: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH: Final = "refs/heads/"


class Reference(NamedTuple):
    """Where a name leads. target: a hash, of an annotated tag that of the tag. branch: the branch
    or tag; empty if the repository has a commit checked out and no branch."""

    target: str
    branch: str


def read_reference(path: Path, ref: str) -> Reference | None:
    """Returns where a branch or tag, or the default branch, points. path: of the repository, or of
    its working tree. `None` if git must be asked."""
    folder = next((place for place in (path / ".git", path) if _is_git_folder(place)), None)
    if folder is None:
        return None
    try:
        if ref:
            names = [ref] if ref.startswith("refs/") else [_BRANCH + ref, f"refs/tags/{ref}"]
            targets = (_target(folder, name) for name in names)
            target = next(filter(None, targets), "")
            return Reference(target, ref) if target else None
        head = read_regular(folder / "HEAD", _MOST_BYTES).decode().strip()
        if _HASH.fullmatch(head):
            return Reference(head, "")
        name = head.removeprefix("ref: ")
        branch = name.removeprefix(_BRANCH)
        if name == head or branch == name or why_bad_ref(branch):
            return None
        target = _target(folder, name)
        return Reference(target, branch) if target else None
    except (OSError, ValueError):
        return None


def _is_git_folder(place: Path) -> bool:
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def _target(folder: Path, name: str) -> str:
    """Returns the hash of a reference; empty if there is none, or if it is not plain. git looks
    into the file of the reference first, and into the list after it."""
    with suppress(FileNotFoundError):
        text = read_regular(folder / name, _MOST_BYTES).decode().strip()
        return text if _HASH.fullmatch(text) else ""
    try:
        packed = read_regular(folder / "packed-refs", _MOST_PACKED_BYTES)
    except FileNotFoundError:
        return ""
    found = re.search(rb"^([0-9a-f]{40,64}) " + re.escape(name.encode()) + rb"$", packed, re.M)
    return found[1].decode() if found else ""
