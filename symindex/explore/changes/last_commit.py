"""The commit that last touched a symbol: of those of its file, the last one before which its code
did not stand there."""

import os
import time
from pathlib import Path
from typing import Final

from symindex.cancellation import check_wanted
from symindex.errors import RequestError
from symindex.explore.git_objects import open_repository
from symindex.explore.tree import Row, Tree, read_shown
from symindex.protocol.explore import LastCommit

MOST_COMMITS: Final = 20
"""Of its file that are looked at."""

SECONDS: float = 2.0
"""After which no further commit is looked at."""


def last_commit(tree: Tree, row: Row, most_bytes: int) -> LastCommit | None:
    """`None` where the symbol stands in no commit as it is now; blanks do not count. Raises
    RequestError where there is no git, or no repository that it reads."""
    prefix = row.file.part.prefix
    repository, above = open_repository(Path(os.path.realpath(tree.roots[prefix])))
    inside = above + row.file.path.removeprefix(prefix)
    until = time.monotonic() + SECONDS
    repository.commit("HEAD")  # or says what is wrong
    commits = repository.commits_of(inside, MOST_COMMITS)
    text = read_shown(tree, row.file.path, most_bytes)
    if text.digest != row.file.known.digest:
        raise RequestError(f"{row.file.path} has changed since it was indexed")
    start, end, *_ = row.index.places(row.number)
    code = b"".join(text.data[start:end].split())
    found: tuple[str, str, str] | None = None
    is_exact = len(commits) < MOST_COMMITS
    for commit in commits:
        check_wanted()
        if found is not None and time.monotonic() > until:
            is_exact = False
            break
        blob = repository.blob_of(inside, commit[0])
        if (
            blob is None
            or blob[1] > most_bytes
            or code not in b"".join(repository.blob(*blob).split())
        ):
            is_exact = True
            break
        found = commit
    return (
        LastCommit(commit=found[0], date=found[1], subject=found[2], is_exact=is_exact)
        if found is not None
        else None
    )
