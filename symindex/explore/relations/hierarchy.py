"""The relations of a symbol as a tree: a request to a response."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.cancellation import check_wanted
from symindex.errors import one_of
from symindex.explore.relations.beside import add_places
from symindex.explore.relations.calls import callees, callers
from symindex.explore.relations.elsewhere import subtypes_of_name
from symindex.explore.relations.one_member import overridden_first
from symindex.explore.relations.resolving import has_kin
from symindex.explore.relations.tests_of import tests_of
from symindex.explore.relations.types import (
    Related,
    all_subtypes,
    may_inherit,
    subtypes,
    supertypes,
)
from symindex.explore.relations.uses import Limits, UseSearch
from symindex.explore.resolve.names import LESS_LIKELY, symbols_named
from symindex.explore.resolve.targets import find_target
from symindex.explore.tree import Row, Tree, indexed_files, rows_of_container
from symindex.protocol.hierarchy import DIRECTIONS, HierarchyRequest, HierarchyResponse, KinItem
from symindex.protocol.search import add_notices
from symindex.requests import check_limit
from symindex.text.folding import fold
from symindex.text.separators import SEPARATOR

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
    search = UseSearch(tree, limits)
    is_ours = bool(target.rows) and (not target.is_part or _begins_here(tree, request.symbol))
    if not is_ours and request.direction == "subtypes" and _add_elsewhere(search, response):
        return response
    if not target.rows:
        near = f"; nearest: {', '.join(target.suggestions)}" if target.suggestions else ""
        nothing = ", and nothing here names it as a base" if request.direction == "subtypes" else ""
        add_notices(
            response, [*target.notices, f"no symbol {request.symbol} is known{nothing}{near}"]
        )
        return response
    likely = [row for row in target.rows if not row.flags & LESS_LIKELY] or target.rows
    rows = [target.rows[0] if target.is_sure else likely[0]]
    if not target.is_sure and len({row.qualified_name for row in likely}) > 1:
        rows = overridden_first(likely, lambda row: _above(search, row))
        if not rows:
            response.candidates = [row.id for row in target.rows[:MOST_CANDIDATES]]
            add_notices(
                response, [f"{len(target.rows)} symbols have this name: ask for one by its id"]
            )
            return response
        add_notices(
            response,
            [
                "answered together with what overrides it:"
                f" {', '.join(each.id for each in rows[1:])}"
            ],
        )
    row = rows[0]
    if not target.is_sure and (others := [each.id for each in target.rows if each not in rows]):
        more = f" and {len(others) - SHOWN_OTHERS} more" if len(others) > SHOWN_OTHERS else ""
        add_notices(
            response,
            [f"{', '.join(others[:SHOWN_OTHERS])}{more} have this name too: ask for one by its id"],
        )
    add_notices(response, target.notices if target.is_part else ())
    response.symbol = _item(Related(row.qualified_name, row, "", ""))
    asked = rows if request.direction in ("callers", "callees", "tests") else rows[:1]
    _Builder(request, response, _step(search, request.direction, row), has_kin(tree, row)).build(
        asked
    )
    if len(asked) > 1:
        search.take_back()  # what the tests of one leave out, those of another may have
    if request.direction in ("callers", "tests"):
        add_places(search, row, response)
    if (
        request.direction in ("subtypes", "supertypes")
        and not response.items
        and _tells_kin(tree, row)
    ):
        response.may_inherit = [_item(each) for each in may_inherit(search, row, request.direction)]
    add_notices(response, search.notices())
    if (
        request.direction in ("subtypes", "supertypes")
        and not response.items
        and not _tells_kin(tree, row)
    ):
        response.is_known = False
    return response


def _begins_here(tree: Tree, text: str) -> bool:
    """Whether a qualified name begins with a root or a folder of the workspace, so that it may be
    one of a module that hands on what is defined elsewhere in it."""
    first = _word(next(filter(None, SEPARATOR.split(text.strip())), ""))
    return any(first == _word(root.name) for root in tree.roots.values()) or any(
        first == _word(folder)
        for file in indexed_files(tree)
        for folder in file.path.split("/")[:-1]
    )


def _word(text: str) -> str:
    return fold(text).replace("-", "_")


def _add_elsewhere(search: UseSearch, response: HierarchyResponse) -> bool:
    """Adds what inherits from a type that is not defined here; `False` where nothing does."""
    request = response.request
    found = subtypes_of_name(search, request.symbol)
    if not found:
        return False
    builder = _Builder(request, response, lambda rows: subtypes(search, rows), has_kin=True)
    builder.build_below(found)
    notice = f"{request.symbol} is not defined here: this is what names it as a base"
    add_notices(response, [notice, *search.notices()])
    return True


def _above(search: UseSearch, row: Row) -> list[Row]:
    """What a member overrides, or a type inherits from, at any depth."""
    if not has_kin(search.tree, row):
        return [each.row for each in _same_above(search, row) if each.row is not None]
    level, found = [row], dict.fromkeys([row])
    while level:
        above = [
            each.row
            for below in level
            for each in supertypes(search, below)
            if each.row is not None
        ]
        level = [each for each in dict.fromkeys(above) if each not in found]
        found.update(dict.fromkeys(level))
    return [*found][1:]


def _tells_kin(tree: Tree, row: Row) -> bool:
    """Whether the rules of a symbol's language say what inherits."""
    known = tree.languages.by_id.get(row.file.known_language)
    roles = known.rules.roles if known is not None else None
    return roles is not None and (
        roles.structural or any(role in ("inherit", "implement") for role, _ in roles.rules)
    )


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
    types = (
        [meant.row for meant in symbols_named(tree, row.container) if has_kin(tree, meant.row)]
        if row.container
        else []
    )
    same = [each for each in types if each.file.path == row.file.path]
    return next(iter(same or types), None)


