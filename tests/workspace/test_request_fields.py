"""Keywords of methods become requests in one place."""

import msgspec
import pytest

from symindex.protocol.changes import ChangedRequest
from symindex.protocol.explore import OutlineRequest, ReferencesRequest, SymbolRequest
from symindex.protocol.fetch import FetchRequest
from symindex.protocol.grep import GrepRequest
from symindex.protocol.hierarchy import HierarchyRequest
from symindex.protocol.history import BlameRequest, FileAtRequest, LineHistoryRequest
from symindex.protocol.overview import MapRequest
from symindex.protocol.recall import TextRequest
from symindex.protocol.search import SearchRequest
from symindex.protocol.trace import TraceRequest
from symindex.workspace import request_fields
from symindex.workspace.request_fields import make_request

KINDS = {
    SearchRequest: request_fields.SearchFields,
    SymbolRequest: request_fields.SymbolFields,
    OutlineRequest: request_fields.OutlineFields,
    HierarchyRequest: request_fields.HierarchyFields,
    MapRequest: request_fields.MapFields,
    ChangedRequest: request_fields.ChangedFields,
    BlameRequest: request_fields.BlameFields,
    LineHistoryRequest: request_fields.LineHistoryFields,
    FileAtRequest: request_fields.FileAtFields,
    ReferencesRequest: request_fields.ReferencesFields,
    GrepRequest: request_fields.GrepFields,
    TraceRequest: request_fields.TraceFields,
    TextRequest: request_fields.TextFields,
    FetchRequest: request_fields.FetchFields,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_a_keyword(kind: type[msgspec.Struct]) -> None:
    _first, *fields = kind.__struct_fields__
    assert set(KINDS[kind].__annotations__) == set(fields)


def test_a_request_or_its_fields() -> None:
    request = SearchRequest(query="a", max_items=3)
    assert make_request(SearchRequest, request, {}) is request
    assert make_request(SearchRequest, "a", {"max_items": 3}) == request
    with pytest.raises(TypeError, match="SearchRequest or its fields, not both: max_items"):
        make_request(SearchRequest, request, {"max_items": 3})
    with pytest.raises(TypeError, match="most"):
        make_request(SearchRequest, "a", {"most": 3})
