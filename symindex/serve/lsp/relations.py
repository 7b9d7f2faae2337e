"""The requests for relations of symbols, all answered by name: references, implementations, hierarchies of types and calls."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Raw

from symindex.errors import RequestError
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.serve.lsp.channel import to_json
from symindex.serve.lsp.convert import to_range, uri_of
from symindex.serve.lsp.messages import AtPosition, HierarchyItem, MessageType, OfItem, References
from symindex.serve.lsp.server import Server

if TYPE_CHECKING:
    from symindex.workspace import NamePlace, Relation, Relations, SymbolItem

_T = TypeVar("_T")


class RelationRequests:
    """See the module."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def serve(self) -> None:
        """Registers them."""
        serve = self._server.protocol.serve
        serve("textDocument/references", self.references, References)
        serve("textDocument/implementation", self.implementation, AtPosition)
        serve("textDocument/prepareTypeHierarchy", self.type_hierarchy, AtPosition)
        serve("textDocument/prepareCallHierarchy", self.call_hierarchy, AtPosition)
        serve("typeHierarchy/supertypes", self._of_types("supertypes"), OfItem)
        serve("typeHierarchy/subtypes", self._of_types("subtypes"), OfItem)
        serve("callHierarchy/incomingCalls", self.incoming, OfItem)
        serve("callHierarchy/outgoingCalls", self.outgoing, OfItem)

    async def references(self, params: References) -> Any:
        """Where the name at a place is used."""
        is_wide = params.context.include_declaration
        return await self._at(params, "references", lambda found, key, place: _locations(found.references(key, place, is_wide)))

    async def implementation(self, params: AtPosition) -> Any:
        """The types below a type, the members that override one."""

        def find(found: "Relations", key: str, place: tuple[int, int]) -> list[dict[str, Any]]:
            matches = found.implementations(key, place)
            return [
                {"uri": uri_of(match), "range": to_range((match.line, match.start), (match.line, match.end))} for match in matches
            ]

        return await self._at(params, "implementation", find)

    async def type_hierarchy(self, params: AtPosition) -> Any:
        """The types from which a hierarchy begins."""
        return await self._at(
            params, "type_hierarchy", lambda found, key, place: [self._item(item) for item in found.types_at(key, place)]
        )

    async def call_hierarchy(self, params: AtPosition) -> Any:
        """What a hierarchy of calls begins from."""
        return await self._at(
            params, "call_hierarchy", lambda found, key, place: [self._item(item) for item in found.callables_at(key, place)]
        )

    def _of_types(self, relation: "Relation") -> Callable[[Any], Any]:
        async def answer(params: OfItem) -> Any:
            return await self._ask(lambda found: [self._item(item) for item in found.related(_id_of(params.item), relation)])

        return answer

    async def incoming(self, params: OfItem) -> Any:
        """What calls a symbol."""
        return await self._calls(params.item, "callers", "from")

    async def outgoing(self, params: OfItem) -> Any:
        """What a symbol calls."""
        return await self._calls(params.item, "callees", "to")

    async def _calls(self, item: HierarchyItem, relation: "Relation", name: str) -> Any:
        """name: under which the other symbol stands in the answer."""
        if item.data == "":  # it stands outside of all symbols
            return []
        return await self._ask(
            lambda found: [
                {name: self._item(each), "fromRanges": [to_range(place.start, place.end) for place in each.places]}
                for each in found.related(_id_of(item), relation)
            ]
        )

    async def _at(self, params: AtPosition, field: str, find: "Callable[[Relations, str, tuple[int, int]], list[Any]]") -> Any:
        """An answer about the name at a place; nothing where the user has not switched these on. field: of the Configuration."""
        uri, place = params.text_document.uri, (params.position.line, params.position.character)
        if not self._server.is_chosen(getattr(self._server.configuration, field), uri):
            return None
        return await self._ask(lambda found: find(found, uri, place) or None)

    async def _ask(self, work: "Callable[[Relations], _T]") -> Any:
        """What work on the relations returns, as JSON; what could not be looked into is told in the client's log."""

        def answer(found: "Relations") -> tuple[bytes, Sequence[str]]:
            return to_json(work(found)), found.notices

        encoded, notices = await self._server.ask(lambda workspace: workspace.relate(answer))
        for notice in notices:
            self._server.log(MessageType.WARNING, notice)
        return Raw(encoded)

    def _item(self, item: "SymbolItem") -> dict[str, Any]:
        """A symbol as both hierarchies have it. Its range is that of its whole lines, for no more is stored."""
        symbols = self._server.client.symbols
        if item.match is None:
            place = item.places[0]
            spot = to_range(place.start, place.end)
            kind = symbols.kinds[KINDS[SymbolKind.FILE].code]
            name = place.path.rpartition("/")[2]
            return {"name": name, "kind": kind, "uri": uri_of(place), "range": spot, "selectionRange": spot, "data": ""}
        match = item.match
        first, last = min(item.first, match.line), max(item.last, match.line)
        more = symbols.more("", match.flags)
        more.pop("deprecated", None)  # which these have only as a tag
        return {
            "name": match.name,
            "kind": symbols.kinds[match.kind],
            "detail": match.container or match.path,
            "uri": uri_of(match),
            "range": to_range((first, 0), (last + 1, 0)),
            "selectionRange": to_range((match.line, match.start), (match.line, match.end)),
            "data": item.id,
            **more,
        }


def _locations(places: "Sequence[NamePlace]") -> list[dict[str, Any]]:
    return [{"uri": uri_of(place), "range": to_range(place.start, place.end)} for place in places]


def _id_of(item: HierarchyItem) -> str:
    """The symbol of an item, which a client sends back as it was given to it."""
    if not isinstance(item.data, str) or not item.data:
        raise RequestError("the item of a hierarchy has lost its data: prepare the hierarchy again")
    return item.data