def overrides(search: UseSearch, row: Row) -> list[Related]:
    """What overrides or implements a member in the types below its own, at any depth."""
    owner = _owner(search.tree, row)
    if owner is None:
        return []
    return [
        member
        for each in all_subtypes(search, owner)
        for member in _members_named(search.tree, each, row.name)
    ]


def _same_above(search: UseSearch, row: Row) -> list[Related]:
    owner = _owner(search.tree, row)
    found: list[Related] = []
    level, seen = [owner] if owner is not None else [], {owner}
    while level:
        above = [
            each.row for row_ in level for each in supertypes(search, row_) if each.row is not None
        ]
        level = [each for each in dict.fromkeys(above) if each not in seen]
        seen.update(level)
        found += [
            member for each in level for member in _members_named(search.tree, each, row.name)
        ]
    return found


def _members_named(tree: Tree, owner: Row, name: str) -> list[Related]:
    folder = owner.file.path.rpartition("/")[0]
    rows = [row for row in rows_of_container(tree, owner.qualified_name) if row.name == name]
    rows = [row for row in rows if row.file.path.rpartition("/")[0] == folder][:1]
    return [Related(row.qualified_name, row, "", "") for row in rows]


def _item(related: Related) -> KinItem:
    row = related.row
    if row is None:
        return KinItem(
            name=related.name, at=related.at, text=related.text, is_by_name=related.is_by_name
        )
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

    def __init__(
        self, request: HierarchyRequest, response: HierarchyResponse, step: _Step, has_kin: bool
    ) -> None:
        self._request, self._response, self._step, self._has_kin = request, response, step, has_kin
        self._left = request.max_items
        self._seen: set[Row] = set()
        self._outside: dict[str, None] = {}
        self._unclear: dict[str, int] = {}

    def build(self, rows: Sequence[Row]) -> None:
        """What is next to a symbol, and to those that are answered together with it."""
        self._seen |= {*rows}
        self._build(
            [(row, self._response.items) for row in rows], self._depth(), n_together=len(rows) - 1
        )

    def build_below(self, found: Sequence[Related]) -> None:
        """The first level as it was found, and what is below that."""
        self._build(self._add(found, self._response.items), self._depth() - 1)

    def _depth(self) -> int:
        is_of_types = self._request.direction in ("subtypes", "supertypes")
        if self._request.direction == "tests" or (
            is_of_types and not self._has_kin
        ):  # which come all at once
            return 1
        return min(self._request.depth or (TYPE_DEPTH if is_of_types else 1), MOST_DEPTH)

    def _add(
        self, found: Sequence[Related], items: list[KinItem], n_together: int = 0
    ) -> list[tuple[Row, list[KinItem]]]:
        """Adds symbols to a level, and gives those whose own level is to follow. n_together: how
        many namesakes of what was asked for are answered with it, so that it does not matter which
        of them is meant."""
        following: list[tuple[Row, list[KinItem]]] = []
        own = {item.id for item in items if item.id} if n_together else set()
        for related in found:
            if related.row is None and not related.at.startswith(
                f"{related.name}:"
            ):  # else it is a file
                if related.others:
                    self._unclear[related.name] = max(
                        related.others, self._unclear.get(related.name, 0)
                    )
                else:
                    self._outside[related.name] = None
                continue
            if n_together and related.row is not None and related.row.id in own:
                continue
            if self._left <= 0:
                self._response.hidden += 1
                continue
            self._left -= 1
            item = _item(related)
            if n_together and item.others:
                item.others = max(0, item.others - n_together)
                item.is_unsure = bool(item.others)
            items.append(item)
            if related.row is None:
                continue
            if related.row in self._seen:
                item.again = True
            else:
                self._seen.add(related.row)
                following.append((related.row, item.items))
        return following

    def _build(
        self, level: list[tuple[Row, list[KinItem]]], depth: int, n_together: int = 0
    ) -> None:
        for _ in range(depth):
            if not level:
                break
            check_wanted()
            found = self._step([each for each, _ in level])
            pairs = [self._add(found.get(each, []), items, n_together) for each, items in level]
            level, n_together = [pair for some in pairs for pair in some], 0
        is_of_types = self._request.direction in ("subtypes", "supertypes")
        if (
            is_of_types
            and self._request.depth is None
            and level
            and any(self._step([each for each, _ in level]).values())
        ):
            add_notices(
                self._response, [f"there are further levels than {depth}: ask for a larger depth"]
            )
        self._response.outside = [name for name in self._outside if name not in self._unclear]
        self._response.unclear = self._unclear
