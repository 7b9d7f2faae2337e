"""Answers before there is an index: how long a scout is given, by whom it is sent."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.extract.languages.registry import Languages
from symindex.files.walk import FoundFile, Wanted, walk_tree
from symindex.protocol import SearchRequest
from symindex.search.unindexed.before_index import Patience, look_around
from symindex.search.unindexed.describe import describe_part
from symindex.search.unindexed.prefilter import Sought
from symindex.search.unindexed.scan_query import read_question
from symindex.search.unindexed.work_queue import ScoutReport

if TYPE_CHECKING:
    from symindex.index.snapshot import Snapshot

LARGE_BYTES: Final = 20_000_000
"""Below so many bytes of source an index is made in the time that it takes to begin to wonder."""

SCOUT_SECONDS: Final = 0.9
"""How long a scout may look around before it answers with what it has, and"""

SCOUT_PATIENCE: Final = 5.0
"""how long it may go on where it has not found what was sought, and"""

SCOUT_MOST: Final = 30.0
"""how long while files are left that may well define it: to build the index would take longer."""


EDITOR_SECONDS: Final = 0.3
EDITOR_PATIENCE: Final = 2.5
"""The same as SCOUT_SECONDS and SCOUT_PATIENCE for somebody who may go on typing; he is answered later only while nothing was
found."""

FEW_LETTERS: Final = 2
"""So many letters begin too many names for any of them to be the one that is meant."""


class _LargeError(Exception):
    """Ends the walk of a tree that is large enough."""


def is_large(root: Path, wanted: Wanted) -> bool:
    """Whether a tree holds so much that an index takes long."""
    n_bytes = 0

    def count(files: list[FoundFile]) -> None:
        nonlocal n_bytes
        n_bytes += sum(file.size for file in files)
        if n_bytes > LARGE_BYTES:
            raise _LargeError

    try:
        walk_tree(root, wanted, count)
    except _LargeError:
        return True
    return False


def scan_for_reader(
    root: Path, request: SearchRequest, languages: Languages, wanted: Wanted, file_seconds: float, salt: bytes
) -> "tuple[Snapshot, str] | None":
    """What a scan finds for somebody who waits at a command line, and what that rests on; `None` where only an index can tell.

    salt: as for `index/build.build_index`. Raises RequestError for what has no possible answer.
    """
    sought = read_question(request)
    if sought is None:
        return None
    patience = Patience(SCOUT_SECONDS, SCOUT_PATIENCE, SCOUT_MOST)
    report, _ = look_around(root, sought, request, languages, wanted=wanted, file_seconds=file_seconds, patience=patience)
    from symindex.index.build import build_index  # here, because it loads numpy
    from symindex.index.snapshot import Snapshot

    return Snapshot.of(build_index(report.files, salt=salt)), describe_part(report, request.query)


def look_for_editor(root: Path, request: SearchRequest, languages: Languages, wanted: Wanted, file_seconds: float) -> ScoutReport:
    """What a scout finds for somebody who goes on typing. Raises as `scan_for_reader`."""
    sought = read_question(request) or Sought([], "")
    if len(sought.name) <= FEW_LETTERS:
        sought = Sought(sought.groups, "", any_is_enough=True)
    patience = Patience(EDITOR_SECONDS, EDITOR_PATIENCE, SCOUT_MOST, any_will_do=True)
    return look_around(root, sought, request, languages, wanted=wanted, file_seconds=file_seconds, patience=patience)[0]
