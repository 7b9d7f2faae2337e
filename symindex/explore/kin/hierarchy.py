"""The relations of a symbol as a tree: a request to a response."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.errors import one_of
from symindex.explore.kin.beside import add_places
from symindex.explore.kin.calls import callees, callers
from symindex.explore.kin.resolving import has_kin
from symindex.explore.kin.tests_of import tests_of
from symindex.explore.kin.types import Related, all_subtypes, may_inherit, subtypes, supertypes
from symindex.explore.kin.uses import Limits, UseSearch
from symindex.explore.resolve.names import LESS_LIKELY, symbols_named
from symindex.explore.resolve.targets import find_target
from symindex.explore.tree import Row, Tree, rows_of_container
from symindex.protocol.hierarchy import DIRECTIONS, HierarchyRequest, HierarchyResponse, KinItem
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.workers.cancellation import check_wanted

MOST_CANDIDATES: Final = 20
SHOWN_OTHERS: Final = 3
MOST_DEPTH: Final = 20
TYPE_DEPTH: Final = 3

_Step = Callable[[Sequence[Row]], dict[Row, list[Related]]]


def hierarchy(tree: Tree, request: HierarchyRequest, limits: Limits) -> HierarchyResponse:
    """The answer to a request. Raises RequestError for what is not there."""
    check_limit("depth", request.depth)
    check_limit("max_items", request.max_items)
    if request.direction not in DIRECTIONS:
        raise one_of("direction", str(request.direction), DIRECTIONS)
    target = find_target(tree, request.symbol, limits.max_file_bytes)
    response = HierarchyResponse(request=request, symbol=None, items=[], outside=[])
    if not target.rows:
        near = f"; nearest: {', '.join(target.suggestions)}" if target.suggestions else ""
        add_notices(response, [*target.notices, f"no symbol {request.symbol} is known{near}"])
        return response
    likely = [row for row in target.rows if not row.flags & LESS_LIKELY] or target.rows
    if not target.is_sure and len({row.qualified_name for row in likely}) > 1:
        response.candidates = [row.id for row in target.rows[:MOST_CANDIDATES]]
        add_notices(response, [f"{len(target.rows)} symbols have this name: ask for one by its id"])
        return response
    row = target.rows[0] if target.is_sure else likely[0]
    if not target.is_sure and (others := [each.id for each in target.rows if each != row]):
        more = f" and {len(others) - SHOWN_OTHERS} more" if len(others) > SHOWN_OTHERS else ""
        add_notices(response, [f"{', '.join(others[:SHOWN_OTHERS])}{more} have this name too: ask for one by its id"])
    response.symbol = _item(Related(row.qualified_name, row, "", ""))
    search = UseSearch(tree, limits)
    _Builder(request, response, _step(search, request.direction, row), has_kin(tree, row)).build(row)
    if request.direction in ("callers", "tests"):
        add_places(search, row, response)
    if request.direction in ("subtypes", "supertypes") and not response.items and _tells_kin(tree, row):
        response.may_inherit = [_item(each) for each in may_inherit(search, row, request.direction)]
    add_notices(response, search.notices())
    if request.direction in ("subtypes", "supertypes") and not response.items and not _tells_kin(tree, row):
        response.is_known = False
    return response


def _tells_kin(tree: Tree, row: Row) -> bool:
    """Whether the rules of a symbol's language say what inherits."""
    known = tree.languages.by_id.get(row.file.known_language)
    roles = known.rules.roles if known is not None else None
    return roles is not None and (roles.structural or any(role in ("inherit", "implement") for role, _ in roles.rules))


def _step(search: UseSearch, direction: str, row: Row) -> _Step:
    """From some symbols to what is next to them."""
    if direction == "subtypes":
        if has_kin(search.tree, row):
            return lambda rows: subtypes(search, rows)
        return lambda rows: {each: overrides(search, each) for each in rows}
    if direction == "supertypes":
        if has_kin(search.tree, row):
            return lambda rows: {each: supertypes(search, each) for each in rows}
        return lambda rows: {each: _same_above(search, each) for each in rows}
    if direction == "callers":
        return lambda rows: callers(search, rows)
    one = {"callees": callees, "tests": tests_of}[direction]
    return lambda rows: {each: one(search, each) for each in rows}


