"""Writes what a fleet serves as Markdown: its numbers, and its repositories as a table."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from symindex.render.markdown import code_span
from symindex.text.counts import count_of
from symindex.text.escaping import shorten, show_controls

MOST_ROWS: Final = 50
"""Most repositories that are listed."""

_LONGEST: Final = 80
"""Longest value of a cell, in characters."""


def render_fleet(status: Mapping[str, Any] | None) -> str:
    """Writes the status of a fleet. status: as builtins; `None` if it tells none. Lists of objects
    become tables."""
    if not status:
        return "# Fleet\nThis fleet tells nothing about itself.\n"
    lines = ["# Fleet"]
    tables: list[str] = []
    for name, value in status.items():
        is_list = isinstance(value, list)
        if is_list and value and isinstance(value[0], dict):
            tables += ["", *_table(name, value)]
        elif is_list:
            lines += [f"{name}: {_cell(one)}" for one in value[:MOST_ROWS]]
        elif not isinstance(value, dict):
            lines.append(f"{name}: {_cell(value)}")
    return "\n".join([*lines, *tables, ""])


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    columns = [key for key, value in rows[0].items() if not isinstance(value, list | dict)]
    lines = [
        f"{name}: {count_of(len(rows), 'row')}",
        "",
        "| " + " | ".join(columns) + " |",
        "|" + "---|" * len(columns),
    ]
    for row in rows[:MOST_ROWS]:
        lines.append("| " + " | ".join(_cell(row.get(column)) for column in columns) + " |")
    if len(rows) > MOST_ROWS:
        lines.append(f"\n> {count_of(len(rows) - MOST_ROWS, 'row')} more")
    return lines


def _cell(value: object) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return code_span(shorten(show_controls(str(value)), _LONGEST).replace("|", "\\|"))
