"""Draws the results file: cold, warm and p95, run by run, with the commit of each.

    python -m tests.bench.history

writes `history.svg` next to the results. Seconds differ between machines and hours, so the chart
shows ratios to something measured in the same run. Runs without a figure leave a gap.
"""

import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from tests.bench.places import HERE

PICTURE: Final = HERE / "history.svg"


class Line(NamedTuple):
    """A line of the chart: the ratio of a figure to another one."""

    title: str
    part: str
    name: str
    against: str


LINES: Final = (
    Line("cold index, processor time: to bare parsing", "cold", "processor time", "bare parsing"),
    Line("warm command: to importing numpy", "warm", "command, exact", "import numpy"),
    Line(
        "exact name among a million, p95: to one scan of all names",
        "search",
        "exact p95",
        "scan of all names",
    ),
)


def read_points(results: Path) -> list[tuple[str, dict[str, float]]]:
    """Returns the runs that have at least one of the figures, oldest first: commit and day, and the
    figures by the titles of their lines."""
    points = []
    for text in results.read_bytes().splitlines():
        run: Mapping[str, Any] = msgspec.json.decode(text)
        figures: Sequence[Mapping[str, Any]] = run["figures"]
        values = {
            line.title: value for line in LINES if (value := _figure(figures, line)) is not None
        }
        if values:
            points.append((f"{run['commit'][:7]} {run['date'][:10]}", values))
    return points


def _figure(figures: Sequence[Mapping[str, Any]], line: Line) -> float | None:
    for figure in figures:
        if (figure["part"], figure["name"], figure.get("against", "")) == (
            line.part,
            line.name,
            line.against,
        ):
            return round(figure["ratio"], 3)
    return None


def _load_pygal() -> Any:
    """Imports pygal, and removes the finder in the style of Python 2 that it adds for every later
    import, of which Python warns."""
    before = [*sys.meta_path]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportWarning)
        import pygal  # type: ignore[import-untyped]
        import pygal.style  # type: ignore[import-untyped]
    sys.meta_path[:] = before
    return pygal


def draw(points: Sequence[tuple[str, Mapping[str, float]]]) -> bytes:
    """Returns the chart as SVG: always the same for the same points, without scripts or external
    content."""
    pygal = _load_pygal()
    chart = pygal.Line(
        style=pygal.style.CleanStyle(font_family="sans-serif"), js=(), legend_at_bottom=True, x_label_rotation=30,
        range=(0, None), title="Less is better", width=900, height=420, disable_xml_declaration=True,
        no_prefix=True, explicit_size=True,
    )  # fmt: skip
    chart.uuid = "history"
    chart.x_labels = [label for label, _ in points]
    for line in LINES:
        chart.add(line.title, [values.get(line.title) for _, values in points])
    svg: str = chart.render()
    # Comments contain the date of the drawing.
    return re.sub(r"<script.*?</script>|<!--.*?-->", "", svg, flags=re.DOTALL).encode() + b"\n"


def main() -> int:
    PICTURE.write_bytes(draw(read_points(HERE / "results.jsonl")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