def _owner(tree: Tree, row: Row) -> Row | None:
    """The type that a member belongs to."""
    types = [meant.row for meant in symbols_named(tree, row.container) if has_kin(tree, meant.row)] if row.container else []
    same = [each for each in types if each.file.path == row.file.path]
    return next(iter(same or types), None)


def overrides(search: UseSearch, row: Row) -> list[Related]:
    """What overrides or implements a member in the types below its own, at any depth."""
    owner = _owner(search.tree, row)
    if owner is None:
        return []
    return [member for each in all_subtypes(search, owner) for member in _members_named(search.tree, each, row.name)]


def _same_above(search: UseSearch, row: Row) -> list[Related]:
    owner = _owner(search.tree, row)
    found: list[Related] = []
    level, seen = [owner] if owner is not None else [], {owner}
    while level:
        above = [each.row for row_ in level for each in supertypes(search, row_) if each.row is not None]
        level = [each for each in dict.fromkeys(above) if each not in seen]
        seen.update(level)
        found += [member for each in level for member in _members_named(search.tree, each, row.name)]
    return found


def _members_named(tree: Tree, owner: Row, name: str) -> list[Related]:
    folder = owner.file.path.rpartition("/")[0]
    rows = [row for row in rows_of_container(tree, owner.qualified_name) if row.name == name]
    rows = [row for row in rows if row.file.path.rpartition("/")[0] == folder][:1]
    return [Related(row.qualified_name, row, "", "") for row in rows]


def _item(related: Related) -> KinItem:
    row = related.row
    if row is None:
        return KinItem(name=related.name, at=related.at, text=related.text, is_by_name=related.is_by_name)
    return KinItem(
        name=row.qualified_name,
        kind=row.kind_word,
        file_path=row.file.path,
        line=row.line,
        id=row.id,
        at=related.at,
        text=related.text,
        others=related.others,
        is_unsure=related.is_unsure,
    )


class _Builder:
    """Builds the tree level by level, so that what is near comes before what is far."""

    def __init__(self, request: HierarchyRequest, response: HierarchyResponse, step: _Step, has_kin: bool) -> None:
        self._request, self._response, self._step, self._has_kin = request, response, step, has_kin
        self._left = request.max_items

    def build(self, row: Row) -> None:
        is_of_types = self._request.direction in ("subtypes", "supertypes")
        usual = TYPE_DEPTH if is_of_types else 1
        depth = min(self._request.depth or usual, MOST_DEPTH)
        if self._request.direction == "tests" or (is_of_types and not self._has_kin):  # which come all at once
            depth = 1
        level: list[tuple[Row, list[KinItem]]] = [(row, self._response.items)]
        seen, outside = {row}, dict[str, None]()
        for _ in range(depth):
            if not level:
                break
            check_wanted()
            found = self._step([each for each, _ in level])
            following: list[tuple[Row, list[KinItem]]] = []
            for each, items in level:
                for related in found.get(each, []):
                    if related.row is None and not related.at.startswith(f"{related.name}:"):  # else it is a file
                        outside[related.name] = None
                        continue
                    if self._left <= 0:
                        self._response.hidden += 1
                        continue
                    self._left -= 1
                    item = _item(related)
                    items.append(item)
                    if related.row is None:
                        continue
                    if related.row in seen:
                        item.again = True
                    else:
                        seen.add(related.row)
                        following.append((related.row, item.items))
            level = following
        if is_of_types and self._request.depth is None and level and any(self._step([each for each, _ in level]).values()):
            add_notices(self._response, [f"there are further levels than {depth}: ask for a larger depth"])
        self._response.outside = [*outside]
