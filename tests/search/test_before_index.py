"""What an answer without an index says of the files that it is based on."""

from typing import Any

import pytest

from symindex.extract.records import FileSymbols
from symindex.search.unindexed.before_index import describe_scan
from symindex.search.unindexed.work_queue import ScanReport

FILE = FileSymbols("a.py", 1, 1)
WALKED = {"walked": True, "total_files": 2_000}
REPORTS: list[tuple[dict[str, Any], str]] = [
    ({**WALKED, "complete": True, "candidates": 1_001}, "all 1,001 of 2,000 files that contain `q` were searched"),
    ({**WALKED, "complete": True, "candidates": 1}, "the one of 2,000 files that contains `q` was searched"),
    ({**WALKED, "complete": True}, "none of 2,000 files contains `q`"),
    ({**WALKED, "total_files": 1, "complete": True}, "none of 1 file contains `q`"),
    ({"total_files": 2_000, "complete": True}, "none of the 2,000 files found so far contains `q`"),
    (
        {**WALKED, "scanned_files": 2_000, "candidates": 3, "files": [FILE]},
        "3 of 2,000 files contain `q`, and the 1 most likely of them were searched",
    ),
    (
        {**WALKED, "scanned_files": 1_998, "unreadable": ["a", "b"], "candidates": 3, "files": [FILE] * 1_500},
        "3 of 2,000 files contain `q`, and the 1,500 most likely of them were searched; "
        "2 could not be read, as a",
    ),
    (
        {**WALKED, "scanned_files": 1_999, "candidates": 3},
        "1,999 of 2,000 files were read, 3 contain `q`, and the 0 most likely of them were searched",
    ),
    (
        {"total_files": 9, "scanned_files": 9, "candidates": 1_003, "given_up": ["c"]},
        "9 of the 9 files found so far were read, 1,003 contain `q`, and the 0 most likely of them were "
        "searched; 1 were given up, as c",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "summary"), REPORTS)
def test_what_a_scan_says(fields: dict[str, Any], summary: str) -> None:
    assert describe_scan(ScanReport(**fields), "q") == (
        f"the index is still being built: {summary}; misspelt and abbreviated names are found once it"
        " is complete"
    )
