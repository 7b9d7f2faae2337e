"""Wrong references that users reported to the trackers of other tools.

`public_reports.txt` contains one case a report, written anew after its description. A comment in a
line says what the answer has to say of it: `@own` is a use of the symbol, and certain; `@may` is
listed; `@not` is not certain.
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.files import Maker

REPORTS = Path(__file__).with_name("public_reports.txt")


class Report(NamedTuple):
    """A case: the report, the symbol whose references are asked for, and the files."""

    name: str
    symbol: str
    files: dict[str, str]


def _reports() -> list[Report]:
    reports = []
    for text in re.split(r"^## ", REPORTS.read_text(), flags=re.MULTILINE)[1:]:
        head, _, body = text.partition("\n")
        name, _, symbol = head.rpartition(": ")
        pieces = re.split(r"^=== (.+)\n", body, flags=re.MULTILINE)
        reports.append(Report(name, symbol, dict(zip(pieces[1::2], pieces[2::2], strict=True))))
    return reports


@pytest.mark.parametrize("report", _reports(), ids=lambda report: report.name)
def test_a_reported_case(report: Report, make_workspace: Maker) -> None:
    workspace = make_workspace(dict(report.files))
    listed = {
        (file.file_path, item.line): not item.is_unsure
        for file in workspace.references(report.symbol, all=True).files
        for item in file.items
    }
    faults, n_marks = [], 0
    for path, text in report.files.items():
        for line, code in enumerate(text.splitlines(), 1):
            for mark in re.findall(r"@(own|may|not)\b", code):
                n_marks += 1
                is_certain = listed.get((path, line))
                is_right = {
                    "own": is_certain is True,
                    "may": is_certain is not None,
                    "not": is_certain is not True,
                }
                if not is_right[mark]:
                    faults.append((path, line, mark, is_certain))
    assert n_marks
    assert faults == []
