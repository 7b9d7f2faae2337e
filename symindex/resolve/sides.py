"""Members of types themselves and members of their values, which may share a name."""

from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.denoted import DOUBTFUL, Denoted, Kind, Place, is_callable, is_type
from symindex.resolve.reading.expressions import Chain
from symindex.resolve.tree import Row


def are_apart(resolver: Resolver, one: Row, other: Row) -> bool:
    """Whether one of two members is one of its type itself, and the other one of its values."""
    files = resolver.files
    return files.of(one).is_static(one) is not files.of(other).is_static(other)


def of_side(
    resolver: Resolver, receiver: Denoted, found: Denoted, name: str, is_of_type: bool | None
) -> Denoted:
    """Returns the nearest members of a name that the receiver has: as a type, or as a value. If it
    has none of these, others may be given to a type as they were found; a value has no member of
    its type, so another one is meant.

    is_of_type: whether the receiver is a type; `None` if that is not known.
    """
    are_static = [resolver.files.of(row).is_static(row) for row in found.rows]
    is_known = is_of_type is not None and found.kind is Kind.SYMBOL
    if not is_known or any(map(is_type, found.rows)):
        return found
    if all(one is is_of_type for one in are_static):
        return found
    types = [row for row in receiver.rows if is_type(row)]
    lineage = [row for type_row in types for row in resolver.lineages.of(type_row)[0]]
    all_rows = [row for of in lineage for row in _members(resolver, of, name)]
    if not {*found.rows} <= {row for row, _ in all_rows}:  # of another type, as an import
        return found
    rows = [row for row, is_static in all_rows if is_static is is_of_type]
    nearest = tuple(row for row in rows if row.container == rows[0].container)
    if nearest or is_of_type or not all(are_static):
        return found._replace(rows=nearest or found.rows)
    return found if _have_companions(resolver, found.rows) else DOUBTFUL


def _have_companions(resolver: Resolver, rows: tuple[Row, ...]) -> bool:
    """Whether bare names in the methods of a type mean members of the type itself as well."""
    found = (resolver.files.rules_of(resolver.files.of(row)) for row in rows)
    return any(rules is not None and rules.companions for rules in found)


def _members(resolver: Resolver, of: Row, name: str) -> list[tuple[Row, bool]]:
    """Returns the members of a name that a type defines, each with whether it is one of the type
    itself. Those of an inner type that gives it its members are."""
    own = [row for row in resolver.own_members(of, name) if not is_type(row)]
    inner = resolver.of_companions(of, name)
    return [(row, row in inner or resolver.files.of(row).is_static(row)) for row in (*own, *inner)]


def side_of(
    resolver: Resolver, place: Place, receiver: Denoted, chain: Chain, before: str
) -> bool | None:
    """Whether a receiver is a type; `None` if that is not known. before: the code in front of the
    name that is taken from it."""
    rules = resolver.files.rules_of(place.file)
    if before.endswith("::"):  # also of a method that is given away
        return None
    if len(chain) == 1 and resolver.means_around(place, chain[0].name)[0]:
        return side_around(place)
    if chain and rules is not None and chain[-1].name in rules.typers:
        return True
    return receiver.kind is Kind.SYMBOL and all(map(is_type, receiver.rows))


def side_around(place: Place) -> bool | None:
    """Whether the function around a place is a member of its type itself; `None` if there is none,
    or several of its name differ in that."""
    rows = [row for row in place.file.by_name.get(place.container, ()) if is_callable(row)]
    found = {place.file.is_static(row) for row in rows}
    return found.pop() if len(found) == 1 else None
