"""Calls of other systems' tools with bad arguments of every kind, for the campaign of questions."""

import random
from collections.abc import Sequence
from typing import Any, Final

from symindex.dialects.dialect import OWN, Dialect, Parameter
from symindex.dialects.table import NAMES, dialect

_WRONG: Final[tuple[Any, ...]] = (
    None, "", [], {}, False, True, 0, -1, 1.5, 10**25, float("1e308"), "null", [None], [[]], [{}], {"": ""}, {"enabled": 1},
    {"enabled": True, "max_distance": 10**9}, {"name": ["a", {}]}, {"date_from": "x"}, ["a"] * 200, "x" * 5_000, "\udcff", "\x00",
)  # fmt: skip

_SCOPES: Final = (
    "tool", "directive", "knowledge", "tool.*", "tool.rye.core.*", "rye.search.tool.*", "symbol", "class.*", "all", "nothing",
    "*", "tool..*", "tool." + "a." * 400, "rye.fetch.", ".", "skill",
)  # fmt: skip

_QUERIES: Final = (
    "*", "file system", "a AND", "NOT x", '"one phrase"', "(a OR b) AND c", "title:x", "((((", "a*b*c*", "*" * 50, "x " * 300,
)  # fmt: skip


def call(chance: random.Random, odd: str, names: Sequence[str]) -> tuple[str, str, dict[str, Any]]:
    """Returns a dialect, one of its tools, and arguments: mostly of the right types, some hostile,
    some unknown."""
    name = chance.choice([dialect_name for dialect_name in NAMES if dialect_name != OWN])
    asked: Dialect = dialect(name)
    tool = chance.choice(asked.tools)
    arguments = {
        parameter.name: _value(parameter, chance, odd, names)
        for parameter in tool.parameters
        if parameter.is_required or chance.random() < 0.3
    }
    if chance.random() < 0.05:
        arguments[odd] = odd
    return name, tool.name, arguments


def _value(parameter: Parameter, chance: random.Random, odd: str, names: Sequence[str]) -> Any:
    if chance.random() < 0.15:
        return chance.choice(_WRONG)
    if parameter.choices:
        return (
            chance.choice((*parameter.choices, odd))
            if parameter.kind != "array"
            else [chance.choice(parameter.choices)]
        )
    text = chance.choice(
        (odd, chance.choice(names), *(_SCOPES if parameter.name == "scope" else _QUERIES))
    )
    return {
        "string": text,
        "array": [text, odd],
        "integer": chance.choice((0, 1, 10, 50, 51, 10**6)),
        "boolean": chance.random() < 0.5,
        "object": chance.choice(
            (
                {},
                {"enabled": True},
                {"enabled": True, "max_distance": 4},
                {"name": text},
                {odd: text},
            )
        ),
    }.get(parameter.kind, chance.choice((True, False, {"enabled": True, "max_distance": 2})))
