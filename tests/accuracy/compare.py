"""Compares a judge's symbols with those of symindex. A symbol is a name on a line."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from symindex.extract.symbols import extract_symbols
from symindex.protocol.kinds import SymbolFlag
from tests.accuracy.table import Difference, Judge

OPEN = "open"


class Row(NamedTuple):
    """One symbol of one side. container, kind: None if the judge does not give it."""

    line: int
    name: str
    container: str | None
    kind: str | None
    local: bool = False


class Found(NamedTuple):
    """One difference. side: missed, extra, kind or container. verdict: theirs, ours, decision or
    open."""

    side: str
    verdict: str
    why: str
    place: str
    what: str
    kind: str


@dataclass
class Result:
    """The result for one language."""

    files: int = 0
    unread: int = 0
    both: int = 0
    kinds: int = 0
    containers: int = 0
    differences: list[Found] = field(default_factory=list)

    def share(self, side: str, right: int, raw: bool = False) -> float:
        """Returns the share of symbols that are right among those that are right or differ on a
        side. Unless `raw`, only our faults count."""
        wrong = sum(
            1
            for difference in self.differences
            if difference.side == side and (raw or difference.verdict in ("ours", OPEN))
        )
        return right / max(right + wrong, 1)

    def classes(self) -> Counter[tuple[str, str, str]]:
        """Returns the number of differences of each (side, verdict, why)."""
        return Counter(
            (difference.side, difference.verdict, difference.why or difference.kind)
            for difference in self.differences
        )


def our_rows(language: object, data: bytes) -> list[Row]:
    symbols = extract_symbols(language, data)[0]  # type: ignore[arg-type]
    local = SymbolFlag.LOCAL
    return [
        Row(s.name_row + 1, s.name, s.container or "", str(s.kind), bool(s.flags & local))
        for s in symbols
    ]


def compare_file(
    result: Result,
    judge: Judge,
    rules: Sequence[Difference],
    path: Path,
    theirs: list[Row],
    ours: list[Row],
    dark: Sequence[range] = (),
) -> None:
    """Adds the agreements and differences of one file. dark: lines that the judge has not seen."""
    lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    there, here = _by_place(theirs), _by_place(ours)
    result.files += 1

    def differ(side: str, row: Row, kind: str) -> None:
        text, before = (
            lines[number] if 0 <= number < len(lines) else ""
            for number in (row.line - 1, row.line - 2)
        )
        rule = next(
            (rule for rule in rules if rule.fits(side, kind, row.name, text, str(path), before)),
            None,
        )
        verdict, why = (rule.verdict, rule.why) if rule else (OPEN, "")
        result.differences.append(Found(side, verdict, why, f"{path}:{row.line}", row.name, kind))

    for place, rows in there.items():
        if place not in here:
            differ("missed", rows[0], rows[0].kind or "")
            continue
        result.both += 1
        for side, kind in _disagreements(result, judge, rows, here[place]):
            differ(side, rows[0], kind)
    for place, rows in here.items():
        kept = [row for row in rows if _counts(judge, row)]
        if kept and not any(place[0] in part for part in dark) and place not in there:
            differ("extra", kept[0], kept[0].kind or "")


def _counts(judge: Judge, row: Row) -> bool:
    """Whether the judge would list a symbol of ours."""
    return (judge.locals or not row.local) and (not judge.lists or row.kind in judge.lists.split())


def _by_place(rows: Sequence[Row]) -> dict[tuple[int, str], list[Row]]:
    groups: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.line, row.name].append(row)
    return groups


def _disagreements(
    result: Result, judge: Judge, theirs: list[Row], ours: list[Row]
) -> Iterator[tuple[str, str]]:
    wanted = [kind for row in theirs for kind in judge.ours(row.kind or "")]
    if wanted:
        if any(row.kind in wanted for row in ours):
            result.kinds += 1
        else:
            yield "kind", f"{theirs[0].kind}>{ours[0].kind}"
    containers = [row.container for row in theirs if row.container is not None]
    if containers and judge.containers:
        if any(row.container in containers for row in ours):
            result.containers += 1
        else:
            yield "container", f"{containers[0]}>{ours[0].container}"
