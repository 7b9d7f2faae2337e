"""Finds the commit that last changed a symbol: the oldest of the file's latest commits that contain
its present code."""

import os
import time
from pathlib import Path
from typing import Final

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.explore.git_history import Commit, commits_of
from symindex.explore.git_objects import open_repository
from symindex.protocol.explore import LastCommit
from symindex.resolve.tree import Row, Tree, read_shown

MOST_COMMITS: Final = 20
"""Most commits of a file that are examined."""

SECONDS: float = 2.0
"""Time in seconds after which no further commit is examined."""


def last_commit(tree: Tree, row: Row, most_bytes: int) -> LastCommit | None:
    """Returns the commit; `None` if no commit contains the symbol as it is now, ignoring blanks.
    Raises RequestError if there is no git, or no readable repository."""
    prefix = row.file.part.prefix
    repository, above = open_repository(Path(os.path.realpath(tree.roots[prefix])))
    inside = above + row.file.path.removeprefix(prefix)
    until = time.monotonic() + SECONDS
    commits, missing = commits_of(repository, inside, repository.commit("HEAD"), MOST_COMMITS)
    if missing and not commits:
        raise RequestError(f"{row.file.path}: {missing}")
    text = read_shown(tree, row.file.path, most_bytes)
    if text.digest != row.file.known.digest:
        raise RequestError(f"{row.file.path} has changed since it was indexed")
    start, end, *_ = row.index.places(row.number)
    code = b"".join(text.data[start:end].split())
    oldest: Commit | None = None
    is_exact = len(commits) < MOST_COMMITS and not missing
    for commit in commits:
        check_wanted()
        if oldest is not None and time.monotonic() > until:
            is_exact = False
            break
        blob = repository.blob_of(inside, commit.commit)
        if (
            blob is None
            or blob[1] > most_bytes
            or code not in b"".join(repository.blob(*blob).split())
        ):
            is_exact = True
            break
        oldest = commit
    return (
        LastCommit(
            commit=oldest.commit, date=oldest.date, subject=oldest.subject, is_exact=is_exact
        )
        if oldest is not None
        else None
    )
