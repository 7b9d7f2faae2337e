"""A session of one client in this process: requests, documents, folders, settings, notifications and
events, without a connection and with an index that is made once."""

import asyncio
import json
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from lsprotocol import types

from symindex.cancellation import NotWantedError, check_wanted
from symindex.errors import RequestError
from symindex.serve.lsp import channel, protocol
from symindex.serve.lsp import server as lsp_server
from symindex.serve.lsp.channel import MOST_WAITING, REQUEST_FAILED, to_json
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.lsp.handlers import make_server
from symindex.serve.lsp.handshake import read_client_info
from symindex.workspace.watched_tree import TreeEvent
from tests.support.files import write_files
from tests.support.followed import IndexedTrees, indexed_tree, parse_here
from tests.support.waiting import SECONDS

SHOP = (
    "class Store:\n    def load(self):\n        return 1\n\n\n"
    "class Disk(Store):\n    def load(self):\n        return read()\n\n\n"
    'def read():\n    "Reads <it>."\n    return 2\n'
)
USE = "from shop import Disk, read\n\n\ndef twice():\n    read()\n    return read()\n\n\nread()\n"
TREE = {
    "shop.py": SHOP,
    "use.py": USE,
    "other.py": "def read():\n    return 3\n",
    "many.py": "".join(f"def needle_{number}(): pass\n" for number in range(130)),
    "guide.md": "# Guide\n\n## Baking\n",
}
ON = {
    "references": True, "implementation": True, "typeHierarchy": True, "callHierarchy": True,
    "definition": True, "hover": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexedTrees]:
    folder = tmp_path_factory.mktemp("session")
    tree = indexed_tree(write_files(folder / "tree", TREE), folder / "index")
    yield IndexedTrees(tree)
    tree.stop()


