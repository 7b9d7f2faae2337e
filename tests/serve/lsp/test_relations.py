"""References, implementations, and hierarchies of types and calls in editors: by name, if the user
enables them."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from symindex.editor import editor_relations
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.protocol.search import SearchRequest
from symindex.text.editing.edit_buffer import Encoding
from symindex.workers.document_messages import Word
from symindex.workspace.watched_tree import WatchedTrees
from tests.serve.lsp.test_answers import text_at
from tests.support.files import write_files
from tests.support.lsp_client import EVERYTHING, Client, Editors, LspError
from tests.support.waiting import until

ON = {"references": True, "implementation": True, "typeHierarchy": True, "callHierarchy": True}

TREE: dict[str, str | bytes] = {
    "shop.py": (
        "class Store:\n    def load(self):\n        return 1\n\n\n"
        "class Disk(Store):\n    def load(self):\n        return read()\n\n\n"
        "class Fast(Disk):\n    pass\n\n\ndef read():\n    return 2\n"
    ),
    "use.py": "from shop import Disk, read\n\n\ndef twice():\n    read()\n    return read()\n\n\nread()\nDisk().load()\n",
    "other.py": "def read():\n    return 3\n\n\nread()\n",
}


def place_of(text: str, needle: str) -> dict[str, int]:
    """Returns the position of a piece of text in an ASCII text."""
    before = text[: text.index(needle)]
    return {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}


def ask(client: Client, method: str, uri: str, place: dict[str, int], **more: Any) -> Any:
    return client.call(
        f"textDocument/{method}", {"textDocument": {"uri": uri}, "position": place, **more}
    )


def places(locations: Any) -> list[str]:
    """Returns locations as `file:line`, counted from 1."""
    return sorted(
        f"{location['uri'].rpartition('/')[2]}:{location['range']['start']['line'] + 1}"
        for location in locations or []
    )


def opened(client: Client, root: Path, name: str) -> str:
    return client.open(root / name, (root / name).read_text(), "python")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "tree", TREE)


@pytest.mark.nightly
def test_they_are_off_unless_asked_for(root: Path, editors: Editors) -> None:
    client = editors.connect()
    capabilities = client.initialize(root)
    client.wait_indexed()
    assert not [
        name
        for name in capabilities
        if name.startswith(("references", "implementation", "typeH", "callH"))
    ]
    uri, place = opened(client, root, "shop.py"), place_of(str(TREE["shop.py"]), "Store")
    for method in ("references", "implementation", "prepareTypeHierarchy", "prepareCallHierarchy"):
        assert ask(client, method, uri, place, context={"includeDeclaration": True}) is None


@pytest.mark.nightly
def test_they_can_be_on_for_some_languages_and_later(root: Path, editors: Editors) -> None:
    dynamic = {
        name: {"dynamicRegistration": True}
        for name in ("references", "implementation", "typeHierarchy", "callHierarchy")
    }
    capabilities = {**EVERYTHING, "textDocument": {**EVERYTHING["textDocument"], **dynamic}}
    client = editors.start_indexed(
        root, capabilities=capabilities, options={"references": ["ruby"]}
    )
    uri, place = opened(client, root, "shop.py"), place_of(str(TREE["shop.py"]), "Store")
    assert ask(client, "references", uri, place, context={"includeDeclaration": True}) is None
    client.settings = ON  # type: ignore[assignment]
    client.notify("workspace/didChangeConfiguration", {"settings": {"symindex": ON}})
    until(
        lambda: (
            ask(client, "references", uri, place, context={"includeDeclaration": True}) is not None
        ),
        "references",
    )
    wanted = {
        "textDocument/references",
        "textDocument/implementation",
        "textDocument/prepareTypeHierarchy",
        "textDocument/prepareCallHierarchy",
    }
    until(
        lambda: (
            wanted
            <= {
                one["method"]
                for params in client.told("client/registerCapability")
                for one in params["registrations"]
            }
        ),
        "registrations",
    )


@pytest.mark.nightly
def test_references_are_of_the_symbol_that_is_meant(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri = opened(client, root, "shop.py")
    place = place_of(str(TREE["shop.py"]), "read():\n    return 2")
    locations = ask(client, "references", uri, place, context={"includeDeclaration": True})
    assert places(locations) == [
        "shop.py:15",
        "shop.py:8",
        "use.py:1",
        "use.py:5",
        "use.py:6",
        "use.py:9",
    ]
    locations = ask(client, "references", uri, place, context={"includeDeclaration": False})
    assert places(locations) == ["shop.py:8", "use.py:1", "use.py:5", "use.py:6", "use.py:9"]
    assert (
        ask(
            client,
            "references",
            uri,
            {"line": 3, "character": 0},
            context={"includeDeclaration": True},
        )
        is None
    )
    assert (
        ask(
            client,
            "references",
            uri,
            {"line": 10**6, "character": 10**6},
            context={"includeDeclaration": True},
        )
        is None
    )


@pytest.mark.nightly
def test_unsaved_text_counts(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri = opened(client, root, "other.py")
    client.change(uri, 2, "from shop import Fast\n\n\nclass Late(Fast):\n    pass\n")
    shop = opened(client, root, "shop.py")
    place = place_of(str(TREE["shop.py"]), "Fast")

    def found() -> list[str]:
        return places(ask(client, "references", shop, place, context={"includeDeclaration": True}))

    until(lambda: found() == ["other.py:1", "other.py:4", "shop.py:11"], "what was typed")
    assert places(ask(client, "implementation", shop, place)) == ["other.py:4"]


@pytest.mark.nightly
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_are_the_editors(tmp_path: Path, editors: Editors, encoding: Encoding) -> None:
    texts = {
        "a.py": "def größe(): pass\n\ns = '\U0001f600\U0001f600'; größe(); größe()\n".encode(),
        "marked.py": "\ufefffrom a import größe; b = größe()\n".encode(),
        "returns.py": "a = 'é'; from a import größe\rb = größe()\r\nc = 'é', größe()\n".encode(),
    }
    root = write_files(tmp_path / "tree", dict(texts))
    client = editors.start_indexed(root, encodings=[encoding], options=ON)
    uri = client.open(root / "a.py", texts["a.py"].decode(), "python")
    locations = ask(
        client, "references", uri, {"line": 0, "character": 5}, context={"includeDeclaration": True}
    )
    assert len(locations) == 8
    for location in locations:
        assert (
            text_at(texts[location["uri"].rpartition("/")[2]], location["range"], encoding)
            == "größe"
        )


@pytest.mark.nightly
def test_what_implements_and_overrides(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri, text = opened(client, root, "shop.py"), str(TREE["shop.py"])
    assert places(ask(client, "implementation", uri, place_of(text, "Store"))) == [
        "shop.py:11",
        "shop.py:6",
    ]
    assert places(ask(client, "implementation", uri, place_of(text, "load"))) == ["shop.py:7"]
    assert ask(client, "implementation", uri, place_of(text, "read():\n    return 2")) is None


@pytest.mark.nightly
def test_a_hierarchy_of_types(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri, text = opened(client, root, "shop.py"), str(TREE["shop.py"])
    (disk,) = ask(client, "prepareTypeHierarchy", uri, place_of(text, "Disk"))
    assert (disk["name"], disk["kind"], disk["detail"]) == (
        "Disk",
        types.SymbolKind.Class,
        "shop.py",
    )
    assert disk["range"] == {
        "start": {"line": 5, "character": 0},
        "end": {"line": 8, "character": 0},
    }
    assert disk["selectionRange"]["start"] == place_of(text, "Disk")
    assert [item["name"] for item in client.call("typeHierarchy/subtypes", {"item": disk})] == [
        "Fast"
    ]
    (store,) = client.call("typeHierarchy/supertypes", {"item": disk})
    assert (
        store["name"] == "Store" and client.call("typeHierarchy/supertypes", {"item": store}) == []
    )
    assert ask(client, "prepareTypeHierarchy", uri, place_of(text, "load")) is None


@pytest.mark.nightly
def test_a_hierarchy_of_calls(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri, text = opened(client, root, "shop.py"), str(TREE["shop.py"])
    (read,) = ask(client, "prepareCallHierarchy", uri, place_of(text, "read():\n    return 2"))
    incoming = client.call("callHierarchy/incomingCalls", {"item": read})
    called = {
        call["from"]["name"]: [spot["start"]["line"] + 1 for spot in call["fromRanges"]]
        for call in incoming
    }
    assert called == {"load": [8], "twice": [5, 6], "use.py": [9]}
    (outside,) = [call["from"] for call in incoming if call["from"]["name"] == "use.py"]
    assert outside["kind"] == types.SymbolKind.File
    assert client.call("callHierarchy/incomingCalls", {"item": outside}) == []
    (load,) = [call["from"] for call in incoming if call["from"]["name"] == "load"]
    (outgoing,) = client.call("callHierarchy/outgoingCalls", {"item": load})
    assert outgoing["to"]["name"] == "read" and outgoing["fromRanges"][0]["start"] == place_of(
        text, "read()"
    )


@pytest.mark.nightly
def test_a_caller_that_may_call_a_namesake_is_marked(root: Path, editors: Editors) -> None:
    write_files(
        root,
        {
            "disk.py": "class Tape:\n    def load(self): pass\n",
            "calls.py": "def may_be(x):\n    x.load()\n",
            "outside.py": "x.load()\n",
        },
    )
    client = editors.start_indexed(root, options=ON)
    uri, text = opened(client, root, "disk.py"), (root / "disk.py").read_text()
    (load,) = ask(client, "prepareCallHierarchy", uri, place_of(text, "load"))
    incoming = client.call("callHierarchy/incomingCalls", {"item": load})
    details = {call["from"]["name"]: call["from"]["detail"] for call in incoming}
    assert details == {
        "may_be": "calls.py (or 2 more)",
        "outside.py": "(or 2 more)",
    }
    assert load["detail"] == "Tape"


@pytest.mark.nightly
def test_what_a_client_sends_back_is_checked(root: Path, editors: Editors) -> None:
    client = editors.start_indexed(root, options=ON)
    uri, text = opened(client, root, "shop.py"), str(TREE["shop.py"])
    (disk,) = ask(client, "prepareTypeHierarchy", uri, place_of(text, "Disk"))
    for data, message in (
        (None, "has no data"),
        ({"a": [1]}, "has no data"),
        ("shop.py#Gone", "no longer exists"),
        ("../../etc/passwd#root", "leads out"),
        ("\x00", "NUL|no longer exists"),
        ("x" * 100_000, "characters|not there"),
    ):
        for method in ("typeHierarchy/subtypes", "callHierarchy/outgoingCalls"):
            with pytest.raises(LspError, match=message) as caught:
                client.call(method, {"item": {**disk, "data": data}})
            assert (
                caught.value.code == types.LSPErrorCodes.RequestFailed
                and "\n" not in caught.value.message
            )


@pytest.mark.nightly
def test_unsearched_files_are_reported(
    root: Path, editors: Editors, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = FollowedWorkspace(WatchedTrees(), "utf-16", print, print)
    workspace.folders.add(root, "tree", None)
    try:
        until(lambda: workspace.folders.progress is None, "an index")
        monkeypatch.setattr(editor_relations, "SECONDS", 0.0)
        _, notices = workspace.relate(
            lambda relations: (relations.related("shop.py#Store", "callers"), relations.notices)
        )
        assert "out of time" in notices[0]
    finally:
        workspace.close()


@pytest.mark.slow
def test_namesakes_beyond_the_likeliest_are_counted(tmp_path: Path) -> None:
    """A hierarchy begins with at most MOST_CANDIDATES symbols of a name."""
    most = editor_relations.MOST_CANDIDATES
    counts = {"at_limit": most, "past_it": most + 1}
    files = {
        f"{name}_{number}.py": f"def {name}():\n    return {number}\n"
        for name, count in counts.items()
        for number in range(count)
    }
    workspace = FollowedWorkspace(WatchedTrees(), "utf-16", print, print)
    workspace.folders.add(write_files(tmp_path / "tree", files), "tree", None)

    def begin(name: str) -> tuple[int, list[str]]:
        matches = workspace.rows.symbols(SearchRequest(query=name, max_items=20)).matches
        word = Word(name, [], (0, 0), (0, len(name)))
        editor = editor_relations.Editor(lambda *_: (word, matches), {}, "utf-16")

        def items(relations: editor_relations.Relations) -> tuple[int, list[str]]:
            relations._editor = editor
            return len(relations.callables_at("", (0, 0))), relations.notices

        return workspace.relate(items)

    try:
        until(lambda: workspace.folders.progress is None, "an index")
        assert begin("at_limit") == (most, [])
        assert begin("past_it") == (
            most,
            [f"{most + 1} symbols are called past_it: the answer is about the {most} likeliest"],
        )
    finally:
        workspace.close()
