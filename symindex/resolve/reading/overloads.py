"""Which of several functions of one name a call can mean, by the number of its arguments."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from symindex.resolve.reading.expressions import end_of_group, split
from symindex.resolve.tree import Row

UNCLEAR: Final = -1
"""A number of arguments that a line does not tell."""

_MANY: Final = 1000
_ANY_NUMBER: Final = re.compile(r"\.\.\.|\*\s|\bvararg\b|\bparams\b")
_ANY_TYPE: Final = re.compile(r"[A-Z]\d?")
"""The name of a type parameter, for which a subtype may have any type."""


class Parameters(NamedTuple):
    """How many arguments a function takes, and the last names of the types as they are written."""

    least: int
    most: int
    types: tuple[str, ...]


def n_arguments(text: str, name: str) -> int:
    """Returns how many arguments the call of a name has that a text begins with; UNCLEAR if the
    call does not end in the text."""
    head = re.match(rf"{re.escape(name)}\s?\(", text)
    end = end_of_group(text, head.end() - 1) if head is not None else -1
    if head is None or end < 0:
        return UNCLEAR
    inner = text[head.end() : end - 1].strip()
    is_last = not text[end:].lstrip().startswith("{")  # a function may follow
    is_clear = is_last and not re.search(r"[<>\"'`]", inner)
    return UNCLEAR if not is_clear else len(split(inner, ",")) if inner else 0


def parameters_of(row: Row) -> Parameters | None:
    """Returns the parameters of a function, as its signature has them; `None` if it shows none."""
    signature = row.index.signature(row.number)
    head = re.search(rf"(?<![\w$]){re.escape(row.name)}\s?\(", signature)
    end = end_of_group(signature, head.end() - 1) if head is not None else -1
    if head is None or end < 0:
        return None
    inner = signature[head.end() : end - 1].strip()
    parts = split(inner, ",") if inner else []
    has_many = bool(parts) and _ANY_NUMBER.search(parts[-1]) is not None
    n_given = sum("=" in part for part in parts)
    least = len(parts) - n_given - has_many
    return Parameters(least, _MANY if has_many else len(parts), tuple(map(_type_of, parts)))


def _type_of(parameter: str) -> str:
    """Returns the last name of the type of a parameter, before or behind its name."""
    before, sign, behind = re.sub(r"<.*>", "", parameter.partition("=")[0]).partition(":")
    words = (behind if sign else before).split()
    written = words[0] if sign and words else words[-2] if len(words) > 1 else ""
    return written.rpartition(".")[2]


def fitting_overloads(rows: Sequence[Row], n_given: int) -> tuple[Row, ...]:
    """Returns the functions that take `n_given` arguments, without those that a nearer one
    overrides. rows: functions of one name, nearest first."""
    kept: list[Row] = []
    known: list[Parameters] = []
    for row in rows:
        has = parameters_of(row)
        if has is None:
            kept.append(row)
        elif (n_given == UNCLEAR or has.least <= n_given <= has.most) and not any(
            _overrides(one, has) for one in known
        ):
            kept.append(row)
            known.append(has)
    return tuple(kept)


def _overrides(nearer: Parameters, farther: Parameters) -> bool:
    return len(nearer.types) == len(farther.types) and all(
        one == other or _ANY_TYPE.fullmatch(other) is not None
        for one, other in zip(nearer.types, farther.types, strict=True)
    )
