"""What a use of a name denotes, by its receiver or by the code around it."""

from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.resolve.binding.access import accessed
from symindex.resolve.binding.resolver import MOST_DEPTH, Resolver
from symindex.resolve.denoted import (
    DOUBTFUL,
    FOREIGN,
    OF_TYPES,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    is_type,
    opened,
)
from symindex.resolve.held import is_reflected
from symindex.resolve.modules import extensions
from symindex.resolve.modules.packages import OF_PACKAGES
from symindex.resolve.overloading import overloaded
from symindex.resolve.reach import (
    outside,
)
from symindex.resolve.reading.excerpts import NOT_BOUND, Mention
from symindex.resolve.reading.expressions import Step, cast_of, chain_of
from symindex.resolve.reading.overloads import arguments_of
from symindex.resolve.sides import of_side, side_around, side_of
from symindex.resolve.suffixes import type_in_full
from symindex.resolve.uses import (
    Bound,
    beside,
    imported,
    meant,
    place_of,
)
from symindex.text.receivers import first_name


def bound_use(resolver: Resolver, path: str, mention: Mention, container: str) -> Bound:
    """Returns what a name that is used in a file denotes.

    container: the qualified name of the symbol around the use.
    """
    file = resolver.files.at(path)
    is_no_name = mention.is_label or mention.is_module or mention.is_datum
    if is_no_name or file is None or not resolver.files.rules_of(file):
        return Bound(UNKNOWN)
    resolver.work.begin()
    place = place_of(resolver, file, mention, container)
    if mention.suffix and (whole := type_in_full(resolver, place, mention)) is not None:
        return Bound(whole)
    if mention.role == "import":
        found = imported(resolver, place, mention)
        return Bound(resolver.exports.given(found, MOST_DEPTH))
    if not mention.receiver:
        is_given = mention.binding == NOT_BOUND and any(
            one.local == mention.name and not one.name for one in place.imports
        )  # a variable at the top of the file that gets a module
        if (mention.is_bound and not is_given) or mention.is_variable or mention.binding >= 0:
            return Bound(UNKNOWN)
        is_free = mention.binding == NOT_BOUND
        place = place._replace(is_type=mention.role in OF_TYPES, is_free=is_free)
        if mention.role == "inherit":
            place = outside(place, mention)
        found = resolver.exports.given(resolver.name(place, mention.name), MOST_DEPTH)
        if found.kind is Kind.UNKNOWN and resolver.lacks(place, mention.name):
            return Bound(FOREIGN)
        if found.kind is Kind.SYMBOL and all(map(is_type, found.rows)):
            rows = resolver.packages.with_arity(found.rows, mention.onward, mention.name)
            found = found._replace(rows=rows)
        found = meant(found, mention)
        if (around := resolver.type_around(place)) is not None:
            value = Denoted(Kind.VALUE, (around,))
            found = overloaded(resolver, place, value, found, mention)
            found = of_side(resolver, value, found, mention.name, side_around(place))
        return Bound(found, _own_value(resolver, place, found))
    return _taken(resolver, place, mention)


def _taken(resolver: Resolver, place: Place, mention: Mention) -> Bound:
    """Returns what a name denotes that is taken from a receiver."""
    if is_reflected(resolver, place, mention):
        return Bound(FOREIGN)
    literal = resolver.literal(place, mention.receiver)
    if literal is None and not first_name(mention.receiver):
        return Bound(UNKNOWN)
    written = resolver.receiver(place, mention.receiver)
    chain, cast = chain_of(written), cast_of(written)
    is_this, is_above = (
        resolver.means_around(place, chain[0].name) if len(chain) == 1 else (False, False)
    )
    if is_this and (rows := beside(resolver, place, mention)):
        return Bound(meant(Denoted(Kind.SYMBOL, rows), mention))
    if (value := literal or resolver.converted(place, written)) is not None:
        receiver = value
    elif cast:
        receiver = resolver.of_type(place.file, place.container, cast)
    elif chain and not resolver.is_given_type(place, mention.receiver):
        receiver = resolver.followed(place, chain)
    else:
        receiver = resolver.cast(place, written)
    receiver = opened(receiver, mention.before)
    if receiver.kind is Kind.UNKNOWN and chain and resolver.is_packaged(place.file):
        whole = resolver.followed(place, (*chain, Step(mention.name)))
        if whole.rows and all(is_type(row) or row.kind in OF_PACKAGES for row in whole.rows):
            return Bound(whole)  # nothing has the beginning of its name alone
    if receiver.kind in (Kind.FOREIGN, Kind.UNKNOWN):
        return Bound(receiver)
    step = Step(mention.name, sign=mention.before.rstrip().removesuffix("template").rstrip())
    receiver = accessed(resolver, place, receiver, step, MOST_DEPTH - 1)
    if receiver.kind is Kind.UNKNOWN:
        return Bound(receiver)
    if (is_of_wrapper := resolver.is_wrappers(receiver, mention.name, mention.before)) is not False:
        return Bound(FOREIGN if is_of_wrapper else DOUBTFUL)
    member = meant(resolver.member(receiver, mention.name), mention)
    if mention.role == "call" and member.kind is Kind.SYMBOL:
        given = arguments_of(mention.called, mention.name)
        shown = extensions.without_hidden(resolver.files, member.rows, given)
        member = member._replace(rows=shown)
    member = overloaded(resolver, place, receiver, member, mention)
    is_of_type = side_of(resolver, place, receiver, chain, mention.before.rstrip())
    member = of_side(resolver, receiver, member, mention.name, is_of_type)
    if is_this and member.kind is Kind.FOREIGN:
        return Bound(UNKNOWN)  # a type that is mixed into another uses members of that
    return Bound(member, UNKNOWN if is_above else receiver)


def _own_value(resolver: Resolver, place: Place, found: Denoted) -> Denoted:
    """Returns what the method of a bare name is called of, where a subtype's may be meant."""
    is_method = all(row.kind in CALLABLE_KINDS and row.container for row in found.rows)
    if found.kind is not Kind.SYMBOL or not is_method:
        return UNKNOWN
    around = resolver.type_around(place)
    return Denoted(Kind.VALUE, (around,)) if around is not None else UNKNOWN
