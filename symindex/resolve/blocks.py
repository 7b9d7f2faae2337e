"""The value for which a function calls the code that it is given: one of the type that the
function's parameter says (`fun build(block: Builder.() -> Unit)`), or none."""

import re
from typing import Final, NamedTuple

from symindex.extract.file_bindings import AROUND, GIVEN, NOTHING, SELF, UNBOUND
from symindex.extract.languages.schema import BindingRules
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import FOREIGN, UNKNOWN, Denoted, Kind, Place, is_callable, is_type
from symindex.resolve.reading.expressions import chain_of, end_of_group, split
from symindex.resolve.tree import Row

_DOUBTFUL: Final = f"{GIVEN}{NOTHING}"
"""Says that the code around may be called for a value of a type that is not known."""

_VALUE: Final = "}"
"""The beginning of the name for a value that the code around is called for."""


MOST_NAMED: Final = 100
"""Most symbols of a function's name whose parameters are read for each use in code that it gets."""


class _Parameter(NamedTuple):
    """A parameter that takes a function. of: the type of the values that it is called for, as it is
    written; empty if there is none."""

    row: Row
    of: str


def with_values(resolver: Resolver, place: Place) -> Place:
    """Returns a place with the values that the code around is called for, in place of the functions
    that it is given to. Code that is called for no value of its own counts as that around it."""
    levels = [place.local.get(SELF, []), *([one] for one in place.local.get(AROUND, ()))]
    if not any(text[:1] == GIVEN for texts in levels for text in texts):
        return place
    rules = resolver.files.rules_of(place.file)
    known: list[list[str]] = []  # a function may be a member of a value further out
    for texts in reversed(levels):
        given = next((text[1:] for text in texts if text[:1] == GIVEN), None)
        if given is None:
            known.insert(0, texts)
        elif rules is not None and (value := _value(resolver, rules, _with(place, known), given)):
            known.insert(0, [value])
    return _with(place, known)


def values_around(resolver: Resolver, place: Place) -> list[Denoted]:
    """Returns the values whose members the code around a place sees by their bare names, from the
    inside outward, without the innermost; UNKNOWN for one of an unknown type."""
    texts = place.local.get(AROUND, ())
    ended = next((at for at, text in enumerate(texts) if text == NOTHING), len(texts))
    values = [text for text in texts[:ended] if text != UNBOUND]
    return [resolver.declared_as(place, [text]) for text in values]


def _with(place: Place, levels: list[list[str]]) -> Place:
    local = {name: texts for name, texts in place.local.items() if name not in (SELF, AROUND)}
    if levels and levels[0] and levels[0] != [NOTHING]:
        local[SELF] = levels[0]
        local[AROUND] = [texts[0] for texts in levels[1:] if texts]
    return place._replace(local=local)


def _value(resolver: Resolver, rules: BindingRules, place: Place, given: str) -> str:
    """Returns what is said of `SELF` in code that is given to a function; empty if it is that of
    the code around. given: as behind GIVEN."""
    number, _, called = given.partition(" ") if given[:1].isdigit() else ("", "", given)
    chain = chain_of(called)
    if not chain:
        return ""
    is_bare, name = len(chain) == 1, chain[-1].name
    if len(rows := resolver.files.named(name)) > MOST_NAMED:
        return _DOUBTFUL
    named = [row for row in rows if is_callable(row) or is_type(row)]
    family = resolver.files.family(place.file)
    named = [row for row in named if row.file.known_language in family]
    if not any(one.of for row in named for one in _parameters(resolver, rules, row)):
        return UNBOUND if is_bare and not named else ""
    holder = UNKNOWN if is_bare else resolver.followed(place, chain[:-1])
    found = _bare(resolver, place, name) if is_bare else resolver.member(holder, name)
    if found.kind is not Kind.SYMBOL or not found.rows:
        return "" if holder.kind is Kind.FOREIGN or found == FOREIGN else _DOUBTFUL
    values = {_called_for(resolver, rules, row, number, holder) for row in found.rows}
    if len(values) > 1 or UNKNOWN in values:
        return _DOUBTFUL
    value = values.pop()
    if value is None:
        return ""
    key = f"{_VALUE}{value.kind.value} {[row.id for row in value.rows]}"
    resolver.block_values[key] = value
    return key


def _bare(resolver: Resolver, place: Place, name: str) -> Denoted:
    """Returns what a bare name denotes, which may be a member of the values that the code around is
    called for."""
    if SELF in place.local and UNBOUND not in place.local[SELF]:
        innermost = resolver.declared_as(place, place.local[SELF])
        for value in (innermost, *values_around(resolver, place)):
            found = resolver.member(value, name) if value.rows else UNKNOWN
            if found.kind is Kind.SYMBOL or value.kind is Kind.UNKNOWN:
                return found
    return resolver.name(place, name)


def _called_for(
    resolver: Resolver, rules: BindingRules, row: Row, number: str, holder: Denoted
) -> Denoted | None:
    """Returns the value for which a function calls the code that it is given: `None` if there is
    none, UNKNOWN if it is not known. holder: the value whose method the function is."""
    taking = _parameters(resolver, rules, row)
    if not taking:
        return UNKNOWN
    at = min(int(number), len(taking) - 1) if number else -1
    chosen = taking[0] if len({one.of for one in taking}) == 1 else taking[at]
    if not chosen.of:
        return None
    file = resolver.files.of(row)
    if file.parameter(row.qualified_name, chosen.of) is not None:
        is_own = row.container.rpartition(".")[2] == chosen.of
        return holder if is_own and holder.kind is Kind.VALUE else UNKNOWN
    return resolver.of_type(file, row.qualified_name, chosen.of)._replace(written=None)


def _parameters(resolver: Resolver, rules: BindingRules, row: Row) -> list[_Parameter]:
    """Returns the parameters that take functions, of a function or of a type's constructor."""
    if not rules.block_types:
        return []
    signature = resolver.heads.of(row)
    start = re.search(rf"(?<!\w)`?{re.escape(row.name)}`?\s*(?:<[^()]*>\s*)?\(", signature)
    if start is None:
        return []
    end = end_of_group(signature, start.end() - 1)
    types = [one.partition(":")[2] for one in split(signature[start.end() : end - 1], ",")]
    read = [_in_full(resolver, row, type_.strip()) for type_ in types]
    return [
        _Parameter(row, match["of"] if (match := re.match(rules.block_types, type_)) else "")
        for type_ in read
        if "→" in type_ or "->" in type_
    ]


def _in_full(resolver: Resolver, row: Row, type_: str) -> str:
    """Returns a type as it is written, or what it is another name of."""
    name = re.fullmatch(r"([\w.]+)\??(?:\s*=.*)?", type_)
    if name is None:
        return type_
    last = name[1].rpartition(".")[2]
    aliases = {
        signature.partition("=")[2].strip()
        for one in resolver.files.named(last)
        if one.kind is SymbolKind.TYPE
        if "=" in (signature := one.index.signature(one.number))
    }
    return aliases.pop() if len(aliases) == 1 else type_
