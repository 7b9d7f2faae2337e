"""Members that are named without a receiver: in a pattern, a literal or a copy, or as the argument
that gives a member of what is made its value."""

from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import (
    OF_TYPES,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    united,
)
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.tree import Row


def held(resolver: Resolver, place: Place, mention: Mention) -> tuple[Denoted, Denoted]:
    """Returns what the name of a member denotes, and what holds the member: a value of its type,
    or the type that is made."""
    makers = [one[1:] for one in mention.holders if is_maker(one)]
    if len(makers) == len(mention.holders):
        found = [_of_maker(resolver, place, maker, mention.name) for maker in makers]
        return united([member for member, _ in found]), united([made for _, made in found])
    holder = resolver.declared_as(place, mention.holders)
    if holder.kind in (Kind.FOREIGN, Kind.UNKNOWN):
        return holder, UNKNOWN
    return resolver.member(holder, mention.name), holder


def may_be_held(resolver: Resolver, row: Row, mention: Mention) -> bool:
    """Whether a symbol may be the member of an unknown type that is named without a receiver. A
    literal that makes an object has members of its own, of whatever type."""
    rules = resolver.files.rules_of(resolver.files.of(row))
    return rules is not None and not rules.objects and mention.role not in (*OF_TYPES, "call")
