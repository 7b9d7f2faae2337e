"""Which definition a name means that is used somewhere: the likeliest, and how many others there
are."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from symindex.explore.references.receivers import OF_ALL, OWN, last_name
from symindex.explore.references.scopes import scopes_around
from symindex.explore.resolve.names import LESS_LIKELY, symbols_named
from symindex.explore.tree import Row, Tree
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolFlag, SymbolKind


class Resolved(NamedTuple):
    """row: the likeliest definition. others: how many more there are. is_near: what it is taken
    from, or where it stands, speaks for it."""

    row: Row
    others: int
    is_near: bool


def is_type(row: Row) -> bool:
    """Whether a symbol is a type."""
    return KINDS[row.kind].quality == 0


def has_kin(tree: Tree, row: Row) -> bool:
    """Whether a symbol inherits or is inherited from: a type, or a module of a language with
    mixins."""
    known = tree.languages.by_id.get(row.file.known_language)
    return is_type(row) or (
        row.kind is SymbolKind.MODULE and known is not None and known.rules.roles.mixins
    )


def is_callable(row: Row) -> bool:
    """Whether a symbol can be called; a type can, to make a value of it."""
    return row.kind in CALLABLE_KINDS or is_type(row)


def resolve(
    tree: Tree, name: str, user: Row, wanted: Callable[[Row], bool], receiver: str = ""
) -> Resolved | None:
    """The definition that a name means in a symbol. user: the symbol that uses it. receiver: what
    the name is taken from."""
    family = tree.languages.relatives_of(user.file.known_language)
    rows = [meant.row for meant in symbols_named(tree, name)]
    rows = [
        row
        for row in rows
        if row.file.known_language in family
        and wanted(row)
        and row.kind is not SymbolKind.CONSTRUCTOR
    ]
    if not rows:
        return None
    own = scopes_around(user.qualified_name)
    scored = sorted(
        ((_distance(row, user, own, receiver), row) for row in rows),
        key=lambda pair: (pair[0], pair[1].id),
    )
    (fits, _, unlikely, is_elsewhere, _), best = scored[0]
    if best.flags & SymbolFlag.LOCAL and is_elsewhere:
        return None  # a type parameter, or a library's name
    is_around = not receiver and best.container in own
    others = 0 if is_around else sum(score[2] == unlikely for score, _ in scored) - 1
    return Resolved(best, others, not fits or not is_elsewhere)


def _distance(row: Row, user: Row, own: Collection[str], receiver: str) -> tuple[int, ...]:
    """Smaller is likelier: the receiver first, then what can be seen, then how near the files
    are."""
    of = last_name(receiver)
    container = row.container.rpartition(".")[2]
    if receiver in OWN:
        fits = 0 if row.container in own else 1 if row.container else 2
    elif receiver in OF_ALL:
        fits = 2 if row.container else 0
    elif receiver:
        names = (
            {container} if row.container else {*row.file.path.rpartition(".")[0].split("/")}
        )  # a member is taken from its type
        # `os.path.join` is not the `join` of any `path.py`.
        before = last_name(receiver.rstrip()[: -len(of)]) if of and receiver.endswith(of) else ""
        fits = (
            0
            if of in names and (not before or row.container or before in names)
            else 1
            if row.container
            else 2
        )
    else:
        fits = 0 if not row.container or row.container in own else 1
    shared = sum(
        1
        for one, other in zip(row.file.path.split("/"), user.file.path.split("/"), strict=False)
        if one == other
    )
    unlikely = bool(row.flags & LESS_LIKELY & ~user.flags) * 2 + bool(
        row.flags & SymbolFlag.DECLARATION
    )
    nearness = len(row.container) if not receiver and row.container in own else 0
    return fits, -nearness, unlikely, int(row.file.path != user.file.path), -shared