@pytest.fixture
def root(trees: IndexedTrees) -> Path:
    return next(iter(trees._trees))


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parses documents here, and lets answers take as long as they do on a busy machine."""
    parse_here(monkeypatch)
    monkeypatch.setattr("symindex.editor.editor_relations.SECONDS", 120.0)


NO_BOUNDS: Final = Bounds()


class Session:
    """The server of one client, and what it has sent: `answers` by id, and other messages."""

    waiting = 0

    def __init__(self, trees: Any, bounds: Bounds = NO_BOUNDS, **params: Any) -> None:
        self.answers: dict[Any, Any] = {}
        self.sent: list[Any] = []
        self.replies: dict[str, Any] = {}
        channel: Any = self
        self.server = make_server(read_client_info(params), channel, lambda: trees, bounds)

    def write(self, message: bytes) -> None:
        data = json.loads(message)
        if "method" not in data:
            self.answers[data["id"]] = data
            return
        self.sent.append(data)
        if "id" in data and data["method"] in self.replies:
            asyncio.get_running_loop().call_soon(self.reply, data)

    def reply(self, asked: Any) -> None:
        reply = {"jsonrpc": "2.0", "id": asked["id"], **self.replies[asked["method"]]}
        self.server.protocol.take(to_json(reply))

    def say(self, method: str, params: Any = None, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        self.server.protocol.take(to_json(message if number is None else {**message, "id": number}))

    async def ask(self, method: str, params: Any) -> Any:
        """Returns the result, or the error as `(code, message)`."""
        number = len(self.answers) + 1
        self.say(method, params, number)
        await self.until(lambda: number in self.answers)
        answer = self.answers[number]
        if "error" in answer:
            return answer["error"]["code"], answer["error"]["message"]
        return answer["result"]

    async def until(self, is_so: Callable[[], object]) -> None:
        end = time.monotonic() + SECONDS
        while not is_so():
            assert time.monotonic() < end, "what was waited for"
            await asyncio.sleep(0.001)

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.say("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: Any) -> None:
        document = {"uri": uri, "version": version}
        self.say("textDocument/didChange", {"textDocument": document, "contentChanges": [*changes]})

    def told(self, method: str) -> list[Any]:
        return [message["params"] for message in self.sent if message["method"] == method]


def talk(
    work: Callable[[Session], Awaitable[object]],
    trees: Any,
    bounds: Bounds = NO_BOUNDS,
    **params: Any,
) -> Session:
    """Runs a session to its end."""

    async def run() -> Session:
        session = Session(trees, bounds, **params)
        try:
            await work(session)
        finally:
            await session.server.close()
        return session

    return asyncio.run(run())


def opened_at(root: Path, **options: Any) -> dict[str, Any]:
    return {"rootUri": root.as_uri(), "initializationOptions": options}


def spot(*numbers: int) -> dict[str, Any]:
    (line, start, end_line, end) = numbers
    return {
        "start": {"line": line, "character": start},
        "end": {"line": end_line, "character": end},
    }


def at(uri: str, line: int, character: int, **more: Any) -> dict[str, Any]:
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character},
        **more,
    }


def test_symbols_of_the_workspace(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        rows = await session.ask("workspace/symbol", {"query": "Store"})
        assert rows == [
            {
                "name": "Store",
                "kind": 5,
                "location": {"uri": (root / "shop.py").as_uri(), "range": spot(0, 6, 0, 11)},
            }
        ]
        names = [row["name"] for row in await session.ask("workspace/symbol", {"query": "needle"})]
        assert len(names) == 130
        params = {"query": "needle", "partialResultToken": "t"}
        assert await session.ask("workspace/symbol", params) == []
        parts = session.told("$/progress")
        assert [(part["token"], len(part["value"])) for part in parts] == [("t", 64), ("t", 66)]
        assert [row["name"] for part in parts for row in part["value"]] == names
        assert await session.ask("workspace/symbol", {"query": "nothing_like_it"}) == []
        assert not session.told("window/logMessage")

    talk(work, trees, **opened_at(root))


@pytest.mark.parametrize(
    ("options", "files"),
    [
        ({}, ["other.py", "shop.py"]),
        ({"limit": 1}, 1),
        ({"include": ["o*"]}, ["other.py"]),
        ({"exclude": ["o*"]}, ["shop.py"]),
        ({"languages": ["ruby"]}, []),
    ],
)
def test_settings_narrow_the_symbols_of_a_client(
    trees: IndexedTrees, root: Path, options: dict[str, Any], files: Any
) -> None:
    async def work(session: Session) -> None:
        rows = await session.ask("workspace/symbol", {"query": "read"})
        names = sorted(
            row["location"]["uri"].rpartition("/")[2] for row in rows if row["name"] == "read"
        )
        assert (len(names) if isinstance(files, int) else names) == files

    talk(work, trees, **opened_at(root, **options))


def test_a_newer_query_ends_the_older_one(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        find, is_asked = workspace.rows.find, threading.Event()

        def wait(request: Any) -> Any:
            if request.query == "old":
                is_asked.set()
                for _ in range(10_000):
                    check_wanted()
                    time.sleep(0.001)
            return find(request)

        workspace.rows.find = wait
        session.say("workspace/symbol", {"query": "old"}, 90)
        await session.until(is_asked.is_set)
        assert len(await session.ask("workspace/symbol", {"query": "Store"})) == 1
        await session.until(lambda: 90 in session.answers)
        assert session.answers[90]["error"]["message"] == "replaced by a newer request"

    talk(work, trees, **opened_at(root))


def test_an_index_that_is_not_ready_is_told_once(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        workspace.rows.find = lambda _: ([], False)
        for _ in range(2):
            await session.ask("workspace/symbol", {"query": "a"})
        assert session.told("window/logMessage") == [
            {
                "type": 3,
                "message": "the index is not ready yet; answers come from the files that were read so far",
            }
        ]

    talk(work, trees, **opened_at(root))


def test_symbols_of_a_document_and_the_range_of_one(trees: IndexedTrees, root: Path) -> None:
    uri = (root / "shop.py").as_uri()

    async def trees_of(session: Session) -> None:
        symbols = await session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert [row["name"] for row in symbols] == ["Store", "Disk", "read"]
        assert [row["name"] for row in symbols[1]["children"]] == ["load"]

    async def lists(session: Session) -> None:
        symbols = await session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert [row["name"] for row in symbols] == ["Store", "load", "Disk", "load", "read"]
        location = {"uri": uri, "range": spot(1, 2, 3, 4)}
        symbol = {"name": "load", "kind": 6, "containerName": "Disk", "location": {"uri": uri}}
        resolved = await session.ask("workspaceSymbol/resolve", symbol)
        assert resolved["location"] == {"uri": uri, "range": spot(6, 8, 6, 12)}
        resolved = await session.ask("workspaceSymbol/resolve", {**symbol, "location": location})
        assert resolved["location"] == location
        for changed in ({"name": "gone"}, {"containerName": None}):
            error = await session.ask("workspaceSymbol/resolve", {**symbol, **changed})
            name = changed.get("name", "load")
            assert error == (REQUEST_FAILED, f"{name}: is no longer in shop.py")

    trees_supported = {
        "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    }
    talk(trees_of, trees, **opened_at(root), capabilities=trees_supported)
    talk(lists, trees, **opened_at(root))


def test_a_document_that_was_not_read_is_told_once(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        params = {"textDocument": {"uri": "untitled:1"}}
        for text in ("a = 1\n", "#" * 2_000_001, "#" * 2_000_001, "a = 1\n"):
            session.open("untitled:1", text)
            for _ in range(2):
                await session.ask("textDocument/documentSymbol", params)
        (message,) = session.told("window/logMessage")
        assert message["type"] == 2
        assert message["message"].startswith(
            "untitled:1: has no outline, because it was not read: "
        )
        assert message["message"].endswith("more than 2,000,000 bytes")

    talk(work, trees, **opened_at(root))


def test_the_definitions_of_a_name_and_what_is_known_of_the_likeliest(
    trees: IndexedTrees, root: Path
) -> None:
    use, shop = (root / "use.py").as_uri(), (root / "shop.py").as_uri()

    async def work(session: Session) -> None:
        session.open(use, USE)
        locations = await session.ask("textDocument/definition", at(use, 8, 1))
        assert locations == [{"uri": shop, "range": spot(10, 4, 10, 8)}]
        assert await session.ask("textDocument/definition", at(use, 1, 0)) is None
        hover = await session.ask("textDocument/hover", at(use, 0, 18))
        assert hover["range"] == spot(0, 17, 0, 21)
        assert hover["contents"]["value"].endswith("*class in shop.py:6*")
        hover = await session.ask("textDocument/hover", at(use, 8, 0))
        text = hover["contents"]["value"]
        assert text.startswith("```python\ndef read()") and hover["contents"]["kind"] == "markdown"
        assert text.endswith("\n\n*function in shop.py:11*")
        assert await session.ask("textDocument/hover", at(use, 1, 0)) is None
        error = await session.ask("textDocument/hover", at("untitled:9", 0, 0))
        assert error in (None, (REQUEST_FAILED, "untitled:9: is not open"))
        session.open(shop, SHOP, "c++")
        hover = await session.ask("textDocument/hover", at(shop, 10, 5))
        assert hover["contents"]["value"].startswith("```\ndef read()")
        assert "\n\nReads \\<it\\>.\n\n" in hover["contents"]["value"]

    async def off(session: Session) -> None:
        session.open(use, USE, "python")
        assert await session.ask("textDocument/hover", at(use, 8, 0)) is None
        assert await session.ask("textDocument/definition", at(use, 8, 0)) is None
        assert await session.ask("textDocument/references", at(use, 8, 0, context={"includeDeclaration": True})) is None  # fmt: skip

    talk(work, trees, **opened_at(root, **ON))
    talk(off, trees, **opened_at(root))
    talk(off, trees, **opened_at(root, definition=["ruby"], hover=["ruby"], references=["ruby"]))
    talk(work, trees, **opened_at(root, **{**ON, "hover": ["python", "c++"]}))


def test_related_symbols_at_a_place(trees: IndexedTrees, root: Path) -> None:
    use, shop = (root / "use.py").as_uri(), (root / "shop.py").as_uri()

    async def work(session: Session) -> None:
        session.open(shop, SHOP)
        uses = [
            (uri.rpartition("/")[2], *ranges)
            for uri, *ranges in [
                (shop, spot(7, 15, 7, 19)),
                (use, spot(0, 23, 0, 27)),
                (use, spot(4, 4, 4, 8)),
                (use, spot(5, 11, 5, 15)),
                (use, spot(8, 0, 8, 4)),
            ]
        ]

        async def found(is_wide: bool) -> list[Any]:
            context = {"includeDeclaration": is_wide}
            places = await session.ask("textDocument/references", at(shop, 10, 5, context=context))
            return [(place["uri"].rpartition("/")[2], place["range"]) for place in places]

        assert await found(False) == uses
        assert sorted(map(str, await found(True))) == sorted(
            map(str, [*uses, ("shop.py", spot(10, 4, 10, 8))])
        )
        implementations = await session.ask("textDocument/implementation", at(shop, 0, 7))
        assert implementations == [{"uri": shop, "range": spot(5, 6, 5, 10)}]
        assert await session.ask("textDocument/implementation", at(shop, 10, 5)) is None
        (disk,) = await session.ask("textDocument/prepareTypeHierarchy", at(shop, 5, 7))
        assert disk == {
            "name": "Disk", "kind": 5, "detail": "shop.py", "uri": shop, "range": spot(5, 0, 8, 0),
            "selectionRange": spot(5, 6, 5, 10), "data": "shop.py#Disk",
        }  # fmt: skip
        (store,) = await session.ask("typeHierarchy/supertypes", {"item": disk})
        assert store["name"] == "Store"
        (again,) = await session.ask("typeHierarchy/subtypes", {"item": store})
        assert again == disk
        (read,) = await session.ask("textDocument/prepareCallHierarchy", at(shop, 10, 5))
        calls = await session.ask("callHierarchy/incomingCalls", {"item": read})
        by_name = {call["from"]["name"]: call for call in calls}
        assert {*by_name} == {"load", "twice", "use.py"}
        assert by_name["twice"]["fromRanges"] == [spot(4, 4, 4, 8), spot(5, 11, 5, 15)]
        assert by_name["load"]["from"]["detail"] == "Disk"
        outside = by_name["use.py"]["from"]
        assert outside == {
            "name": "use.py", "kind": 1, "uri": use, "range": spot(8, 0, 8, 4),
            "selectionRange": spot(8, 0, 8, 4), "data": "",
        }  # fmt: skip
        assert await session.ask("callHierarchy/incomingCalls", {"item": outside}) == []
        (called,) = await session.ask(
            "callHierarchy/outgoingCalls", {"item": by_name["load"]["from"]}
        )
        assert called["to"]["name"] == "read" and called["fromRanges"] == [spot(7, 15, 7, 19)]
        for data in (None, 5, ""):
            error = await session.ask("typeHierarchy/subtypes", {"item": {**disk, "data": data}})
            assert error == (
                REQUEST_FAILED,
                "the hierarchy item has no data: prepare the hierarchy again",
            )
        assert not session.told("window/logMessage")

    talk(work, trees, **opened_at(root, **ON))


def test_files_that_relations_cannot_read_are_logged(
    trees: IndexedTrees, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symindex.editor.editor_relations.SECONDS", 0.0)

    async def work(session: Session) -> None:
        shop = (root / "shop.py").as_uri()
        session.open(shop, SHOP)
        context = {"includeDeclaration": True}
        await session.ask("textDocument/references", at(shop, 10, 5, context=context))
        assert "out of time" in session.told("window/logMessage")[0]["message"]

    talk(work, trees, **opened_at(root, **ON))


def test_our_own_requests(trees: IndexedTrees, root: Path) -> None:
    shop = (root / "shop.py").as_uri()

    async def work(session: Session) -> None:
        response = await session.ask("symindex/search", {"query": "Store"})
        assert [item["name"] for item in response["items"]] == ["Store"]
        outline = await session.ask("symindex/outline", {"path": "guide.md"})
        assert outline["items"]
        document = await session.ask("symindex/outline", {"textDocument": {"uri": shop}})
        assert (document["language"], document["skipped"]) == ("python", None)
        rows = document["items"]
        assert [(row["name"], row["container"], row["parent"]) for row in rows] == [
            ("Store", None, None), ("load", "Store", 0), ("Disk", None, None), ("load", "Disk", 2), ("read", None, None),
        ]  # fmt: skip
        assert rows[3]["range"] == spot(6, 4, 7, 21) and rows[3]["selectionRange"] == spot(
            6, 8, 6, 12
        )
        assert rows[4]["doc"] == "Reads <it>." and rows[4]["kind"] == "function"
        session.open("untitled:2", "#" * 2_000_001)
        document = await session.ask("symindex/outline", {"textDocument": {"uri": "untitled:2"}})
        assert document["items"] == [] and document["language"] is None
        assert document["skipped"].endswith(": more than 2,000,000 bytes")
        for params, message in (
            (None, 'symindex/outline: expected {"path": "src"}, or {"textDocument": {"uri": "file:///..."}}'),
            ({"textDocument": 5}, 'symindex/outline: expected {"textDocument": {"uri": "file:///..."}}'),
            ({"textDocument": {}}, 'symindex/outline: expected {"textDocument": {"uri": "file:///..."}}'),
        ):  # fmt: skip
            assert await session.ask("symindex/outline", params) == (REQUEST_FAILED, message)
        code, message = await session.ask("symindex/search", {"qery": "x"})
        assert code == REQUEST_FAILED and message.startswith("symindex/search: ")
        missing = await session.ask("symindex/fetch", {"item_id": "skill:nothing"})
        assert "error" in missing or "status" in missing
        listed = await session.ask("symindex/fetch", {"query": "x", "scope": "skill"})
        assert "items" in listed or "results" in listed
        code, message = await session.ask(
            "symindex/fetch", {"item_id": "a", "destination": "project"}
        )
        assert message == (
            "symindex/fetch: a destination is supported only on the command line: symindex fetch"
            " ID --to project"
        )

    talk(work, trees, **opened_at(root))


def test_the_trace_says_how_long_an_answer_took(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        await session.ask("workspace/symbol", {"query": "Store"})
        assert session.told("$/logTrace") == []
        session.say("$/setTrace", {"value": "messages"})
        rows = await session.ask("workspace/symbol", {"query": "Store"})
        ((text,),) = [[params["message"]] for params in session.told("$/logTrace")]
        begin = f"workspace/symbol 'Store': {len(to_json(rows))} bytes in "
        assert text.startswith(begin) and text.endswith(" ms")
        assert 0 < float(text.removeprefix(begin).removesuffix(" ms")) < 30_000
        uri = (root / "shop.py").as_uri()
        symbols = await session.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        text = session.told("$/logTrace")[1]["message"]
        assert text.startswith(f"textDocument/documentSymbol: {len(to_json(symbols)):,} bytes in ")

    talk(work, trees, **opened_at(root))


def test_documents_are_opened_changed_saved_and_closed(
    trees: IndexedTrees, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "symindex.lsp")
    uri, none = (root / "shop.py").as_uri(), "untitled:none"
    changed: list[list[Path]] = []

    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        workspace.folders.files_changed = lambda paths: changed.append([*paths])
        closed: list[tuple[str, bool]] = []
        close = workspace.documents.close

        def note(key: str, is_saved: bool = False) -> None:
            closed.append((key, is_saved))
            close(key, is_saved)

        workspace.documents.close = note

        async def outline() -> list[str]:
            params = {"textDocument": {"uri": uri}}
            symbols = await session.ask("textDocument/documentSymbol", params)
            return [row["name"] for row in symbols]

        session.open(uri, "def one(): pass\n", version=3)
        assert await outline() == ["one"] and session.server.languages_of == {uri: "python"}
        session.change(
            uri,
            4,
            {"range": spot(0, 4, 0, 7), "text": "two"},
            {"range": spot(0, 7, 0, 7), "text": "_x"},
        )
        assert await outline() == ["two_x"] and not caplog.records
        session.change(uri, 4, {"text": "def three(): pass\n"})
        assert await outline() == ["three"] and not caplog.records
        session.change(uri, 2, {"text": "def four(): pass\n"})
        assert await outline() == ["four"]
        assert caplog.messages == [f"{uri}: an edit of version 2 comes after version 4"]
        session.change(none, 1, {"text": ""})
        session.say("textDocument/didClose", {"textDocument": {"uri": none}})
        assert caplog.messages[1:] == [
            f"{none}: ignored an edit of a document that is not open",
            f"{none}: was not open",
        ]
        session.say("textDocument/didSave", {"textDocument": {"uri": uri}})
        session.change(uri, 5, {"text": "def five(): pass\n"})
        session.say("textDocument/didClose", {"textDocument": {"uri": uri}})
        session.open(uri, "x = 1\n", version=7)
        session.say("textDocument/didSave", {"textDocument": {"uri": uri}})
        session.say("textDocument/didClose", {"textDocument": {"uri": uri}})
        session.say("textDocument/didSave", {"textDocument": {"uri": uri}})
        session.open(uri, "x = 1\n", version=7)
        session.say("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert closed == [(uri, False), (uri, True), (uri, False)]
        assert session.server.languages_of == {}
        assert changed == [[root / "shop.py"]] * 6

    talk(work, trees, **opened_at(root))


def test_an_edit_that_is_lost_is_shown(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        session.say("textDocument/didChange", {"textDocument": 5})
        (message,) = session.told("window/showMessage")
        assert message == {
            "type": 2,
            "message": "symindex: cannot apply an edit to an open document: close the document, and open it again",
        }

    talk(work, trees, **opened_at(root))


def test_files_that_the_client_reports(trees: IndexedTrees, root: Path) -> None:
    changed: list[list[Path]] = []

    async def work(session: Session) -> None:
        session.say(
            "workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///early", "type": 1}]}
        )
        workspace: Any = await session.server.client_workspace()
        workspace.folders.files_changed = lambda paths: changed.append([*paths])
        changes = [{"uri": "file:///a", "type": 1}, {"uri": "untitled:x", "type": 2}]
        session.say("workspace/didChangeWatchedFiles", {"changes": changes})
        session.say("workspace/didCreateFiles", {"files": [{"uri": "file:///b"}]})
        session.say(
            "workspace/didRenameFiles", {"files": [{"oldUri": "file:///c", "newUri": "file:///d"}]}
        )
        session.say("workspace/didDeleteFiles", {"files": [{"uri": "file:///e"}]})
        assert changed == [[Path("/a")], [Path("/b")], [Path("/c"), Path("/d")], [Path("/e")]]

    talk(work, trees, **opened_at(root))


def test_folders_are_added_and_removed(tmp_path: Path) -> None:
    given = IndexedTrees()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()

    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        assert [folder.name for folder in workspace.folders.all] == ["first"]
        event = {
            "added": [{"uri": (tmp_path / "two").as_uri(), "name": "2nd"}, {"uri": "untitled:x", "name": ""}],
            "removed": [{"uri": (tmp_path / "one").as_uri(), "name": ""}, {"uri": "untitled:y", "name": ""}],
        }  # fmt: skip
        session.say("workspace/didChangeWorkspaceFolders", {"event": event})
        await session.until(lambda: session.told("window/showMessage"))
        assert [folder.name for folder in workspace.folders.all] == ["2nd"]
        assert given.left == [tmp_path / "one"]
        assert session.told("window/showMessage") == [
            {
                "type": 2,
                "message": "symindex: untitled:x: ignored, because it is not a folder on this machine",
            }
        ]

    folders = [{"uri": (tmp_path / "one").as_uri(), "name": "first"}]
    talk(work, given, workspaceFolders=folders)
    assert given.left == [tmp_path / "one", tmp_path / "two"] and given.listeners == []


def test_a_client_without_folders_is_told_what_is_searched(tmp_path: Path) -> None:
    async def work(session: Session) -> None:
        await session.server.client_workspace()
        assert session.told("window/logMessage") == [
            {"type": 2, "message": "no folder is open: only open documents are searched"}
        ]
        assert session.told("window/showMessage") == []

    talk(work, IndexedTrees())

    async def refused(session: Session) -> None:
        await session.server.client_workspace()
        (shown,) = session.told("window/showMessage")
        assert shown["type"] == 2 and "is outside of the folders" in shown["message"]

    talk(refused, IndexedTrees(), Bounds((tmp_path / "a",)), **opened_at(tmp_path / "b"))


async def configured(session: Session, sent: Any) -> None:
    """Sends settings, and waits until they were applied."""
    before = session.server.configuration
    session.say("workspace/didChangeConfiguration", {"settings": sent})
    await session.until(lambda: session.server.configuration is not before)
    async with session.server._changing:
        pass


def test_settings_are_changed_by_the_client(tmp_path: Path) -> None:
    given = IndexedTrees()

    async def work(session: Session) -> None:
        assert session.server.configuration.limit == 3
        await session.server.client_workspace()
        await configured(session, {"symindex": {"hover": True}})
        assert session.server.configuration.limit == 3 and session.server.configuration.hover
        await configured(session, {"limit": 5})
        assert session.server.configuration.limit == 5 and not session.server.configuration.hover
        await configured(session, {"limit": 0})
        assert session.server.configuration.limit is None
        assert "setting 'limit': 0" in session.told("window/showMessage")[0]["message"]
        assert given.left == []
        await configured(session, {"indexDir": str(tmp_path / "i")})
        await session.until(lambda: len(given.taken) == 2)
        assert given.left == [tmp_path] and given.taken[1] == (tmp_path, str(tmp_path / "i"))
        await configured(session, {"indexDir": str(tmp_path / "i"), "limit": 9})
        assert len(given.taken) == 2

    talk(work, given, **opened_at(tmp_path, limit=3))


@pytest.mark.parametrize("bounds", [Bounds((Path("/"),)), Bounds((), "/indexes")])
def test_where_indexes_are_is_the_choice_of_who_starts_the_server(
    tmp_path: Path, bounds: Bounds
) -> None:
    given = IndexedTrees()

    async def work(session: Session) -> None:
        await session.server.client_workspace()
        assert given.taken == [(tmp_path, bounds.index_dir)]
        (shown,) = session.told("window/showMessage")
        assert shown["message"] == (
            "symindex: setting 'indexDir': ignored, because the server was started with --root or"
            " --index-dir"
        )

    talk(work, given, bounds, **opened_at(tmp_path, indexDir="/x"))


DYNAMIC = {"dynamicRegistration": True}


def test_settings_are_asked_for_and_requests_registered(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        session.replies = {
            "workspace/configuration": {"result": [{"hover": True, "limit": 4}]},
            "client/registerCapability": {"result": None},
        }
        session.say("initialized", {})
        await session.until(lambda: session.server.configuration.limit == 4)
        await session.until(lambda: len(session.told("client/registerCapability")) == 3)
        registered = [
            registration
            for params in session.told("client/registerCapability")
            for registration in params["registrations"]
        ]
        assert [registration["method"] for registration in registered] == [
            "workspace/didChangeWatchedFiles",
            "workspace/didChangeConfiguration",
            "textDocument/hover",
        ]
        assert registered[0]["registerOptions"]["watchers"][-1]["globPattern"] == "**/symindex.toml"
        assert registered[1]["registerOptions"] == {"section": "symindex"}
        selector = [{"scheme": "file"}, {"scheme": "untitled"}]
        assert registered[2]["registerOptions"]["documentSelector"] == selector
        assert session.told("workspace/configuration") == [{"items": [{"section": "symindex"}]}]
        session.replies["workspace/configuration"] = {"result": [None]}
        session.say("workspace/didChangeConfiguration", {"settings": None})
        await session.until(lambda: len(session.told("workspace/configuration")) == 2)
        await asyncio.sleep(0.01)
        assert session.server.configuration.limit == 4
        session.replies["workspace/configuration"] = {"error": {"code": 1, "message": "no"}}
        session.say("workspace/didChangeConfiguration", {"settings": {}})
        await session.until(lambda: len(session.told("workspace/configuration")) == 3)
        await asyncio.sleep(0.01)
        assert session.server.configuration.limit == 4
        assert len(session.told("client/registerCapability")) == 3

    capabilities = {
        "workspace": {
            "configuration": True,
            "didChangeWatchedFiles": DYNAMIC,
            "didChangeConfiguration": DYNAMIC,
        },
        "textDocument": {"hover": DYNAMIC},
    }
    talk(work, trees, **opened_at(root), capabilities=capabilities)


def test_a_client_that_tells_no_settings_is_not_asked(trees: IndexedTrees, root: Path) -> None:
    async def work(session: Session) -> None:
        session.say("initialized", {})
        session.say("workspace/didChangeConfiguration", {"settings": None})
        await session.ask("workspace/symbol", {"query": "Store"})
        await asyncio.sleep(0.01)
        assert not session.told("workspace/configuration")
        assert not session.told("client/registerCapability")

    talk(work, trees, **opened_at(root))


def event(kind: Any, text: str = "", done: int = 0, total: int = 0) -> TreeEvent:
    return TreeEvent(kind, Path("/r"), lambda: None, done, total, text)


def test_events_of_trees_reach_the_client(root: Path, trees: IndexedTrees) -> None:
    async def work(session: Session) -> None:
        server = session.server
        for some in (
            event("end", "cancelled"),
            event("end"),
            event("notice", "a notice"),
            event("begin"),
        ):
            server._on_event(some)
        assert [(params["type"], params["message"]) for params in session.told("window/logMessage")] == [
            (3, "/r: indexing was cancelled; answers come from the old index and from scanning files; to index again, use the command symindex.reindex"),
            (2, "a notice"),
        ]  # fmt: skip
        server._on_event(event("error", "an error"))
        assert session.told("window/showMessage") == [{"type": 1, "message": "symindex: an error"}]
        server._on_event(event("ready"))  # before there is a workspace
        workspace: Any = await server.client_workspace()
        warmed: list[str] = []
        workspace.rows.warm_up = lambda: warmed.append("warm")
        server._on_event(event("ready"))
        await session.until(lambda: warmed)
        session.waiting = MOST_WAITING
        server._on_event(event("notice", "to a client that reads nothing"))
        server._on_event(event("error", "to nobody"))
        assert len(session.sent) == 3
        session.waiting -= 1
        server._on_event(event("notice", "to one that does"))
        assert len(session.sent) == 4

    talk(work, trees, **opened_at(root))


@pytest.mark.parametrize("shows", [True, False])
def test_progress_is_shown_to_a_client_that_supports_it(
    shows: bool, root: Path, trees: IndexedTrees
) -> None:
    async def work(session: Session) -> None:
        session.replies["window/workDoneProgress/create"] = {"result": None}
        session.server._on_event(event("begin"))
        if shows:
            await session.until(lambda: session.told("$/progress"))
        session.server._on_event(event("report", done=1, total=2))
        session.server._on_event(event("end"))
        kinds = [params["value"]["kind"] for params in session.told("$/progress")]
        assert kinds == (["begin", "report", "end"] if shows else [])

    talk(work, trees, **opened_at(root), capabilities={"window": {"workDoneProgress": shows}})


def test_events_come_from_other_threads(root: Path, trees: IndexedTrees) -> None:
    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        listener = trees.listeners[-1]
        thread = threading.Thread(target=listener, args=(event("error", "from a thread"),))
        thread.start()
        await session.until(lambda: session.told("window/showMessage"))
        workspace.documents.texts._on_notice("of a document")
        await session.until(lambda: session.told("window/logMessage"))
        assert session.told("window/logMessage") == [{"type": 2, "message": "of a document"}]

    talk(work, trees, **opened_at(root))


def test_a_command_reads_everything_again(root: Path, trees: IndexedTrees) -> None:
    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        again: list[str] = []
        workspace.folders.reindex = lambda: again.append("again")
        assert (
            await session.ask("workspace/executeCommand", {"command": "symindex.reindex"}) is None
        )
        assert again == ["again"]
        error = await session.ask("workspace/executeCommand", {"command": "x"})
        assert error == (REQUEST_FAILED, "unknown command 'x': expected symindex.reindex")

    talk(work, trees, **opened_at(root))


def test_work_waits_for_the_workspace_in_its_order(
    root: Path, trees: IndexedTrees, caplog: pytest.LogCaptureFixture
) -> None:
    """A step that fails keeps no later one from running."""
    ran: list[int] = []

    def fail(_: Any) -> None:
        raise ValueError("a fault")

    async def work(session: Session) -> None:
        server = session.server
        for step in (lambda _: ran.append(1), fail, lambda _: ran.append(2)):
            server.when_ready(step)
        assert ran == []
        await server.client_workspace()
        assert ran == [1, 2] and "before its session began" in caplog.text
        server.when_ready(lambda _: ran.append(3))
        assert ran == [1, 2, 3]
        made = await server.client_workspace()
        assert made is await server.client_workspace()

    talk(work, trees, **opened_at(root))


def test_after_the_end_nothing_is_begun(root: Path, trees: IndexedTrees) -> None:
    async def work(session: Session) -> None:
        server = session.server
        workspace: Any = await server.client_workspace()
        with pytest.raises(RuntimeError, match="an iterator ended unexpectedly"):
            await server.run(lambda: next(iter(())))
        assert await session.ask("shutdown", None) is None
        assert workspace.folders.is_closed
        with pytest.raises(asyncio.CancelledError):
            await server.run(lambda: None)
        server._add_folder(root, "late")
        for method in ("workspace/symbol", "shutdown"):
            _, message = await session.ask(method, {"query": "x"})
            assert message == f"{method}: the server was shut down; only exit may follow"
        assert server.protocol.exit_code is None
        session.say("exit")
        assert server.protocol.exit_code == 0

    talk(work, trees, **opened_at(root))

    async def early(session: Session) -> None:
        await session.server.close()
        with pytest.raises(asyncio.CancelledError):
            await session.server.client_workspace()
        session.say("exit")
        assert session.server.protocol.exit_code == 1

    talk(early, trees, **opened_at(root))


def test_messages_that_come_at_the_wrong_time_or_in_the_wrong_form(
    root: Path, trees: IndexedTrees, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(session: Session) -> None:
        assert await session.ask("initialize", {}) == (-32600, "initialize: already requested")
        session.say("initialize", {})
        assert "ignored: initialize: already requested" in caplog.text
        assert await session.ask("textDocument/didOpen", {"textDocument": {"uri": "a", "languageId": "b", "version": 1, "text": ""}}) == (-32600, "textDocument/didOpen: this is a notification, which has no id")  # fmt: skip
        error = await session.ask("textDocument/hover", {"textDocument": 5})
        assert error == (-32602, "textDocument/hover: the params do not match the protocol")
        session.say("textDocument/didOpen", {"textDocument": 5})
        assert "textDocument/didOpen: cannot parse the message" in caplog.text
        n_before = len(session.sent), len(session.answers)
        session.server.protocol.take(b'{"jsonrpc": "2.0", "id": "symindex-1", "result": 1}')
        session.server.protocol.take(b'{"jsonrpc": "2.0", "id": 5, "result": 1}')
        assert (len(session.sent), len(session.answers)) == n_before
        session.server.protocol.take(b"{")
        assert session.answers[None]["error"]["code"] == -32700
        session.server.protocol.disconnect()
        session.say("workspace/symbol", {"query": "x"}, 77)
        await asyncio.sleep(0.01)
        assert 77 not in session.answers

    talk(work, trees, **opened_at(root))


def test_a_request_that_the_client_cancels_ends(root: Path, trees: IndexedTrees) -> None:
    async def work(session: Session) -> None:
        workspace: Any = await session.server.client_workspace()
        ends: list[str] = []
        is_asked = threading.Event()

        def wait(_: Any) -> Any:
            is_asked.set()
            try:
                for _ in range(10_000):
                    check_wanted()
                    time.sleep(0.001)
            finally:
                ends.append("ended")

        workspace.rows.find = wait
        session.say("workspace/symbol", {"query": "x"}, 50)
        await session.until(is_asked.is_set)
        session.say("$/cancelRequest", {"id": 50})
        await session.until(lambda: 50 in session.answers)
        assert session.answers[50]["error"] == {"code": -32800, "message": "cancelled"}
        await session.until(lambda: ends)

    talk(work, trees, **opened_at(root))


def test_why_a_client_shows_no_progress_is_logged(
    root: Path,
    trees: IndexedTrees,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO, "symindex.lsp")

    async def work(session: Session) -> None:
        session.replies["window/workDoneProgress/create"] = {
            "error": {"code": 1, "message": "I will not"}
        }
        session.server._on_event(event("begin"))
        await session.until(lambda: "the client does not show progress: I will not" in caplog.text)
        session.server._on_event(event("end"))
        monkeypatch.setattr(protocol, "CLIENT_SECONDS", 0.01)
        session.replies.clear()
        session.server._on_event(event("begin"))
        await session.until(lambda: "the client does not show progress: no answer" in caplog.text)
        assert await session.server.answer_of(session.server.workspace_configuration_async(types.ConfigurationParams([]))) is None  # fmt: skip
        assert "the client answered a request with an error: nothing" in caplog.text

    talk(work, trees, **opened_at(root), capabilities={"window": {"workDoneProgress": True}})


def test_a_client_may_take_half_a_minute_to_answer(
    root: Path, trees: IndexedTrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float] = []

    async def wait_for(work: Any, seconds: float) -> Any:
        limits.append(seconds)
        work.cancel()
        raise TimeoutError

    async def work(session: Session) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "wait_for", wait_for)
            with pytest.raises(TimeoutError):
                await session.server.workspace_configuration_async(types.ConfigurationParams([]))
        assert limits == [30.0] and session.server.protocol._asked == set()
        assert session.server.thread_pool._max_workers == 32

    talk(work, trees, **opened_at(root))


@pytest.mark.parametrize(
    ("error", "is_logged", "has_trace"),
    [
        (KeyError("x"), True, True),
        (RequestError("why"), True, False),
        (NotWantedError(), False, False),
    ],
)
def test_an_error_of_a_notification_is_logged(
    error: Exception, is_logged: bool, has_trace: bool, root: Path, trees: IndexedTrees,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    def fail(*_: object) -> None:
        raise error

    async def work(session: Session) -> None:
        session.server.feature("symindex/told")(fail)
        session.say("symindex/told", {})
        await asyncio.sleep(0.01)
        records = [
            record
            for record in caplog.records
            if "cannot handle symindex/told" in record.getMessage()
        ]
        assert [bool(record.exc_info) for record in records] == [has_trace] * is_logged

    talk(work, trees, **opened_at(root))


def test_a_session_is_closed_within_five_seconds(
    root: Path, trees: IndexedTrees, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that closes it keeps the process from ending no longer than that."""
    waited: list[tuple[bool, float | None]] = []

    class Thread(threading.Thread):
        def join(self, timeout: float | None = None) -> None:
            if timeout is not None:
                waited.append((self.daemon, timeout))
            super().join(timeout)

    async def work(session: Session) -> None:
        await session.server.client_workspace()
        monkeypatch.setattr(lsp_server.threading, "Thread", Thread)

    talk(work, trees, **opened_at(root))
    assert (True, 5.0) in waited


def test_codes_of_errors_are_those_of_the_protocol() -> None:
    codes, more = types.ErrorCodes, types.LSPErrorCodes
    ours = [channel.PARSE_ERROR, channel.INVALID_REQUEST, channel.INVALID_PARAMS]
    ours += [channel.INTERNAL_ERROR, channel.NOT_INITIALIZED, channel.REQUEST_FAILED]
    theirs = [codes.ParseError, codes.InvalidRequest, codes.InvalidParams]
    theirs += [codes.InternalError, codes.ServerNotInitialized]
    assert ours == [*map(int, theirs), int(more.RequestFailed)]
