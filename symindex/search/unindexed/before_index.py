"""A request to a tree that has no index yet: walk and scan together, within a time.

The walk runs in a thread of its own, so that the time holds on a tree that takes longer to list than there is time.
"""

import threading
from pathlib import Path
from typing import NamedTuple

from symindex.extract.languages.registry import Languages
from symindex.files.walk import FoundFile, Walk, Wanted, walk_tree
from symindex.protocol import SearchRequest
from symindex.search.unindexed.prefilter import Sought
from symindex.search.unindexed.scan import Scout
from symindex.search.unindexed.scan_query import file_filter
from symindex.search.unindexed.work_queue import ScoutReport


class Patience(NamedTuple):
    """Seconds. budget: the answer comes then, or as soon as it is complete. patience: while that is not enough
    (`ScoutReport.is_enough`) it is waited for up to this time. most, any_will_do: as of `Scout.search`."""

    budget: float
    patience: float
    most: float = 0.0
    any_will_do: bool = False


def look_around(
    root: Path,
    sought: Sought,
    request: SearchRequest,
    languages: Languages,
    *,
    wanted: Wanted,
    file_seconds: float,
    patience: Patience,
) -> tuple[ScoutReport, Walk | None]:
    """What a scout finds in a tree, and the walk of it, if it came to an end. request: whose filters hold.

    Raises RequestError for what has no possible answer, StorageError where no worker process can be started.
    """
    lets_through = file_filter(request, languages)
    walks: list[Walk] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def watch(files: list[FoundFile]) -> None:
        if ended.is_set():
            raise _TimeIsUpError
        scout.feed(filter(lets_through, files))

    def walk() -> None:
        try:
            walks.append(walk_tree(root, wanted, watch))
        except _TimeIsUpError:
            return
        except BaseException as error:  # raised below, in the caller's thread
            failures.append(error)
        scout.feed_done()

    with Scout(root, sought, languages, max_file_bytes=wanted.max_file_bytes, file_seconds=file_seconds) as scout:
        walker = threading.Thread(target=walk, daemon=True)
        walker.start()
        try:
            import symindex.index.build  # noqa: F401  # it loads numpy, and there is something to do meanwhile

            report = scout.search(*patience)
        finally:
            ended.set()
    walker.join()
    if failures:
        raise failures[0]
    return report, walks[0] if walks else None


class _TimeIsUpError(Exception):
    """Ends a walk that nobody waits for."""
