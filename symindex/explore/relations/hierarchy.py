"""Answers a request for the relations of a symbol: finds the symbol, builds the tree, adds places
that are unsure."""

from collections.abc import Sequence
from typing import Final

from symindex.errors import one_of
from symindex.explore.relations.calls import callees, callers
from symindex.explore.relations.foreign_bases import subtypes_of_name
from symindex.explore.relations.members import (
    all_above,
    may_override,
    overridden,
    overridden_first,
    overrides,
)
from symindex.explore.relations.rejected_uses import add_places
from symindex.explore.relations.relation_tree import RelationTree, Step, item_of
from symindex.explore.relations.resolving import can_inherit
from symindex.explore.relations.tests_of import tests_of
from symindex.explore.relations.types import may_inherit, subtypes, supertypes
from symindex.explore.relations.uses import Limits, RelatedSymbol, UseSearch
from symindex.explore.targets.names import LESS_LIKELY
from symindex.explore.targets.target import Target, find_target
from symindex.explore.targets.type_parts import (
    created_by,
    overloads_named,
    tell_overloads,
    tell_together,
)
from symindex.protocol.hierarchy import DIRECTIONS, HierarchyRequest, HierarchyResponse
from symindex.protocol.kinds import CALLABLE_KINDS
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.resolve.tree import Row, Tree, indexed_files
from symindex.text.folding import fold
from symindex.text.separators import SEPARATOR

MOST_CANDIDATES: Final = 20
"""Most ids that are listed where several symbols may be meant."""

SHOWN_OTHERS: Final = 3
"""Most ids of namesakes that a notice lists."""


def hierarchy(tree: Tree, request: HierarchyRequest, limits: Limits) -> HierarchyResponse:
    """Answers a request. Raises RequestError for a file or line that does not exist."""
    check_limit("depth", request.depth)
    check_limit("max_items", request.max_items)
    if request.direction not in DIRECTIONS:
        raise one_of("direction", str(request.direction), DIRECTIONS)
    target = find_target(tree, request.symbol, limits.max_file_bytes)
    response = HierarchyResponse(request=request, symbol=None, items=[], outside=[])
    search = UseSearch(tree, limits)
    is_ours = bool(target.rows) and (not target.is_part or _begins_here(tree, request.symbol))
    if not is_ours and request.direction == "subtypes" and _add_foreign(search, response):
        return response
    if not target.rows:
        near = f"; nearest: {', '.join(target.suggestions)}" if target.suggestions else ""
        is_no_base = request.direction == "subtypes"
        nothing = ", and nothing here names it as a base" if is_no_base else ""
        notice = f"no symbol {request.symbol} is known{nothing}{near}"
        add_notices(response, [*target.notices, notice])
        return response
    rows = _meant_rows(search, target, response)
    if rows and request.direction in ("callers", "tests"):
        rows += _created(search, rows[0], response)
    if rows:
        _add_relations(search, rows, response)
    return response


def _meant_rows(search: UseSearch, target: Target, response: HierarchyResponse) -> list[Row]:
    """Returns the symbol that is meant, followed by what overrides it, or by its overloads, if one
    name means all; empty where several are possible. Adds candidates and notices to the
    response."""
    likely = [row for row in target.rows if not row.flags & LESS_LIKELY] or target.rows
    rows = [target.rows[0] if target.is_sure else likely[0]]
    if not target.is_sure and len({row.qualified_name for row in likely}) > 1:
        rows = overridden_first(likely, lambda row: all_above(search, row))
        if not rows:
            response.candidates = [row.id for row in target.rows[:MOST_CANDIDATES]]
            notice = f"{len(target.rows)} symbols have this name: ask for one by its id"
            add_notices(response, [*target.notices, notice])
            return []
        overriding = ", ".join(row.id for row in rows[1:])
        add_notices(response, [f"this answer includes the methods that override it: {overriding}"])
    together = overloads_named(search.resolver, rows[0], response.request.symbol)
    if together and len(rows) == 1:
        rows = together
        search.together = frozenset(rows)
        add_notices(response, [tell_together(rows)])
    others = [row.id for row in target.rows if row not in rows]
    if not target.is_sure and others:
        more = f" and {len(others) - SHOWN_OTHERS} more" if len(others) > SHOWN_OTHERS else ""
        shown = ", ".join(others[:SHOWN_OTHERS])
        verb = "has" if len(others) == 1 else "have"
        add_notices(response, [f"{shown}{more} {verb} this name too: ask for one by its id"])
    add_notices(response, target.notices)
    if not search.together and (notice := tell_overloads(search.resolver, rows[0])):
        add_notices(response, [notice])
    return rows


