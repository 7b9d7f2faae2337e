"""Writes the packages of a project as a plain table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from symindex.render.report import columns_of
from symindex.text.counts import count_of
from symindex.text.escaping import show_controls

if TYPE_CHECKING:
    from symindex.protocol.status import DepsReport


def render_deps(report: "DepsReport", messages: Sequence[str] = ()) -> str:
    """Writes each package with its state, and the files that were left out of all packages.
    messages: lines on what a command has done, which come first."""
    lines = [
        *messages,
        f"root       {show_controls(report.root)}",
        f"indexes    {show_controls(report.place)}",
    ]
    states = (
        ", ".join(f"{count:,} {state}" for state, count in report.states.items()) or "none found"
    )
    lines += [
        f"packages   {states}",
        (
            f"symbols    {report.symbols:,} in {count_of(report.files, 'file')},"
            f" {count_of(report.bytes, 'byte')}"
        ),
        "",
    ]
    if report.packages:
        lines += columns_of(
            ("package", "state", "files", "symbols", "bytes", "direct", "why"),
            *(
                (
                    show_controls(f"{row.ecosystem}:{row.name}@{row.version}"),
                    row.state,
                    f"{row.files:,}",
                    f"{row.symbols:,}",
                    f"{row.bytes:,}",
                    "yes" if row.is_direct else "",
                    show_controls(row.why),
                )
                for row in report.packages
            ),
        )
    left_out: dict[str, int] = {}
    for row in report.packages:
        for reason, count in row.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + count
    if left_out:
        lines += ["", "left out"]
        lines += [
            f"  {count:>8,}  {reason}"
            for reason, count in sorted(left_out.items(), key=lambda pair: (-pair[1], pair[0]))
        ]
    lines += [f"note: {show_controls(notice)}" for notice in report.notices]
    return "\n".join(lines) + "\n"
