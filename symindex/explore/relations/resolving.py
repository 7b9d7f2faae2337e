"""Resolves a name that code uses to its likeliest definition, and counts the alternatives."""

from collections.abc import Callable, Collection
from typing import NamedTuple

from symindex.explore.references.receivers import OF_ALL, OWN, last_name
from symindex.explore.references.scopes import scopes_around
from symindex.explore.targets.names import LESS_LIKELY, symbols_named
from symindex.protocol.kinds import CALLABLE_KINDS, KINDS, SymbolFlag, SymbolKind
from symindex.resolve.tree import Row, Tree


class Resolved(NamedTuple):
    """The definition of a name.

    Attributes:
        row: the likeliest definition.
        others: how many alternatives there are.
        is_near: whether its receiver or its place confirms it.
    """

    row: Row
    others: int
    is_near: bool


def is_type(row: Row) -> bool:
    """Whether a symbol is a type."""
    return KINDS[row.kind].quality == 0


def can_inherit(tree: Tree, row: Row) -> bool:
    """Whether a symbol can inherit or be inherited from: a type, or a module of a language with
    mixins."""
    language = tree.languages.by_id.get(row.file.known_language)
    return is_type(row) or (
        row.kind is SymbolKind.MODULE and language is not None and language.rules.roles.mixins
    )


def is_callable(row: Row) -> bool:
    """Whether a symbol can be called; a type can, to create a value."""
    return row.kind in CALLABLE_KINDS or is_type(row)


def resolve(
    tree: Tree, name: str, user: Row, accepts: Callable[[Row], bool], receiver: str = ""
) -> Resolved | None:
    """Returns the definition that a name means inside a symbol; `None` if there is none.

    Args:
        user: the symbol that uses the name.
        accepts: tells which definitions are possible.
        receiver: what the name is taken from.
    """
    family = tree.languages.relatives_of(user.file.known_language)
    rows = [
        row
        for row in (match.row for match in symbols_named(tree, name))
        if row.file.known_language in family
        and accepts(row)
        and row.kind is not SymbolKind.CONSTRUCTOR
    ]
    if not rows:
        return None
    own_scopes = scopes_around(user.qualified_name)
    scored = sorted(
        ((_distance(row, user, own_scopes, receiver), row) for row in rows),
        key=lambda pair: (pair[0], pair[1].id),
    )
    (misfit, _, unlikely, is_elsewhere, _), best = scored[0]
    if best.flags & SymbolFlag.LOCAL and is_elsewhere:
        return None  # a type parameter, or the name of a library
    is_around = not receiver and best.container in own_scopes
    others = 0 if is_around else sum(score[2] == unlikely for score, _ in scored) - 1
    return Resolved(best, others, not misfit or not is_elsewhere)


def _distance(row: Row, user: Row, own_scopes: Collection[str], receiver: str) -> tuple[int, ...]:
    """Returns a sort key, smaller for likelier definitions: how badly the receiver fits, then the
    negative depth of the scope, then whether it is a test, a copy or a declaration, then whether it
    is in another file, then the negative count of shared folders."""
    misfit = _misfit(row, own_scopes, receiver)
    shared = sum(
        1
        for part, other in zip(row.file.path.split("/"), user.file.path.split("/"), strict=False)
        if part == other
    )
    unlikely = bool(row.flags & LESS_LIKELY & ~user.flags) * 2 + bool(
        row.flags & SymbolFlag.DECLARATION
    )
    depth = len(row.container) if not receiver and row.container in own_scopes else 0
    return misfit, -depth, unlikely, int(row.file.path != user.file.path), -shared


def _misfit(row: Row, own_scopes: Collection[str], receiver: str) -> int:
    """Returns how badly a receiver fits a definition: 0 if it names its place, 1 if the definition
    is a member and may be of any type, 2 if it is not a member."""
    if receiver in OWN:
        return 0 if row.container in own_scopes else 1 if row.container else 2
    if receiver in OF_ALL:
        return 2 if row.container else 0
    if not receiver:
        return 0 if not row.container or row.container in own_scopes else 1
    # A member is taken from its type, anything else from its file or a folder.
    if row.container:
        names = {row.container.rpartition(".")[2]}
    else:
        names = {*row.file.path.rpartition(".")[0].split("/")}
    last = last_name(receiver)
    # `os.path.join` is not the `join` of any `path.py`.
    is_qualified = bool(last) and receiver.endswith(last)
    before = last_name(receiver.rstrip()[: -len(last)]) if is_qualified else ""
    if last in names and (not before or row.container or before in names):
        return 0
    return 1 if row.container else 2
