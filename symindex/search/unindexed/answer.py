"""What a scout has found to a response: the same search as in an index, over an index of the parsed candidates alone.

Totals are therefore those of the part that was searched, which a notice tells. The strong tiers alone answer: a scout does not
look for files with names that the needle misspells.
"""

from typing import Final

import msgspec

from symindex.extract.languages.registry import Languages
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.protocol import SearchRequest, SearchResponse
from symindex.search.answer import answer
from symindex.search.unindexed.work_queue import ScoutReport

WAITS: Final = "the index is still being built: this query can be answered when it is there"
"""The notice for a query that a scout cannot answer."""


def answer_early(report: ScoutReport, request: SearchRequest, languages: Languages, salt: bytes = b"") -> SearchResponse:
    """The response to a request by what a scout has found so far, with a notice on what that is.

    salt: as for `index/build.build_index`. Raises RequestError for what has no possible answer.
    """
    index = build_index(report.files, salt=salt)
    response = answer(Snapshot.of(index), msgspec.structs.replace(request, fuzzy=False), languages)
    response.request = request
    response.notices = [*(response.notices or []), describe_part(report, request.query)]
    return response


def describe_part(report: ScoutReport, query: str) -> str:
    """What the answer rests on, as a sentence."""
    of_files = f"{report.total_files:,} files" if report.walked else f"the {report.total_files:,} files found so far"
    if report.complete:
        found = f"all {report.candidates:,} of {of_files} that hold `{query}` were searched"
        if report.candidates == 1:
            found = f"the one of {of_files} that holds `{query}` was searched"
        elif not report.candidates:
            found = f"none of {of_files} holds `{query}`"
    elif report.walked and report.scanned_files + len(report.unreadable) == report.total_files:
        found = f"{report.candidates:,} of {of_files} hold `{query}`, the likeliest {report.parsed:,} of them were searched"
    else:
        found = (
            f"{report.scanned_files:,} of {of_files} were looked through, {report.candidates:,} hold `{query}`, the likeliest "
            f"{report.parsed:,} of them were searched"
        )
    for words, paths in (("could not be read", report.unreadable), ("were given up", report.given_up)):
        if paths:
            found += f"; {len(paths):,} {words}, as {paths[0]}"
    return f"the index is still being built: {found}; misspelt and abbreviated names are found when it is there"