def _created(search: UseSearch, row: Row, response: HierarchyResponse) -> list[Row]:
    """Returns the type whose name calls a constructor, and says so in the response; else none."""
    created = created_by(search.tree, row)
    if created is None:
        return []
    add_notices(response, [f"calls of {created.name} are among these, as they call {row.name}"])
    return [created]


def _add_relations(search: UseSearch, rows: Sequence[Row], response: HierarchyResponse) -> None:
    """Adds the relations of a symbol, and of what is answered together with it."""
    tree, row, direction = search.tree, rows[0], response.request.direction
    response.symbol = item_of(RelatedSymbol(row.qualified_name, row, "", ""))
    are_overloads = row in search.together
    requested: Sequence[Row]
    if direction in ("callers", "tests"):  # all overloads are judged as one
        requested = [one for one in rows if one is row or one not in search.together]
    else:
        requested = rows if direction == "callees" or are_overloads else rows[:1]
    step = _step(search, direction, row)
    RelationTree(response.request, response, step, can_inherit(tree, row)).build(requested)
    if len(requested) > 1:
        # What the tests of one symbol leave out, those of another may contain.
        search.withdraw_notices()
    if direction in ("callers", "tests"):
        add_places(search, row, response)
    if direction == "subtypes" and search.resolver.files.is_protocol(row):
        notice = f"{row.name} is a protocol: any class with its members implements it"
        add_notices(response, [notice])
    is_empty_inheritance = direction in ("subtypes", "supertypes") and not response.items
    may_be_base = can_inherit(tree, row) or row.kind in CALLABLE_KINDS
    if is_empty_inheritance and _has_inheritance_rules(tree, row) and may_be_base:
        unsure = may_inherit(search, row, direction)
        if not unsure and row.container and direction == "subtypes":
            unsure = may_override(search, row)
        response.may_inherit = [item_of(related) for related in unsure]
    add_notices(response, search.notices())
    if is_empty_inheritance and not _has_inheritance_rules(tree, row):
        response.is_known = False


def _begins_here(tree: Tree, text: str) -> bool:
    """Whether a qualified name begins with a root or folder of the workspace, so that it may be
    re-exported from a module here."""
    first = _fold(next(filter(None, SEPARATOR.split(text.strip())), ""))
    return any(first == _fold(root.name) for root in tree.roots.values()) or any(
        first == _fold(folder)
        for file in indexed_files(tree)
        for folder in file.path.split("/")[:-1]
    )


def _fold(name: str) -> str:
    return fold(name).replace("-", "_")


def _add_foreign(search: UseSearch, response: HierarchyResponse) -> bool:
    """Adds the subtypes of a type that is not defined here; returns whether there are any."""
    request = response.request
    foreign_subtypes = subtypes_of_name(search, request.symbol)
    if not foreign_subtypes:
        return False
    RelationTree(request, response, lambda rows: subtypes(search, rows), True).build_below(
        foreign_subtypes
    )
    notice = f"{request.symbol} is not defined here: this is what names it as a base"
    add_notices(response, [notice, *search.notices()])
    return True


def _has_inheritance_rules(tree: Tree, row: Row) -> bool:
    """Whether the rules of a symbol's language tell what inherits."""
    language = tree.languages.by_id.get(row.file.known_language)
    roles = language.rules.roles if language is not None else None
    return roles is not None and (
        roles.structural or any(role in ("inherit", "implement") for role, _ in roles.rules)
    )


def _step(search: UseSearch, direction: str, row: Row) -> Step:
    """Returns the function that finds the relations of symbols in a direction."""
    is_of_types = can_inherit(search.tree, row)
    if direction == "subtypes" and is_of_types:
        return lambda rows: subtypes(search, rows)
    if direction == "callers":
        return lambda rows: callers(search, rows)
    of_one = {
        "subtypes": overrides,
        "supertypes": supertypes if is_of_types else overridden,
        "callees": callees,
        "tests": tests_of,
    }[direction]
    return lambda rows: {row: of_one(search, row) for row in rows}
