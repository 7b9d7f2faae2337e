"""What a fleet serves, as Markdown."""

from typing import Any

from symindex.render import fleet_status as fleet
from symindex.render.fleet_status import render_fleet


def _repositories(count: int) -> list[dict[str, Any]]:
    return [{"name": f"acme/r{n}", "commit": "abc", "symbols": 1_000 * n} for n in range(count)]


def test_numbers_and_a_table() -> None:
    status = {"generation": 42, "age_seconds": 61.25, "repositories": _repositories(2), "more": {}}
    assert render_fleet(status).splitlines() == [
        "# Fleet",
        "generation: 42",
        "age_seconds: 61.2",
        "",
        "repositories: 2 rows",
        "",
        "| name | commit | symbols |",
        "|---|---|---|",
        "| `acme/r0` | `abc` | 0 |",
        "| `acme/r1` | `abc` | 1,000 |",
    ]


def test_a_fleet_that_tells_nothing() -> None:
    told = "# Fleet\nThis fleet tells nothing about itself.\n"
    assert render_fleet(None) == render_fleet({}) == told


def test_what_is_cut_is_said() -> None:
    within, beyond = (
        render_fleet({"repositories": _repositories(count)})
        for count in (fleet.MOST_ROWS, fleet.MOST_ROWS + 1)
    )
    assert "more" not in within and "> 1 row more" in beyond
    for length, is_whole in ((fleet._LONGEST, True), (fleet._LONGEST + 1, False)):
        assert (f"`{'x' * length}`" in render_fleet({"name": "x" * length})) == is_whole


def test_nothing_of_a_name_acts_on_a_table_or_a_terminal() -> None:
    rows = [{"name": "a|b\x1b[31m\nc", "failed": True, "why": None}]
    text = render_fleet({"repositories": rows})
    assert "| `a\\|b\\x1b[31m\\nc` | yes |  |" in text and "\x1b" not in text
