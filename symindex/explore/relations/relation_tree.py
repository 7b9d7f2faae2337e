"""Builds the tree of a hierarchy level by level, so that near relations come before far ones."""

from collections.abc import Callable, Sequence
from typing import Final

from symindex.cancellation import check_wanted
from symindex.explore.relations.uses import RelatedSymbol
from symindex.protocol.hierarchy import HierarchyRequest, HierarchyResponse, RelatedItem
from symindex.protocol.search import add_notices
from symindex.resolve.tree import Row

MOST_DEPTH: Final = 20
"""Most levels of a hierarchy."""

TYPE_DEPTH: Final = 3
"""Levels of super- and subtypes if the request names no depth; calls have one."""

Step = Callable[[Sequence[Row]], dict[Row, list[RelatedSymbol]]]
"""Returns the relations of each of some symbols, one level away."""

_Level = list[tuple[Row, list[RelatedItem]]]
"""Symbols whose relations are next, each with the list that they are added to."""


class RelationTree:
    """The tree of one answer. is_of_types: whether it is about types, which have deeper trees than
    their members."""

    def __init__(
        self, request: HierarchyRequest, response: HierarchyResponse, step: Step, is_of_types: bool
    ) -> None:
        self._request, self._response, self._step = request, response, step
        self._is_inheritance = request.direction in ("subtypes", "supertypes")
        self._is_whole = request.direction == "tests" or (self._is_inheritance and not is_of_types)
        if self._is_whole:
            self._depth = 1  # these are found at all depths in one step
        else:
            default = TYPE_DEPTH if self._is_inheritance else 1
            self._depth = min(request.depth or default, MOST_DEPTH)
        self._n_left = request.max_items
        self._seen: set[Row] = set()
        self._outside: dict[str, None] = {}
        self._unclear: dict[str, int] = {}

    def build(self, rows: Sequence[Row]) -> None:
        """Builds the tree of a symbol, together with those of namesakes that are answered with
        it."""
        self._seen |= {*rows}
        level = [(row, self._response.items) for row in rows]
        self._build(level, self._depth, n_together=len(rows) - 1)

    def build_below(self, related: Sequence[RelatedSymbol]) -> None:
        """Builds the tree below a first level that is known."""
        self._build(self._add(related, self._response.items), self._depth - 1)

    def _build(self, level: _Level, depth: int, n_together: int = 0) -> None:
        for _ in range(depth):
            if not level:
                break
            check_wanted()
            related = self._step([row for row, _ in level])
            levels = [self._add(related.get(row, []), items, n_together) for row, items in level]
            level, n_together = [pair for below in levels for pair in below], 0
        asked = self._request.depth
        is_cut = self._is_inheritance if asked is None else asked > MOST_DEPTH
        is_cut = is_cut and not self._is_whole
        if is_cut and level and any(self._step([row for row, _ in level]).values()):
            how = "ask for a larger depth" if asked is None else "ask about one of the last"
            add_notices(self._response, [f"there are more levels than {self._depth}: {how}"])
        self._response.outside = [name for name in self._outside if name not in self._unclear]
        self._response.unclear = self._unclear

    def _add(
        self,
        related_symbols: Sequence[RelatedSymbol],
        items: list[RelatedItem],
        n_together: int = 0,
    ) -> _Level:
        """Adds symbols to a list and returns those whose own relations are next.

        n_together: how many namesakes of the requested symbol are answered with it; it does not
        matter which of them is meant.
        """
        following: _Level = []
        listed = {item.id or item.name for item in items} if n_together else set()
        for related in related_symbols:
            is_place = related.is_place or related.at.startswith(f"{related.name}:")
            if related.row is None and not is_place:
                if related.others:
                    previous = self._unclear.get(related.name, 0)
                    self._unclear[related.name] = max(related.others, previous)
                else:
                    self._outside[related.name] = None
                continue
            if (related.row.id if related.row is not None else related.name) in listed:
                continue
            if self._n_left <= 0:
                self._response.hidden += 1
                continue
            self._n_left -= 1
            item = item_of(related)
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


def item_of(related: RelatedSymbol) -> RelatedItem:
    """Returns a related symbol as answers show it."""
    row = related.row
    if row is None:
        return RelatedItem(
            name=related.name,
            at=related.at,
            text=related.text,
            others=related.others,
            is_unsure=related.is_unsure,
            is_by_name=related.is_by_name,
        )
    return RelatedItem(
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
