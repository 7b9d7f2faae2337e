"""Limits of the dialects' arguments and answers, and the errors past a limit."""

from pathlib import Path

import pytest

from symindex.dialects import context_mode, sibyl
from symindex.dialects.sibyl import result
from symindex.dialects.throttle import Throttle
from symindex.dialects.values import read_object, read_text, read_texts
from symindex.protocol.recall import TextHit
from tests.support.limits import Limit, cases, check_limit


def text(n: int, folder: Path) -> object:
    return len(read_text("search: query", "x" * n))


def trace(n: int, folder: Path) -> object:
    return len(read_text("symbol: symbol", "\n" * n))


def parts(n: int, folder: Path) -> object:
    return len(read_texts("search: types", ["x"] * n))


def fields(n: int, folder: Path) -> object:
    return len(read_object("search: filters", {str(number): 1 for number in range(n)}))


def argument(dialect: str, name: str, value: object) -> object:
    tools = {"context-mode": context_mode.DIALECT, "sibyl": sibyl.DIALECT}[dialect].tools
    parameter = next(parameter for parameter in tools[0].parameters if parameter.name == name)
    return parameter.read(tools[0].name, value)


def content(n: int, folder: Path) -> object:
    hit = TextHit(
        id="a",
        type="note",
        title="t",
        source="s",
        line=1,
        content="x" * n,
        score=0.0,
        content_type="prose",
        added="",
        result_origin="note",
    )
    shown = result(hit)
    return len(shown["content"]), shown["metadata"].get("truncated")


def clients(n: int, folder: Path) -> object:
    """Returns the first client's next turn after the calls of `n` clients."""
    throttle = Throttle({})
    for number in range(n):
        throttle.take(f"client {number}", always=True)
    turn = throttle.take("client 0", always=True)
    assert turn is not None
    return turn.number


LIMITS: list[Limit] = [
    Limit("dialects.values.LONGEST", 8, text, 8, 'search: query has 9 characters: at most 8 are allowed'),
    Limit("dialects.values.LONGEST_TRACE", 8, trace, 8, 'symbol: symbol has 9 characters: at most 8 are allowed'),
    Limit("dialects.values.MOST_PARTS", 3, parts, 3, 'search: types has 4 parts: at most 3 are allowed'),
    Limit("dialects.values.MOST_PARTS", 3, fields, 3, 'search: filters has 4 parts: at most 3 are allowed'),
    Limit("dialects.context_mode.MOST_QUERIES", None, lambda n, _: len(argument("context-mode", "queries", ["x"] * n)), 20, 'ctx_search: queries has 21 parts: at most 20 are allowed'),  # type: ignore[arg-type]
    Limit("dialects.context_mode.MOST_LIMIT", None, lambda n, _: argument("context-mode", "limit", n), 50, 'ctx_search: limit is 51: expected 1 to 50'),
    Limit("dialects.sibyl.MOST_LIMIT", None, lambda n, _: argument("sibyl", "limit", n), 50, 'search: limit is 51: expected 1 to 50'),
    Limit("dialects.sibyl.LONGEST_CONTENT", None, content, (20_000, None), (20_000, True)),
    Limit("dialects.throttle.MOST_CLIENTS", 2, clients, 2, 1),
]  # fmt: skip


@cases(LIMITS)
def test_limits_of_dialects(case: Limit, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check_limit(case, monkeypatch, tmp_path)
