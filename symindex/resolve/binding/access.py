"""What values give access to by operators of their own: `operator->` of a smart pointer."""

from typing import Final

from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import UNKNOWN, Denoted, Kind, Place
from symindex.resolve.reading.expressions import Step
from symindex.resolve.tree import Row

MOST_ACCESSES: Final = 4
"""Most values that are reached one through the other by one sign."""


def accessed(core: Core, place: Place, value: Denoted, step: Step, depth: int) -> Denoted:
    """Returns the value that has the member which a step names: one that another gives access to by
    the sign before the name, or that one itself."""
    rules = core.files.rules_of(place.file)
    if rules is None or not rules.arrow or not step.sign.endswith(rules.arrow):
        return value
    found = value
    for _ in range(MOST_ACCESSES):
        inner = reached(core, place, found, rules.arrow, depth)
        if inner is None:
            break
        found = inner
        if found.kind is not Kind.VALUE:
            return UNKNOWN
    if found is not value and not core.member(found, step.name, depth).rows:
        return value if core.member(value, step.name, depth).rows else found
    return found


def reached(core: Core, place: Place, value: Denoted, sign: str, depth: int) -> Denoted | None:
    """Returns what a value gives access to by a sign; `None` if it does not: a pointer leads to
    what it points to."""
    rules = core.files.rules_of(place.file)
    is_plain = value.kind is Kind.VALUE and not (value.is_wrapped or value.is_pointed)
    if rules is None or not is_plain:
        return None
    name = next((one for one in rules.accessors if sign in one), "")
    if not name or not any(_has(core, row, name) for row in value.rows):
        return None
    return core.stepped(place, value, Step(name, is_called=True), depth)


def _has(core: Core, type_row: Row, name: str) -> bool:
    return any(core.own_members(row, name) for row in core.lineages.of(type_row)[0])
