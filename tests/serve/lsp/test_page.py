"""The page of the language server (`symindex/serve/lsp/README.md`): its examples show what
happens."""

import json
import re

import pytest

from symindex.serve.lsp.handshake import OUTLINE, REINDEX, SEARCH
from tests.support.lsp_client import Editors
from tests.support.pages import EDITORS, PAGES, ROOT, blocks

PAGE = PAGES[EDITORS]
EXAMPLES = [
    json.loads(block) for block in blocks("json", PAGE.split("\n### Requests of our own\n")[1])
]


@pytest.mark.nightly
def test_requests_of_our_own_are_answered_as_shown(editors: Editors) -> None:
    root = ROOT / "fixtures" / "scenarios" / "repository"
    client = editors.start_indexed(root)
    search, response, tree_request, tree, outline, symbols = EXAMPLES
    answer = client.call(SEARCH, search)
    assert re.fullmatch(r"[\w-]+", answer["pagination_id"])
    assert {**answer, "pagination_id": "..."} == response
    outline["textDocument"]["uri"] = outline["textDocument"]["uri"].replace(
        "file:///...", root.as_uri()
    )
    assert client.call(OUTLINE, outline) == symbols
    assert client.call(OUTLINE, tree_request) == tree


@pytest.mark.nightly
def test_every_request_and_error_is_on_the_page(editors: Editors) -> None:
    capabilities = editors.connect().initialize(ROOT / "fixtures" / "scenarios" / "repository")
    assert capabilities["workspaceSymbolProvider"] and capabilities["documentSymbolProvider"]
    assert capabilities["executeCommandProvider"]["commands"] == [REINDEX]
    for word in (
        "workspace/symbol",
        "textDocument/documentSymbol",
        REINDEX,
        SEARCH,
        OUTLINE,
        "-32803",
        "-32002",
        "-32800",
    ):
        assert f"`{word}`" in PAGE or word in PAGE
