"""Measured figures with their ratios and targets, as a table and as a line of results."""

import math
import operator
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

_SIGNS: Final = {"<": operator.lt, "<=": operator.le, ">=": operator.ge, "=": operator.eq}


class Target(msgspec.Struct, frozen=True):
    """The goal for a figure. of: its value or its ratio."""

    of: Literal["value", "ratio"]
    sign: Literal["<", "<=", ">=", "="]
    limit: float

    def __str__(self) -> str:
        return f"{'' if self.of == 'value' else 'ratio '}{self.sign} {self.limit:g}"


class Figure(msgspec.Struct, frozen=True):
    """One figure. ratio: the value divided by that of `against` in the same run (for a speed, ours
    divided by theirs); `None` if there is nothing to compare with."""

    part: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    against: str = ""
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; `None` without a target, or without the number that it
        needs."""
        if self.target is None:
            return None
        number = self.value if self.target.of == "value" else self.ratio
        return None if number is None else bool(_SIGNS[self.target.sign](number, self.target.limit))


def value_target(sign: Literal["<", "<=", ">=", "="], limit: float) -> Target:
    """Returns a target for a figure's value."""
    return Target("value", sign, limit)


def ratio_target(sign: Literal["<", "<=", ">=", "="], limit: float) -> Target:
    """Returns a target for a figure's ratio."""
    return Target("ratio", sign, limit)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least `share` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


_MET: Final = {True: "yes", False: "NO", None: ""}


def render_figures(figures: Sequence[Figure]) -> str:
    """Returns the figures as a Markdown table with aligned columns."""
    head = ("part", "figure", "value", "unit", "ratio", "against", "target", "met")
    rows = [
        (
            figure.part,
            figure.name,
            _number(figure.value),
            figure.unit,
            "" if figure.ratio is None else _number(figure.ratio),
            figure.against,
            str(figure.target or ""),
            _MET[figure.met],
        )
        for figure in figures
    ]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    right = {2, 4}
    rule = tuple(
        "-" * (width - 1) + ":" if i in right else "-" * width for i, width in enumerate(widths)
    )
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(pairs)
        )
        + " |"
        for pairs in (zip(row, widths, strict=True) for row in [head, rule, *rows])
    ]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    """Formats a number with three significant digits, and all digits before the point."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{2 - math.floor(math.log10(abs(value)))}f}"


def results_line(figures: Sequence[Figure], **about: Any) -> bytes:
    """Returns one line of JSON: what the run was about, then its figures, without empty fields."""
    rows = []
    for figure in figures:
        row = {
            name: getattr(figure, name)
            for name in ("part", "name", "value", "unit", "ratio", "against")
        }
        row |= {"target": str(figure.target or ""), "met": figure.met}
        rows.append({key: _rounded(value) for key, value in row.items() if value not in ("", None)})
    return msgspec.json.encode({**about, "figures": rows}) + b"\n"


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value
