"""Binds members that are named without a receiver: in a pattern, a literal or a copy, or as a named
argument that sets a member of the new value."""

import re

from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import (
    FOREIGN,
    OF_TYPES,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    fitting,
    is_callable,
    is_type,
    united,
)
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.reading.expressions import chain_of
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row


def held(resolver: Resolver, place: Place, mention: Mention) -> tuple[Denoted, Denoted]:
    """Returns what the name of a member denotes, and its owner: a value of the member's type, or
    the type of the new value."""
    makers = [one[1:] for one in mention.holders if is_maker(one)]
    if len(makers) == len(mention.holders):
        found = [_of_maker(resolver, place, maker, mention.name) for maker in makers]
        return united([member for member, _ in found]), united([made for _, made in found])
    holder = resolver.declared_as(place, mention.holders)
    if holder.kind in (Kind.FOREIGN, Kind.UNKNOWN):
        return holder, UNKNOWN
    return fitting(resolver.member(holder, mention.name), mention.role == "call"), holder


def may_be_held(resolver: Resolver, file: FileFacts, mention: Mention) -> bool:
    """Whether a name without a receiver may be that of a member of an unknown type which a file
    defines. A literal that makes an object has members of its own, of whatever type."""
    rules = resolver.files.rules_of(file)
    is_other = mention.role in (*OF_TYPES, "call")
    return rules is not None and not rules.objects and not is_other


def is_maker(text: str) -> bool:
    """Whether what is said of a holder is the function or type that an argument is given to by
    name, without its number."""
    return text[:1] == "(" and not text[1:2].isdigit()


def is_reflected(resolver: Resolver, place: Place, mention: Mention) -> bool:
    """Whether the receiver of a name is a type as a value, which has members of its own."""
    rules = resolver.files.rules_of(place.file)
    pattern = rules.reflected if rules is not None else ""
    return bool(pattern) and re.fullmatch(pattern, mention.receiver) is not None


def _of_maker(resolver: Resolver, place: Place, maker: str, name: str) -> tuple[Denoted, Denoted]:
    """Returns the member that an argument of a constructor gives a value, if the parameter is one,
    and the type; FOREIGN for a parameter of a function."""
    chain, rules = chain_of(maker), resolver.files.rules_of(place.file)
    made = resolver.denoted(place, maker)
    is_around = len(chain) == 1 and resolver.means_around(place, chain[0].name)[0]
    types = tuple(row for row in made.rows if is_type(row))
    if rules is not None and rules.takes_fields:
        return _field(resolver, types, name), UNKNOWN
    if made.kind is Kind.VALUE and not is_around:
        return UNKNOWN, UNKNOWN
    if not types:
        return FOREIGN if made.kind is Kind.SYMBOL else made, UNKNOWN
    made = Denoted(Kind.SYMBOL, types)
    found = resolver.member(made, name)
    if found.kind is not Kind.SYMBOL:
        return found, made
    rows = tuple(row for row in found.rows if _is_parameter(resolver, row))
    return found._replace(rows=rows) if rows else FOREIGN, made


def _field(resolver: Resolver, types: tuple[Row, ...], name: str) -> Denoted:
    """Returns the field that a named argument sets in a value of a type without a constructor of
    its own; UNKNOWN if a library's supertype may have one that takes the argument."""
    if len(types) != 1:
        return UNKNOWN
    found, rules = (
        resolver.member_of_type(types[0], name),
        resolver.files.rules_of(resolver.files.of(types[0])),
    )
    lineage, is_whole = resolver.lineages.of(types[0])
    constructors = rules.constructors if rules is not None else ()
    has_own = any(resolver.own_members(row, one) for row in lineage for one in constructors)
    are_set = all(
        not is_callable(row)
        and (is_whole or row.index.signature(row.number).startswith(f"{row.name}:"))
        for row in found.rows
    )
    return found if found.kind is Kind.SYMBOL and are_set and not has_own else UNKNOWN


def _is_parameter(resolver: Resolver, row: Row) -> bool:
    """Whether a member is a parameter of its type or of the type's constructor."""
    file, signature = resolver.files.of(row), row.index.signature(row.number)
    outer = file.by_name.get(row.container, [])
    heads = [*outer, *(one for of in outer for one in file.members_of(of) if is_callable(one))]
    return any(signature in one.index.signature(one.number).partition("(")[2] for one in heads)
