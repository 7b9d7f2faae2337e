"""What components are given: `<Panel title="a" />` gives `Panel` a value for a member of the type
of its first parameter."""

import re
from typing import Final

from symindex.extract.languages.schema import BindingRules
from symindex.resolve.binding.core import Core
from symindex.resolve.denoted import FOREIGN, UNKNOWN, Denoted, Kind, Place, is_type, united
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.reading.expressions import names_of, parameter_type, split
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row
from symindex.text.receivers import first_name

_TYPE: Final = re.compile(r"\s*(?P<name>[\w$.]{1,200})\s*<(?P<arguments>.*)>\s*", re.DOTALL)


def given_to(core: Core, place: Place, text: str, depth: int = MOST_DEPTH) -> Denoted:
    """Returns what a component is given. text: the component, or its type: `FC<Props>`. FOREIGN if
    the tree does not define the component."""
    rules = core.files.rules_of(place.file)
    if rules is not None and (written := _argument(text, rules)):
        return core.of_type(place.file, place.container, written, depth - 1)
    component = core.exports.given(core.denoted(place, text, depth), depth - 1)
    if component.kind is Kind.FOREIGN:
        return UNKNOWN if _is_of_tree(core, place, text) else FOREIGN
    if component.kind is not Kind.SYMBOL or not component.rows:
        return UNKNOWN
    return united([_given_to(core, row, depth - 1) for row in component.rows])


def _is_of_tree(core: Core, place: Place, text: str) -> bool:
    """Whether the tree has a component, though a library makes it: `observer(Panel)`."""
    first = first_name(text)
    named = [*(one for one in place.imports if one.local == first)]
    named += place.file.imports.get(first, [])
    is_imported = any(
        core.exports.module(place.file, one.module).kind is Kind.MODULE for one in named
    )
    return is_imported or first in place.file.by_name


def _given_to(core: Core, row: Row, depth: int) -> Denoted:
    file = core.files.of(row)
    rules = core.files.rules_of(file)
    if rules is None:
        return UNKNOWN
    if is_type(row):
        types = [
            (core.files.of(one), one, written)
            for one in core.lineages.of(row)[0]
            for base in core.files.of(one).bases.get(core.files.of(one).numbers[one], ())
            if (written := _argument(base, rules))
        ]
        return _first(core, types, depth)
    written = parameter_type(row.index.signature(row.number), row.name, 0)
    declared = [_argument(fact.type, rules) for fact in file.facts_of(row) if fact.type]
    types = [(file, row, one) for one in (written, *declared) if one]
    return _first(core, types, depth)


def _first(core: Core, types: list[tuple[FileFacts, Row, str]], depth: int) -> Denoted:
    for file, row, written in types:
        return core.of_type(file, row.qualified_name, written, depth)
    return UNKNOWN


def _argument(type_text: str, rules: BindingRules) -> str:
    """Returns the type of what a component of a type is given; empty if it is not declared."""
    match = _TYPE.fullmatch(type_text)
    if match is None or names_of(match["name"])[-1] not in rules.components:
        return ""
    return split(match["arguments"], ",")[0]
