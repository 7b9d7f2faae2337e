"""Answers before there is an index, by walking and scanning the source tree together within a time
limit.

The walk has its own thread, so the limit holds even if listing the tree takes longer.
"""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from symindex.extract.languages.registry import Languages
from symindex.files.walk import FileFilter, FoundFile, walk_tree
from symindex.search.unindexed.prefilter import Prefilter
from symindex.search.unindexed.scan import ScanSeconds, TreeScan
from symindex.search.unindexed.scan_query import file_filter, make_prefilter
from symindex.search.unindexed.work_queue import ScanReport
from symindex.text.counts import count_of

if TYPE_CHECKING:
    from symindex.index.snapshot import Snapshot
    from symindex.search.answer.plan import Plan

LARGE_BYTES: Final = 20_000_000
"""Largest source, in bytes, for which the answer waits for the index: such an index is ready before
a reader wonders where the answer is."""

READER_SECONDS: Final = ScanSeconds(first=0.9, enough=5.0, most=30.0)
"""Time limits for a reader at a command line. Building the index would take longer than the last of
them."""

EDITOR_SECONDS: Final = ScanSeconds(first=0.3, enough=2.5, most=30.0, any_will_do=True)
"""Time limits for an editor, whose user may continue typing: it waits longer than the second only
while nothing was found."""

FEW_LETTERS: Final = 2
"""Longest name, in letters, that begins so many names that no particular one can be meant."""


class _WalkEndedError(Exception):
    """Ends a walk that is no longer needed."""


def is_large(root: Path, wanted: FileFilter) -> bool:
    """Whether a source tree contains so much that its index takes long."""
    n_bytes = 0

    def count(files: list[FoundFile]) -> None:
        nonlocal n_bytes
        n_bytes += sum(file.size for file in files)
        if n_bytes > LARGE_BYTES:
            raise _WalkEndedError

    try:
        walk_tree(root, wanted, count)
    except _WalkEndedError:
        return True
    return False


def scan_for_reader(
    root: Path,
    plan: "Plan",
    languages: Languages,
    wanted: FileFilter,
    file_seconds: float,
    salt: bytes,
) -> "tuple[Snapshot, str] | None":
    """Returns what a scan finds for a reader at a command line, and a notice that says what the
    answer is based on; `None` if only an index can answer.

    salt: see `index/build.build_index`. Raises RequestError for a request that has no answer,
    StorageError if no worker process can be started.
    """
    prefilter = make_prefilter(plan)
    if prefilter is None:
        return None
    report = scan_tree(root, prefilter, plan, languages, wanted, file_seconds, READER_SECONDS)
    from symindex.index.build import build_index  # imported here, because it loads numpy
    from symindex.index.snapshot import Snapshot

    return Snapshot.of(build_index(report.files, salt=salt)), describe_scan(report, plan.text)


def scan_for_editor(
    root: Path,
    plan: "Plan",
    languages: Languages,
    wanted: FileFilter,
    file_seconds: float,
    prefix: str,
) -> ScanReport:
    """Returns what a scan finds for an editor: some files if the name has one or two letters, or if
    only an index can answer. prefix: precedes the root's paths in answers. Raises as
    `scan_for_reader`."""
    prefilter = make_prefilter(plan) or Prefilter([], "")
    if len(prefilter.name) <= FEW_LETTERS:
        prefilter = Prefilter(prefilter.groups, "", any_is_enough=True)
    return scan_tree(root, prefilter, plan, languages, wanted, file_seconds, EDITOR_SECONDS, prefix)


def scan_tree(
    root: Path,
    prefilter: Prefilter,
    plan: "Plan",
    languages: Languages,
    wanted: FileFilter,
    file_seconds: float,
    seconds: ScanSeconds,
    prefix: str = "",
) -> ScanReport:
    """Returns what a scan finds in the files that pass the request's filters. Raises as
    `scan_for_reader`."""
    lets_through = file_filter(plan, languages, prefix)
    failures: list[BaseException] = []
    ended = threading.Event()

    def feed(files: list[FoundFile]) -> None:
        if ended.is_set():
            raise _WalkEndedError
        scan.feed(filter(lets_through, files))

    def walk() -> None:
        try:
            walk_tree(root, wanted, feed)
        except _WalkEndedError:
            return
        except BaseException as error:  # raised below, in the caller's thread
            failures.append(error)
        scan.feed_done()

    with TreeScan(
        root, prefilter, languages, max_file_bytes=wanted.max_file_bytes, file_seconds=file_seconds
    ) as scan:
        walker = threading.Thread(target=walk, daemon=True)
        walker.start()
        try:
            import symindex.index.build  # noqa: F401  # it loads numpy, and there is something to do meanwhile

            report = scan.search(seconds)
        finally:
            ended.set()
    walker.join()
    if failures:
        raise failures[0]
    return report


def describe_scan(report: ScanReport, query: str) -> str:
    """Returns the notice that says what an answer without an index is based on. Its total counts
    only the files that were searched."""
    of_files = (
        count_of(report.total_files, "file")
        if report.walked
        else f"the {report.total_files:,} files found so far"
    )
    likeliest = f"and the {len(report.files):,} most likely of them were searched"
    if report.complete:
        summary = f"all {report.candidates:,} of {of_files} that contain `{query}` were searched"
        if report.candidates == 1:
            summary = f"the one of {of_files} that contains `{query}` was searched"
        elif not report.candidates:
            summary = f"none of {of_files} contains `{query}`"
    elif report.walked and report.scanned_files + len(report.unreadable) == report.total_files:
        summary = f"{report.candidates:,} of {of_files} contain `{query}`, {likeliest}"
    else:
        summary = (
            f"{report.scanned_files:,} of {of_files} were read, {report.candidates:,}"
            f" contain `{query}`, {likeliest}"
        )
    for words, paths in (
        ("could not be read", report.unreadable),
        ("were given up", report.given_up),
    ):
        if paths:
            summary += f"; {len(paths):,} {words}, as {paths[0]}"
    return (
        f"the index is still being built: {summary}; misspelt and abbreviated names are found"
        " once it is complete"
    )
