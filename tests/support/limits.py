"""Limits as tables: what an answer is at a limit, and one past it.

A case names a constant, lowers it, and gives the same request `limit` units, then one more. Each
`test_limits.py` has a table `LIMITS` of such cases; `tests/test_every_limit.py` compares all tables
with the constants of the package.
"""

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

import pytest

from symindex.errors import SymindexError

PACKAGE: Final = Path(__file__).parents[2] / "symindex"


SAME: Final = object()
"""The answer past a limit that divides or saves work, and changes no answer."""


class Limit(NamedTuple):
    """A limit of the package, and how it acts.

    constant: `module.NAME`, without `symindex.`. lowered: the value that the test gives it; `None`
    keeps its own. answer: gets a number of units and an empty folder; returns what a user or a
    caller gets. An error of the package counts as its words. within, beyond: the answers at the
    limit and one past it, with `TMP` for the folder. unit: what one past it is. is_slow: whether
    the case takes more than 0.7 s of the processor.
    """

    constant: str
    lowered: float | None
    answer: Callable[[int, Path], object]
    within: object
    beyond: object
    unit: int = 1
    is_slow: bool = False

    @property
    def module(self) -> str:
        return "symindex." + self.constant.rpartition(".")[0]

    @property
    def name(self) -> str:
        return self.constant.rpartition(".")[2]


def cases(*tables: list[Limit]) -> pytest.MarkDecorator:
    """Makes one test of each case."""
    every = [case for table in tables for case in table]
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(case, id=case.constant, marks=[pytest.mark.slow] * case.is_slow)
            for case in every
        ],
    )


def check_limit(case: Limit, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Checks the answers at a limit and one past it."""
    most = int(set_limit(monkeypatch, case.module, case.name, case.lowered))
    outcomes = []
    for n in (most, most + case.unit):
        place = folder / str(n)
        place.mkdir()
        outcomes.append(outcome(case.answer, n, place))
    beyond = case.within if case.beyond is SAME else case.beyond
    assert outcomes == [case.within, beyond], f"{case.constant} = {most}: {outcomes}"
    assert case.beyond != case.within, f"{case.constant} changes nothing: it is a case of SAME"


def outcome(answer: Callable[[int, Path], object], n: int, folder: Path) -> object:
    """Returns an answer, or the words of its error."""
    try:
        result = answer(n, folder)
    except SymindexError as error:
        result = str(error)
    return result.replace(str(folder), "TMP") if isinstance(result, str) else result


def set_limit(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str, value: float | None
) -> float:
    """Sets a constant where it is defined and where it is imported; returns its value."""
    home = importlib.import_module(module)
    own: float = getattr(home, name)
    if value is None:
        return own
    for namespace in (home, *_importers(module, name)):
        monkeypatch.setattr(namespace, name, value)
    return value


@cache
def _importers(module: str, name: str) -> list[ModuleType]:
    """Returns the modules that import a constant by its name."""
    imported = re.compile(
        rf"^ *from {re.escape(module)} import (\([^)]*\b|[^(\n]*\b){name}\b", re.M
    )
    return [
        importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        for path, text in _texts().items()
        if name in text and imported.search(text)
    ]


@cache
def _texts() -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(PACKAGE.rglob("*.py"))}


_DEFINED: Final = re.compile(r"^(_?[A-Z][A-Z0-9_]*)(?:: [\w\[\], .]+)? = \(?\d", re.M)
_LIMIT: Final = re.compile(
    r"(?:^|_)(?:MOST|LONGEST|MAX|LARGEST|LIMIT|FEW|SHORTEST|DEEPEST|SECONDS|BYTES)(?:_|$)"
)
"""Matches the names of limits."""


def constants() -> list[str]:
    """Returns the names of all constants of the package that limit something."""
    return [
        f"{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}.{name}"
        for path, text in _texts().items()
        for name in _DEFINED.findall(text)
        if _LIMIT.search(name)
    ]
