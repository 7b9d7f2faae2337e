"""Tests of what readers see of the figures: the README's tables, and the picture of all runs."""

import re
import sys
from pathlib import Path

import pytest

from tests.bench.cold import BARE, CTAGS_JSON, OURS
from tests.bench.figures import Figure, results_line
from tests.bench.history import LINES, PICTURE, draw, read_points
from tests.bench.places import HERE, BenchError
from tests.bench.process import Run, run_command
from tests.bench.trees import FIND, FIND_DAEMON, GREP, TreeRuns, render_tables

pytestmark = pytest.mark.nightly


def test_the_tables_of_trees_say_what_they_compare() -> None:
    seconds = {
        OURS: 3.0,
        BARE: 1.5,
        CTAGS_JSON: 0.5,
        "ctags": 0.25,
        "ast-grep": 2.0,
        FIND: 0.15,
        FIND_DAEMON: 0.02,
        GREP: 0.01,
    }
    runs = {tool: Run(wall, 2 * wall) for tool, wall in seconds.items()}
    cold, find = render_tables([TreeRuns("redis", 10_700_000, runs, 2, 11)]).split("\n\n")
    assert (
        cold.splitlines()[0]
        == "| tree | source | symindex | bare parsing | ctags JSON | ctags | ast-grep | to bare parsing |"
    )
    assert cold.splitlines()[2] == (
        "| redis | 11 MB | 6.00 (3.00) | 3.00 (1.50) | 1.00 (0.50) | 0.50 (0.25) | 4.00 (2.00) | 2.0 |"
    )
    assert find.splitlines()[2] == "| redis | 150 ms | 20 ms | 2 rows | 10 ms | 11 lines |"


def test_a_command_may_print_many_warnings() -> None:
    """ctags warns of every hard link."""
    warns = [sys.executable, "-c", "import sys; sys.stderr.write('w' * 10**6); sys.exit(3)"]
    assert run_command(warns, codes=(3,)).wall_seconds > 0
    with pytest.raises(BenchError, match="exit code 3: www"):
        run_command(warns)


def test_the_history_is_drawn_from_the_results(tmp_path: Path) -> None:
    """The stored picture shows the stored results, and contains nothing that a page would run or
    fetch."""
    points = read_points(HERE / "results.jsonl")
    svg = draw(points)
    assert svg == draw(points) == PICTURE.read_bytes()
    assert (
        b"<script" not in svg and b"<!--" not in svg and not re.search(rb'(?:href|src)="[^#]', svg)
    )
    for label, values in points:
        assert label.encode() in svg and values
    results = tmp_path / "results.jsonl"
    figures = [
        Figure("cold", "processor time", 30.0, "cpu-s", ratio, tool)
        for tool, ratio in ((BARE, 2.0), ("ctags", 9.0))
    ]
    results.write_bytes(
        results_line(figures, commit="abcdef12", date="2026-11-25T01:02Z")
        + results_line([], commit="0", date="")
    )
    assert read_points(results) == [("abcdef1 2026-11-25", {LINES[0].title: 2.0})]
