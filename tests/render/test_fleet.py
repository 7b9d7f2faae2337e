"""The status of a fleet, and what a run has done, as tables for a terminal."""

from datetime import datetime

import pytest

from symindex.protocol.fleet import Failure, FleetStatus, RepositoryStatus, StepReport
from symindex.render import fleet
from symindex.render.fleet import render_status, render_steps

SINCE = int(datetime(2026, 1, 2, 3, 4).timestamp())


def _status(*rows: RepositoryStatus, generation: int = 42) -> FleetStatus:
    states = dict.fromkeys(("current", "behind", "failed", "missing"), 0)
    for row in rows:
        states[row.state] += 1
    return FleetStatus(
        store="s3://bucket/fleet",
        generation=generation,
        made=0,
        version="1",
        symbols=1_234_567,
        files=1,
        source_bytes=2_000,
        shards=3,
        loose=12,
        states=states,
        repositories=[*rows],
    )


def test_a_status() -> None:
    rows = [
        RepositoryStatus(
            name="acme/one",
            state="current",
            branch="main",
            commit="0123456789abcdef",
            files=1_000,
            symbols=20_000,
            age_seconds=59,
        ),
        RepositoryStatus(
            name="acme/two", state="behind", commit="a" * 40, newest="b" * 40, age_seconds=60
        ),
        RepositoryStatus(
            name="acme/three",
            state="missing",
            failure=Failure(step="sync", why="asks for a password", since=SINCE),
        ),
    ]
    text = render_status(_status(*rows), rows)
    assert text.splitlines()[:6] == [
        "store         s3://bucket/fleet",
        "generation    42",
        "repositories  1 current, 1 behind, 1 missing",
        "symbols       1,234,567 in 1 file, 2,000 bytes",
        "shards        3, and 12 repositories beside them",
        "",
    ]
    table = [line.split() for line in text.splitlines()[6:]]
    assert table[0] == ["repository", "state", "branch", "commit", "files", "symbols", "age", "why"]
    assert table[1] == ["acme/one", "current", "main", "0123456789", "1,000", "20,000", "59", "s"]
    assert " ".join(table[2][3:]) == f"0 0 1 min the source is at {'b' * 10}"
    assert " ".join(table[3]).startswith(
        "acme/three missing 0 0 sync: asks for a password, since 2026-01-02 03:04"
    )


def test_what_is_cut_is_said() -> None:
    rows = [RepositoryStatus(name=f"acme/r{number}", state="current") for number in range(4)]
    status = _status(*rows)
    assert render_status(status, rows) == render_status(status, rows, 4)
    text = render_status(status, rows, 3)
    assert "acme/r2" in text and "acme/r3" not in text
    assert text.endswith("\n\n1 more repository not shown\n")
    longest = "y" * fleet._LONGEST
    row = RepositoryStatus(name=f"{longest}y", state="current", branch=longest)
    assert render_status(_status(row), [row]).split().count(longest) == 1


def test_a_store_without_a_fleet() -> None:
    text = render_status(_status(generation=0), [])
    assert "generation    none yet\nrepositories  none\n" in text
    assert text.endswith("beside them\n")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, ""),
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (86_399, "23 h"),
        (86_400, "1 d"),
        (86_400_000, "1,000 d"),
    ],
)
def test_ages(seconds: int | None, shown: str) -> None:
    row = RepositoryStatus(name="acme/one", state="current", age_seconds=seconds)
    line = render_status(_status(row), [row]).splitlines()[-1]
    assert " ".join(line.split()) == f"acme/one current 0 0 {shown}".strip()


def test_what_runs_have_done() -> None:
    reports = [
        StepReport(step="sync", done=2, unchanged=1_000, failed={"b": "no", "a": "asks\nme"}),
        StepReport(step="index", done=1, seconds=1.25, generation=7, notices=["x: odd\x1b[31m"]),
    ]
    assert render_steps(reports, "store").splitlines() == [
        "sync        2 done, 1,000 unchanged, 2 failed",
        "index       1 done, 0 unchanged in 1.2 s",
        "generation  7 in store",
        "failed      a (sync): asks\\nme",
        "failed      b (sync): no",
        "note        x: odd\\x1b[31m",
    ]
    assert render_steps([], "store") == "\n"


def test_nothing_of_a_stranger_acts_on_a_terminal() -> None:
    odd = "\x1b[31m\n\u202e"
    row = RepositoryStatus(
        name=odd,
        state="failed",
        branch=odd,
        commit=odd,
        newest=odd,
        failure=Failure(step=odd, why=odd, since=2**62),
    )
    behind = RepositoryStatus(name="x", state="behind", commit="a", newest=odd)
    text = render_status(_status(row, behind), [row, behind])
    report = StepReport(step="sync", failed={odd: odd}, notices=[odd])
    text += render_steps([report], odd)
    assert "\x1b" not in text and "\u202e" not in text
    assert len(text.splitlines()) == 6 + 3 + 4
