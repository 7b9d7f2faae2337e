"""Writes the status of a fleet, and what a run has done, as plain tables, which agents read too."""

from collections.abc import Sequence
from typing import Final

from symindex.protocol.fleet import FleetStatus, RepositoryStatus, StepReport
from symindex.render.report import columns_of
from symindex.text.counts import count_of
from symindex.text.escaping import shorten, show_controls

_MINUTE: Final = 60
_HOUR: Final = 3_600
_DAY: Final = 86_400

_SHOWN_COMMIT: Final = 10

_LONGEST: Final = 80
"""Longest name of a repository or a branch, in characters."""


def render_status(
    status: FleetStatus, rows: Sequence[RepositoryStatus], most_rows: int | None = None
) -> str:
    """Writes the status of a fleet, with these rows. most_rows: how many of them are shown."""
    states = ", ".join(
        f"{count:,} {show_controls(state)}" for state, count in status.states.items() if count
    )
    lines = [
        f"store         {show_controls(status.store)}",
        f"generation    {status.generation:,}" if status.generation else "generation    none yet",
        f"repositories  {states or 'none'}",
        (
            f"symbols       {status.symbols:,} in {count_of(status.files, 'file')},"
            f" {count_of(status.source_bytes, 'byte')}"
        ),
        (
            f"shards        {status.shards:,}, and"
            f" {count_of(status.loose, 'repository', 'repositories')} beside them"
        ),
    ]
    lines += [f"note          {show_controls(notice)}" for notice in status.notices]
    if rows:
        lines += ["", *_table(rows[:most_rows])]
    if most_rows is not None and len(rows) > most_rows:
        more = count_of(len(rows) - most_rows, "more repository", "more repositories")
        lines += ["", f"{more} not shown"]
    return "\n".join(lines) + "\n"


def _table(rows: Sequence[RepositoryStatus]) -> list[str]:
    return columns_of(
        ("repository", "state", "branch", "commit", "files", "symbols", "age", "why"),
        *(
            (
                _name(row.name),
                show_controls(row.state),
                _name(row.branch),
                show_controls(row.commit[:_SHOWN_COMMIT]),
                f"{row.files:,}",
                f"{row.symbols:,}",
                _age(row.age_seconds),
                _why(row),
            )
            for row in rows
        ),
    )


def _name(text: str) -> str:
    return shorten(show_controls(text), _LONGEST)


def _why(row: RepositoryStatus) -> str:
    failure = row.failure
    if failure is None and row.state == "missing":
        return "not indexed yet"
    if failure is None:
        newest = show_controls(row.newest[:_SHOWN_COMMIT])
        return f"the source is at {newest}" if row.state == "behind" else ""
    step, why = show_controls(failure.step), show_controls(failure.why)
    return f"{step}: {why}, since {_time(failure.since)}"


def _time(seconds: int) -> str:
    from datetime import datetime  # deferred, because most rows have no failure

    try:
        return datetime.fromtimestamp(seconds).astimezone().isoformat(" ", "minutes")
    except (OSError, OverflowError, ValueError):  # a store may say anything
        return "an unknown time"


def _age(seconds: int | None) -> str:
    if seconds is None:
        return ""
    for size, unit in (_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min"):
        if seconds >= size:
            return f"{seconds // size:,} {unit}"
    return f"{seconds} s"


def render_steps(reports: Sequence[StepReport], store: str) -> str:
    """Writes what a run has done."""
    lines = []
    for report in reports:
        failed = f", {len(report.failed):,} failed" if report.failed else ""
        seconds = f" in {report.seconds:.1f} s" if report.seconds else ""
        lines.append(
            f"{report.step:<11} {report.done:,} done, {report.unchanged:,} unchanged"
            f"{failed}{seconds}"
        )
    if reports:
        lines.append(f"generation  {reports[-1].generation:,} in {show_controls(store)}")
    for report in reports:
        for name, why in sorted(report.failed.items()):
            lines.append(f"failed      {show_controls(name)} ({report.step}): {show_controls(why)}")
        lines += [f"removed     {show_controls(name)}" for name in report.removed]
        lines += [f"note        {show_controls(notice)}" for notice in report.notices]
    return "\n".join(lines) + "\n"
