"""Handles the requests for related symbols, all answered by name: references, implementations, and
hierarchies of types and calls."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from msgspec import Raw

from symindex.errors import RequestError
from symindex.protocol.kinds import KINDS, SymbolKind
from symindex.serve.lsp.channel import to_json
from symindex.serve.lsp.convert import location_of, to_range, uri_of
from symindex.serve.lsp.server import Server

if TYPE_CHECKING:
    from symindex.editor.editor_relations import Relation, Relations, SymbolItem

_T = TypeVar("_T")
_Positioned = (
    types.ReferenceParams
    | types.ImplementationParams
    | types.TypeHierarchyPrepareParams
    | types.CallHierarchyPrepareParams
)


class RelationRequests:
    """The handlers of these requests, for one client."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def register(self) -> None:
        """Registers the handlers."""
        feature = self._server.feature
        feature(types.TEXT_DOCUMENT_REFERENCES)(self.references)
        feature(types.TEXT_DOCUMENT_IMPLEMENTATION)(self.implementation)
        feature(types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY)(self.type_hierarchy)
        feature(types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)(self.call_hierarchy)
        feature(types.TYPE_HIERARCHY_SUPERTYPES)(self.supertypes)
        feature(types.TYPE_HIERARCHY_SUBTYPES)(self.subtypes)
        feature(types.CALL_HIERARCHY_INCOMING_CALLS)(self.incoming)
        feature(types.CALL_HIERARCHY_OUTGOING_CALLS)(self.outgoing)

    async def references(self, params: types.ReferenceParams) -> Any:
        """Finds the uses of the name at a position."""
        is_wide = params.context.include_declaration
        return await self._at(
            params,
            "references",
            lambda hits, key, place: [*map(location_of, hits.references(key, place, is_wide))],
        )

    async def implementation(self, params: types.ImplementationParams) -> Any:
        """Finds the subtypes of a type, or the overrides of a member."""

        def find(relations: "Relations", key: str, place: tuple[int, int]) -> list[dict[str, Any]]:
            return [location_of(match.place) for match in relations.implementations(key, place)]

        return await self._at(params, "implementation", find)

    async def type_hierarchy(self, params: types.TypeHierarchyPrepareParams) -> Any:
        """Returns the types that a type hierarchy begins with."""
        return await self._at(
            params,
            "type_hierarchy",
            lambda items, key, place: [self._item(item) for item in items.types_at(key, place)],
        )

    async def call_hierarchy(self, params: types.CallHierarchyPrepareParams) -> Any:
        """Returns the symbols that a call hierarchy begins with."""
        return await self._at(
            params,
            "call_hierarchy",
            lambda items, key, place: [self._item(item) for item in items.callables_at(key, place)],
        )

    async def supertypes(self, params: types.TypeHierarchySupertypesParams) -> Any:
        """Returns the supertypes of a type."""
        return await self._types(params.item, "supertypes")

    async def subtypes(self, params: types.TypeHierarchySubtypesParams) -> Any:
        """Returns the subtypes of a type."""
        return await self._types(params.item, "subtypes")

    async def _types(self, item: types.TypeHierarchyItem, relation: "Relation") -> Any:
        return await self._ask(
            lambda items: [self._item(symbol) for symbol in items.related(_id_of(item), relation)]
        )

    async def incoming(self, params: types.CallHierarchyIncomingCallsParams) -> Any:
        """Returns the callers of a symbol."""
        return await self._calls(params.item, "callers", "from")

    async def outgoing(self, params: types.CallHierarchyOutgoingCallsParams) -> Any:
        """Returns the callees of a symbol."""
        return await self._calls(params.item, "callees", "to")

    async def _calls(self, item: types.CallHierarchyItem, relation: "Relation", name: str) -> Any:
        """Returns the calls of a symbol in one direction. name: the field of the other symbol in
        the answer."""
        if item.data == "":  # the call is outside of all symbols
            return []
        return await self._ask(
            lambda calls: [
                {
                    name: self._item(call),
                    "fromRanges": [to_range(place.start, place.end) for place in call.places],
                }
                for call in calls.related(_id_of(item), relation)
            ]
        )

    async def _at(
        self,
        params: _Positioned,
        field: str,
        find: "Callable[[Relations, str, tuple[int, int]], list[Any]]",
    ) -> Any:
        """Answers for the name at a position. Returns nothing if the user has not switched the
        request on.

        field: its field in Configuration.
        """
        uri, place = params.text_document.uri, (params.position.line, params.position.character)
        if not self._server.is_chosen(getattr(self._server.configuration, field), uri):
            return None
        return await self._ask(lambda relations: find(relations, uri, place) or None)

    async def _ask(self, work: "Callable[[Relations], _T]") -> Any:
        """Returns related symbols as JSON. Files that could not be read are reported in the
        client's log."""

        def answer(relations: "Relations") -> tuple[bytes, Sequence[str]]:
            return to_json(work(relations)), relations.notices

        encoded, notices = await self._server.ask(lambda workspace: workspace.relate(answer))
        for notice in notices:
            self._server.log(types.MessageType.Warning, notice)
        return Raw(encoded)

    def _item(self, item: "SymbolItem") -> dict[str, Any]:
        """Returns a symbol in the form of both hierarchies. Its range covers its whole lines,
        because no more is stored."""
        from symindex.render.hierarchy import (
            doubt_of,
        )  # deferred, because few editors ask for hierarchies

        symbols = self._server.client.symbols
        doubt = doubt_of(item.others, item.is_unsure)
        if item.match is None:
            place = item.places[0]
            spot = to_range(place.start, place.end)
            kind = symbols.kinds[KINDS[SymbolKind.FILE].code]
            name = place.path.rpartition("/")[2]
            return {
                "name": name,
                "kind": kind,
                **({"detail": f"({doubt})"} if doubt else {}),
                "uri": uri_of(place),
                "range": spot,
                "selectionRange": spot,
                "data": "",
            }
        match = item.match
        first, last = min(item.first, match.line), max(item.last, match.line)
        data = symbols.more("", match.flags)
        data.pop("deprecated", None)  # which these have only as a tag
        return {
            "name": match.name,
            "kind": symbols.kinds[match.kind],
            "detail": (match.container or match.path) + (f" ({doubt})" if doubt else ""),
            "uri": uri_of(match),
            "range": to_range((first, 0), (last + 1, 0)),
            "selectionRange": to_range((match.line, match.start), (match.line, match.end)),
            "data": item.id,
            **data,
        }


def _id_of(item: types.TypeHierarchyItem | types.CallHierarchyItem) -> str:
    """Returns the symbol of an item that a client sends back."""
    if not isinstance(item.data, str) or not item.data:
        raise RequestError("the hierarchy item has no data: prepare the hierarchy again")
    return item.data
