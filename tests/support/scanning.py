"""Searches of trees without an index."""

from pathlib import Path

from symindex.extract.languages.registry import Languages, load_languages
from symindex.files.walk import walk_tree
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchRequest, SearchResponse
from symindex.search.answer.answer import answer
from symindex.search.answer.plan import Plan, make_plan
from symindex.search.unindexed.scan import ScanSeconds, TreeScan
from symindex.search.unindexed.scan_query import make_prefilter
from symindex.search.unindexed.work_queue import ScanReport

MOST_BYTES = 2_000_000


def request_of(query: str, **more: object) -> SearchRequest:
    return SearchRequest(query=query, include=["id", "score"], fuzzy=False, **more)  # type: ignore[arg-type]


def plan_of(request: SearchRequest) -> Plan:
    """Returns the plan of a request for all languages."""
    return make_plan(request, load_languages())


def look_for(
    root: Path, query: str, seconds: float = 60.0, file_seconds: float = 10.0, n_workers: int = 2
) -> ScanReport:
    """Scans a whole tree and returns the report."""
    languages = load_languages()
    prefilter = make_prefilter(plan_of(request_of(query)))
    assert prefilter is not None
    with TreeScan(
        root,
        prefilter,
        languages,
        max_file_bytes=MOST_BYTES,
        file_seconds=file_seconds,
        n_workers=n_workers,
    ) as scan:
        walk_tree(root, languages.wanted(MOST_BYTES), scan.feed)
        scan.feed_done()
        return scan.search(ScanSeconds(seconds))


def answer_early(
    report: ScanReport, request: SearchRequest, languages: Languages
) -> SearchResponse:
    """Searches the symbols that a scan found as an index would be searched."""
    return answer(
        Snapshot.of(build_index(report.files)),
        make_plan(request, languages).strict(),
    )


def names_of(report: ScanReport) -> list[str]:
    return sorted(symbol.name for file in report.files for symbol in file.symbols)
