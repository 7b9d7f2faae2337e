"""What a use denotes that code around it may give a meaning: a bare name in a type without a name,
and a member that is named without a receiver."""

import re
from typing import Final, NamedTuple

from symindex.extract.file_bindings import OPENED, SELF, UNBOUND, Import
from symindex.protocol.kinds import SymbolKind
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.blocks import values_around, with_values
from symindex.resolve.denoted import (
    DOUBTFUL,
    UNKNOWN,
    Denoted,
    Kind,
    Place,
    fitting,
    is_type,
    united,
)
from symindex.resolve.held import held
from symindex.resolve.modules.exports import MOST_DEPTH
from symindex.resolve.reading.excerpts import Mention
from symindex.resolve.reading.files import FileFacts
from symindex.resolve.tree import Row
from symindex.text.receivers import MOST_RECEIVER

_MEMBERS: Final = frozenset(
    {SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.FIELD, SymbolKind.CONSTANT}
)


class Bound(NamedTuple):
    """What a use denotes. receiver: what its receiver denotes; UNKNOWN where a value cannot be of a
    subtype."""

    denoted: Denoted
    receiver: Denoted = UNKNOWN


def meant(denoted: Denoted, mention: Mention) -> Denoted:
    """Returns what a name denotes, by whether it is called; DOUBTFUL if it may mean a module that
    is called like a function."""
    if denoted.kind is Kind.SYMBOL and denoted.paths and mention.role != "call":
        return DOUBTFUL
    return fitting(denoted, mention.role == "call")


def imported(resolver: Resolver, place: Place, mention: Mention) -> Denoted:
    """Returns what a name in an import denotes. If several statements import the name, its own
    statement decides."""
    module, name = mention.receiver, mention.name
    if module and len(module) < MOST_RECEIVER and resolver.is_packaged(place.file):
        return resolver.packages.member(place.file, module, name)
    imports = dict.fromkeys((*place.imports, *place.file.bindings.imports))
    named = [one for one in imports if mention.name in (one.name, one.local)]
    own = [one for one in named if one.module[-MOST_RECEIVER:] == mention.receiver] or named
    if not (own or module):  # exported by the file that defines it
        return resolver.exports.exported(place.file, name, MOST_DEPTH)
    return united(
        [resolver.exports.imported(place.file, one, MOST_DEPTH) for one in own] or [UNKNOWN]
    )


def is_implied(mention: Mention) -> bool:
    """Whether a name is that of a member of the type that its place expects: `paint(.red)`."""
    return not mention.receiver and _IMPLIED.search(mention.before) is not None


_IMPLIED: Final = re.compile(r"(?:[(,:=\[{?]|\b(?:return|case|in|else))\s*\.\Z")


def place_of(resolver: Resolver, file: FileFacts, mention: Mention, container: str) -> Place:
    imports = [Import(*one) for one in mention.imports]
    return with_values(resolver, Place(file, container, mention.local, imports))


def beside(resolver: Resolver, place: Place, mention: Mention) -> tuple[Row, ...]:
    """Returns the members of a type without a name around a use: its functions are beside each
    other, and beside those of other such types, so that inherited members count as well."""
    base = resolver.unnamed_type(place)
    around = place.container.rpartition(".")[0]
    alike = place.file.by_name.get(f"{around}.{mention.name}" if around else mention.name, [])
    members = [row for row in alike if row.kind in _MEMBERS]
    rows = members or (alike if around else [])  # a file may return such a type
    is_named = any(map(is_type, place.file.by_name.get(around, ())))
    if base is None or not rows or is_named or UNBOUND in place.local[SELF]:
        return ()
    inherited = resolver.member(base, mention.name) if base.rows else UNKNOWN
    return (*rows, *inherited.rows) if inherited.kind is Kind.SYMBOL else tuple(rows)


def bare_in_unnamed(
    resolver: Resolver, path: str, mention: Mention, container: str
) -> Bound | None:
    """Returns what a bare name in a type without a name denotes that may be a member of it, or of
    what the code around opens; `None` if it is none, so that it is one of the code around. What it
    extends may have a member that the tree does not define: then the use is doubtful."""
    file = resolver.files.at(path)
    if file is None or mention.is_bound or mention.binding >= 0:
        return None
    if mention.is_label or mention.is_module or mention.is_datum or mention.role == "import":
        return None  # the name of an argument is one of the function
    resolver.work.begin()
    place = place_of(resolver, file, mention, container)
    if OPENED in mention.local:
        opened = resolver.declared_as(place, mention.local[OPENED])
        is_known = opened.rows or opened.is_package
        found = resolver.member(opened, mention.name) if is_known else UNKNOWN
        is_lacking = opened.is_package and found.kind is Kind.UNKNOWN
        if found.kind is not Kind.FOREIGN and not is_lacking:
            return Bound(meant(found, mention))
    bases = values_around(resolver, place)
    if UNBOUND not in place.local.get(SELF, ()):
        if rows := beside(resolver, place, mention):
            return Bound(meant(Denoted(Kind.SYMBOL, rows), mention))
        if (base := resolver.unnamed_type(place)) is not None:
            bases.insert(0, base)
    for base in bases:
        found = resolver.member(base, mention.name) if base.rows else UNKNOWN
        if found.kind is not Kind.FOREIGN:
            return Bound(meant(found, mention), base)
    return None


def held_use(resolver: Resolver, path: str, mention: Mention, container: str) -> Bound:
    """Returns what the name of a member denotes that is written without a receiver, such as the key
    of a literal or a name in a pattern."""
    file = resolver.files.at(path)
    if file is None or not resolver.files.rules_of(file):
        return Bound(UNKNOWN)
    resolver.work.begin()
    return Bound(*held(resolver, place_of(resolver, file, mention, container), mention))
