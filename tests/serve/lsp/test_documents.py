"""Documents and trees that change under the language server: unsaved text, changes on the disk,
folders that are added and removed."""

import random
import shutil
import subprocess
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.cancellation import NotWantedError
from symindex.editor import edited_documents
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.editor.open_documents import OpenDocuments
from symindex.protocol.search import SearchRequest
from symindex.search.unindexed import before_index
from symindex.workspace.build_process import Building
from symindex.workspace.indexed_root import IndexedRoot
from symindex.workspace.watched_tree import TreeEvent, WatchedTree, WatchedTrees
from tests.fuzz_edits import FIXTURES, Editor, check_edits, some_of_each_language
from tests.support.files import write_files
from tests.support.lsp_client import EVERYTHING, Client, Editors, LspError
from tests.support.waiting import until
from tests.support.watching import skip_unwatched

QUIET: dict[str, Any] = {"window": {"workDoneProgress": True}}
"""The capabilities of an editor that does not report changes on the disk."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(
        tmp_path / "tree",
        {"a.py": "def saved(): pass\n", "pkg/b.py": "class Other:\n    def member(self): pass\n"},
    )


@pytest.fixture
def client(editors: Editors, root: Path) -> Client:
    return editors.start_indexed(root)


@pytest.mark.nightly
def test_what_is_unsaved_is_found_and_wins_until_it_is_closed(client: Client, root: Path) -> None:
    uri = client.open(root / "a.py", "def saved(): pass\n", "python")
    client.change(uri, 2, ("def fresh_one(): pass\n", 1, 0, 1, 0))
    client.until_names("fresh_one", ["fresh_one"])
    assert client.symbols("saved")[0]["location"]["range"]["start"] == {"line": 0, "character": 4}
    client.change(uri, 3, ("\n\n", 0, 0, 0, 0), ("resaved", 2, 4, 2, 9))
    client.until_names("resaved", ["resaved"])
    row = client.symbols("resaved")[0]
    assert row["location"] == {
        "uri": uri,
        "range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 11}},
    }
    assert client.names("saved") == ["resaved"]
    assert client.call("symindex/search", {"query": "fresh_one"})["items"][0]["line"] == 4
    assert client.names("Other.member") == ["Other.member"]
    client.close_document(uri)
    client.until_names("saved", ["saved"])
    assert client.names("fresh_one") == []


@pytest.mark.nightly
def test_the_outline_of_a_document_that_is_broken_or_conflicted(client: Client, root: Path) -> None:
    def outline(uri: str) -> list[tuple[str, list[str]]]:
        rows = client.call("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        return [
            (row["name"], [inner["name"] for inner in row.get("children") or ()]) for row in rows
        ]

    uri = client.open(
        root / "A.java",
        "class A {\n    void f() {\n        g();\n\n    void h() {\n    }\n}\n",
        "java",
    )
    assert outline(uri) == [("A", ["f", "h"])]
    client.change(uri, 2, ("    private fin\n    int total;\n", 1, 0, 4, 0))
    assert outline(uri) == [("A", ["total", "h"])]
    text = "class B:\n<<<<<<< HEAD\n    def f(self):\n=======\n    def g(self):\n>>>>>>> x\n        return 1\n"
    uri = client.open(root / "c.py", text, "python")
    assert outline(uri) == [("B", ["f", "g"])]


@pytest.mark.nightly
def test_the_disk_does_not_show_through_an_open_document(client: Client, root: Path) -> None:
    uri = client.open(root / "a.py", "def unsaved(): pass\n", "python")
    client.until_names("unsaved", ["unsaved"])
    write_files(
        root, {"a.py": "def changed_outside(): pass\n", "new.py": "def new_outside(): pass\n"}
    )
    client.until_names("new_outside", ["new_outside"])
    assert client.names("changed_outside") == []
    assert client.names("unsaved") == ["unsaved"]
    client.close_document(uri)
    client.until_names("changed_outside", ["changed_outside"])


@pytest.mark.nightly
def test_a_saved_document_is_found_once(client: Client, root: Path) -> None:
    uri = client.open(root / "a.py", "def saved(): pass\ndef second(): pass\n", "python")
    client.until_names("second", ["second"])
    write_files(root, {"a.py": "def saved(): pass\ndef second(): pass\n"})
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    write_files(root, {"mark.py": "def mark(): pass\n"})
    client.until_names("mark", ["mark"])
    assert client.names("second") == ["second"]
    client.close_document(uri)
    assert client.names("second") == ["second"]


@pytest.mark.nightly
def test_an_open_document_that_is_renamed(client: Client, root: Path) -> None:
    old = client.open(root / "a.py", "def unsaved(): pass\n", "python")
    shutil.move(root / "a.py", root / "moved.py")
    client.close_document(old)
    new = client.open(root / "moved.py", "def unsaved(): pass\n", "python")
    client.notify("workspace/didRenameFiles", {"files": [{"oldUri": old, "newUri": new}]})
    client.until_names("unsaved", ["unsaved"])
    assert client.symbols("unsaved")[0]["location"]["uri"] == new
    client.until_names("saved", ["unsaved"])


@pytest.mark.nightly
def test_documents_that_are_no_files_yet(client: Client, root: Path) -> None:
    new = client.open(root / "pkg/not_yet.py", "def on_no_disk(): pass\n", "python")
    client.until_names("on_no_disk", ["on_no_disk"])
    assert client.symbols("on_no_disk")[0]["location"]["uri"] == new
    untitled = client.open("untitled:Untitled-1", "class Draft: pass\n", "python")
    assert [node["name"] for node in client.outline(untitled)] == ["Draft"]
    outside = client.open(root.parent / "outside.py", "class Outside: pass\n", "python")
    assert [node["name"] for node in client.outline(outside)] == ["Outside"]
    assert client.names("Outside") == []
    client.close_document(new)
    client.until_names("on_no_disk", [])


@pytest.mark.nightly
def test_a_folder_that_is_opened_as_a_document_ends_no_search(client: Client, root: Path) -> None:
    uri = client.open(root, "def listed(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["listed"]
    assert client.names("listed") == []
    client.close_document(uri)


@pytest.mark.nightly
def test_documents_that_the_index_would_not_take_are_outlined_but_not_found(
    client: Client, root: Path
) -> None:
    write_files(root, {".gitignore": "build/\n*.gen.py\n", "build/x.py": "def built(): pass\n"})
    client.open(root / "build/x.py", "def built_unsaved(): pass\n", "python")
    uri = client.open(root / "y.gen.py", "def generated(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["generated"]
    until(
        lambda: client.names("generated") == [] and client.names("built") == [],
        "ignored documents that are not found",
    )


@pytest.mark.nightly
def test_a_document_that_becomes_ignored_is_not_found(client: Client, root: Path) -> None:
    """The document disappears, though the index does not change."""
    client.open(root / "z.gen.py", "def generated_first(): pass\n", "python")
    client.until_names("generated_first", ["generated_first"])
    write_files(root, {".gitignore": "*.gen.py\n"})
    until(lambda: client.names("generated_first") == [], "an ignored document that is not found")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_editors_language_counts_if_the_name_gives_none(client: Client) -> None:
    for word, text, name in [("javascriptreact", "function one() {}", "one"), ("typescriptreact", "function two() {}", "two"),
                             ("shellscript", "three() { :; }", "three"), ("cpp", "struct Four {};", "Four")]:  # fmt: skip
        uri = client.open(f"untitled:{name}", text, word)
        assert [node["name"] for node in client.outline(uri)] == [name], word
    assert client.outline(client.open("untitled:unknown", "x", "klingon")) == []


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_columns_of_edits_are_in_the_units_agreed_on(encoding: str, editors: Editors) -> None:
    client = editors.connect()
    client.initialize(encodings=[encoding])
    codec, n_bytes = {
        "utf-8": ("utf-8", 1),
        "utf-16": ("utf-16-le", 2),
        "utf-32": ("utf-32-le", 4),
    }[encoding]
    line = "\tx = '\U0001d4b3e\u0301é\t'; name = 1"
    uri = client.open("untitled:units", f"first = 0\r\n{line}\r\n", "python")
    column = len(line[: line.index("name")].encode(codec)) // n_bytes
    client.change(uri, 2, ("re", 1, column, 1, column))
    client.change(uri, 3, ("", 0, 0, 1, 1))
    nodes = client.outline(uri)
    assert [node["name"] for node in nodes] == ["x", "rename"]
    assert nodes[1]["selectionRange"] == {
        "start": {"line": 0, "character": column - 1},
        "end": {"line": 0, "character": column - 1 + len("rename")},
    }


@pytest.mark.nightly
@pytest.mark.slow
def test_symbols_after_random_edits_are_those_of_a_fresh_reading() -> None:
    assert check_edits(3, 250, some_of_each_language(random.Random(3), 1))[0] > 1_000


@pytest.mark.nightly
def test_symbols_after_random_edits_through_the_server(client: Client) -> None:
    chance = random.Random(5)
    editor = Editor("", FIXTURES / "python" / "classes.py")
    uri = client.open("untitled:edited.py", editor.text, "python")
    for version in range(2, 42):
        (line, column), (end_line, end_column), text = editor.edit(chance)
        client.change(uri, version, (text, line, column, end_line, end_column))
    fresh = client.open("untitled:fresh.py", editor.text, "python")
    assert client.outline(uri) == client.outline(fresh)


@pytest.mark.nightly
@pytest.mark.slow
def test_what_happens_on_the_disk_without_a_word_of_the_editor(
    editors: Editors, root: Path
) -> None:
    client = editors.start_indexed(root, capabilities=QUIET)
    write_files(root, {"made.py": "def made(): pass\n"})
    client.until_names("made", ["made"])
    shutil.move(root / "made.py", root / "renamed.py")
    until(
        lambda: client.symbols("made")[0]["location"]["uri"].endswith("/renamed.py"), "the new name"
    )
    shutil.move(root / "pkg", root / "package")
    until(
        lambda: client.symbols("member")[0]["location"]["uri"].endswith("/package/b.py"),
        "the new folder",
    )
    (root / "renamed.py").unlink()
    client.until_names("made", [])
    write_files(root, {".gitignore": "package/\n"})
    client.until_names("member", [])
    (root / ".gitignore").unlink()
    client.until_names("member", ["member"])


@pytest.mark.nightly
def test_what_the_editor_tells_of_the_disk(client: Client, root: Path) -> None:
    write_files(root, {"told.py": "def told(): pass\n"})
    client.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (root / "told.py").as_uri(), "type": 1}]},
    )
    client.until_names("told", ["told"])
    shutil.move(root / "pkg", root / "package")
    renamed = [{"oldUri": (root / "pkg").as_uri(), "newUri": (root / "package").as_uri()}]
    client.notify("workspace/didRenameFiles", {"files": renamed})
    until(
        lambda: client.symbols("member")[0]["location"]["uri"].endswith("/package/b.py"),
        "the new folder",
    )
    write_files(root, {"created.py": "def created(): pass\n"})
    client.notify("workspace/didCreateFiles", {"files": [{"uri": (root / "created.py").as_uri()}]})
    client.until_names("created", ["created"])
    (root / "told.py").unlink()
    client.notify("workspace/didDeleteFiles", {"files": [{"uri": (root / "told.py").as_uri()}]})
    client.until_names("told", [])


@pytest.mark.nightly
@pytest.mark.slow
def test_another_branch(editors: Editors, root: Path) -> None:
    def git(*arguments: str) -> None:
        own = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *own, *arguments], cwd=root, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "one")
    git("checkout", "-b", "other")
    write_files(
        root,
        {
            "a.py": "def other_branch(): pass\n",
            **{f"more/m{n}.py": f"def more_{n}(): pass\n" for n in range(30)},
        },
    )
    git("add", ".")
    git("commit", "-m", "two")
    git("checkout", "main")
    client = editors.start_indexed(root, capabilities=QUIET)
    uri = client.open(root / "pkg/b.py", "class Unsaved: pass\n", "python")
    client.until_names("Unsaved", ["Unsaved"])
    assert client.names("other_branch") == []
    git("checkout", "other")
    client.until_names("other_branch", ["other_branch"])
    until(lambda: len(client.names("more")) >= 30, "all of the other branch")
    assert client.names("saved") == ["Unsaved"]
    git("checkout", "main")
    client.until_names("more", [])
    client.close_document(uri)
    client.until_names("saved", ["saved"])


@pytest.mark.nightly
@pytest.mark.slow
def test_what_the_settings_of_a_tree_say_holds_for_its_answers(
    editors: Editors, tmp_path: Path
) -> None:
    toml = 'limit = 2\nexclude = ["out"]\nlanguages = ["python"]\n'
    names = [f"def wanted_{number}(): pass\n" for number in range(5)]
    files = {
        "symindex.toml": toml,
        "a.py": "".join(names),
        "out/b.py": "def wanted_too(): pass\n",
        "c.go": "func wanted_go() {}\n",
    }
    root = write_files(tmp_path / "tree", files)
    client = editors.start_indexed(root)
    assert client.names("wanted") == ["wanted_0", "wanted_1"]
    assert client.call("symindex/search", {"query": "wanted"})["total"] == 5
    assert len(editors.start(root, options={"limit": 4}).symbols("wanted")) == 4


def test_two_may_ask_at_once_for_a_file_that_is_not_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_files(tmp_path, {"a.py": "def only(): pass\n"}) / "a.py"
    workspace = FollowedWorkspace(WatchedTrees(), "utf-16", print, print)
    seen, outlines = workspace.documents.texts.parsed, []  # type: ignore[var-annotated]

    def meanwhile(key: str) -> Any:
        if not outlines:
            outlines.append(None)
            outlines.append(workspace.document_symbols(path.as_uri(), path))
        return seen(key)

    monkeypatch.setattr(workspace.documents.texts, "parsed", meanwhile)
    outlines.append(workspace.document_symbols(path.as_uri(), path))
    assert [[symbol.name for symbol in outline.file.symbols] for outline in outlines[1:]] == [
        ["only"],
        ["only"],
    ]
    workspace.close()


def test_warming_up_waits_for_no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = FollowedWorkspace(WatchedTrees(), "utf-16", lambda _: None, print)
    workspace.folders.add(tmp_path / "absent", "", None)
    until(lambda: workspace.folders.all[0].tree.state == "failed", "a root that is not there")
    monkeypatch.setattr(
        workspace.rows,
        "symbols",
        lambda *_: pytest.fail("folders without an index are looked through"),
    )
    workspace.rows.warm_up()
    workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_the_indexing_has_ended_when_nothing_more_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more background work delays the requests that follow."""
    skip_unwatched()
    root = write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"})
    events: list[str] = []
    refresh = IndexedRoot.refresh

    def look(*arguments: Any, **options: Any) -> Any:
        report = refresh(*arguments, **options)
        events.append("looked")
        return report

    monkeypatch.setattr(IndexedRoot, "refresh", look)
    shared_trees = WatchedTrees()

    def take(event: TreeEvent) -> None:
        events.append(event.kind)

    tree = shared_trees.take(root, str(tmp_path / "indexes"), take)
    until(lambda: "end" in events, "the end of the indexing")
    shared_trees.leave(tree, take)
    assert [event for event in events if event != "report"] == ["begin", "ready", "looked", "end"]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_scan_that_was_not_done_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting for the index would take longer."""
    root, waits, rounds = (
        write_files(tmp_path / "tree", {"a.py": "def only(): pass\n"}),
        threading.Event(),
        [],
    )
    scan = before_index.scan_for_editor

    def look(root: Path, request: SearchRequest, *others: Any) -> Any:
        rounds.append(request.query)
        report = scan(root, request, *others)  # type: ignore[arg-type]
        is_first = len(rounds) == 1
        return (
            msgspec.structs.replace(report, files=[], complete=False, is_enough=False)
            if is_first
            else report
        )

    def wait(*_: Any) -> list[str]:
        waits.wait()
        return []

    monkeypatch.setattr(before_index, "scan_for_editor", look)
    monkeypatch.setattr(Building, "run", wait)
    workspace = FollowedWorkspace(WatchedTrees(), "utf-16", lambda _: None, print)
    workspace.folders.add(root, "", str(tmp_path / "indexes"))
    assert [
        match.name for match in workspace.rows.symbols(SearchRequest(query="only")).matches
    ] == ["only"]
    assert len(rounds) == 2
    waits.set()
    workspace.close()


def test_requests_to_open_documents_are_cancelled_at_the_end() -> None:
    """Otherwise a thread of a client that has left would wait forever."""
    documents = OpenDocuments("utf-8", max_file_bytes=1_000, file_seconds=1.0, on_notice=print)
    documents.open("a", "a.py", "python", "def only(): pass\n")
    documents.parsed("a").result(30)
    goes_on = threading.Event()
    documents._queue(lambda: goes_on.wait(30))  # a task that takes a while
    asked = documents.parsed("a")
    stopping = threading.Thread(target=documents.stop)
    stopping.start()
    until(lambda: documents._is_stopped, "the end")
    goes_on.set()
    stopping.join()
    for future in (asked, documents.parsed("a")):
        with pytest.raises(CancelledError):
            future.result(5)


def test_a_wait_for_an_index_ends_with_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No message would reach the waiting thread if its client left without one."""
    workspace = FollowedWorkspace(WatchedTrees(), "utf-8", lambda _: None, print)
    monkeypatch.setattr(WatchedTree, "_open", lambda _: None)  # it never finishes
    workspace.folders.add(tmp_path, "", str(tmp_path / "indexes"))
    with ThreadPoolExecutor(1) as pool:
        search = pool.submit(workspace.rows.symbols, SearchRequest(query="a"))
        with pytest.raises(TimeoutError):
            search.result(0.1)
        workspace.close()
        with pytest.raises(NotWantedError):
            search.result(5)


@pytest.mark.nightly
@pytest.mark.slow
def test_folders_come_and_go(editors: Editors, tmp_path: Path) -> None:
    one = write_files(tmp_path / "one" / "app", {"a.py": "def in_one(): pass\n"})
    two = write_files(tmp_path / "two" / "app", {"a.py": "def in_two(): pass\n"})
    client = editors.start_indexed(one)

    def change(added: list[Path], removed: list[Path]) -> None:
        folders = [
            [{"uri": path.as_uri(), "name": path.name} for path in paths]
            for paths in (added, removed)
        ]
        client.notify(
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": folders[0], "removed": folders[1]}},
        )

    unsaved = client.open(two / "new.py", "def in_three(): pass\n", "python")
    assert client.names("in") == ["in_one"]
    change([two], [])
    client.until_names("in", ["in_one", "in_two", "in_three"])
    paths = {item["file_path"] for item in client.call("symindex/search", {"query": "in"})["items"]}
    assert paths == {"app/a.py", "app~2/a.py", "app~2/new.py"}
    assert {row["location"]["uri"] for row in client.symbols("in")} == {
        (one / "a.py").as_uri(),
        (two / "a.py").as_uri(),
        unsaved,
    }
    change([], [one])
    client.until_names("in", ["in_two", "in_three"])
    change([one], [two])
    client.until_names("in", ["in_one"])
    change([one, one], [tmp_path / "never"])
    client.until_names("in", ["in_one"])


@pytest.mark.nightly
@pytest.mark.slow
def test_the_last_named_folders_count(editors: Editors, root: Path) -> None:
    """This holds however late the thread that releases them starts."""
    folder = {"uri": root.as_uri(), "name": "tree"}
    for _ in range(10):
        client = editors.start(root)
        client.until_names("saved", ["saved"])
        for event in ({"added": [], "removed": [folder]}, {"added": [folder], "removed": []}):
            client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        time.sleep(0.2)  # nothing reports that a late thread does not come
        client.until_names("saved", ["saved"], 5)


@pytest.mark.nightly
@pytest.mark.slow
def test_settings_are_those_that_were_sent_last(editors: Editors, root: Path) -> None:
    client = editors.start_indexed(root)
    takes_long = [*(f"x{n}/**/[!a]*{n}" for n in range(20_000)), "!wrong"]
    for settings in ({"exclude": takes_long, "limit": 2}, {"limit": 1}):
        client.notify("workspace/didChangeConfiguration", {"settings": {"symindex": settings}})
    until(lambda: len(client.symbols("")) == 1, "one row")
    time.sleep(2)  # nothing reports that the older settings do not come
    assert len(client.symbols("")) == 1


@pytest.mark.nightly
@pytest.mark.slow
def test_a_folder_by_two_names_is_followed_until_neither_is_open(
    editors: Editors, root: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(root, target_is_directory=True)
    client = editors.start_indexed(root)
    for event in ("added", "removed"):
        folders = [{"uri": link.as_uri(), "name": "link"}]
        client.notify(
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [], "removed": [], event: folders}},
        )
        client.until_names("saved", ["saved"] * (2 if event == "added" else 1))
    write_files(root, {"c.py": "def later(): pass\n"})
    client.until_names("later", ["later"])
    assert "notices" not in client.call("symindex/search", {"query": "later"})


def test_a_root_that_is_not_there_is_not_waited_for_after_a_reindex(
    editors: Editors, tmp_path: Path
) -> None:
    client = editors.start(tmp_path / "absent")
    client.hear("window/showMessage")
    client.call("workspace/executeCommand", {"command": "symindex.reindex"})
    assert client.call("workspace/symbol", {"query": "x"}, 5) == []


def test_a_document_that_is_opened_again_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pending release of the document, which was saved and closed, does not remove it."""
    path = write_files(tmp_path, {"a.py": "def only(): pass\n"}) / "a.py"
    workspace, key = (
        FollowedWorkspace(WatchedTrees(), "utf-16", lambda _: None, print),
        path.as_uri(),
    )
    workspace.folders.add(tmp_path, "", str(tmp_path / "indexes"))
    workspace.documents.open(key, path, "python", "def unsaved(): pass\n")
    workspace.documents.texts.settle().result(30)
    workspace.documents.close(key, is_saved=True)
    digest_of = edited_documents.stored_digest

    def meanwhile(*arguments: Any) -> bytes:
        workspace.documents.open(key, path, "python", "def again(): pass\n")
        return (digest_of(*arguments) or b"") + b"another"

    monkeypatch.setattr(edited_documents, "stored_digest", meanwhile)
    workspace.documents.drop_leaving()
    assert key in workspace.documents.opened
    assert [symbol.name for symbol in workspace.document_symbols(key, path).file.symbols] == [
        "again"
    ]
    workspace.close()


@pytest.mark.nightly
@pytest.mark.slow
def test_a_folder_within_another_is_found_once(editors: Editors, root: Path) -> None:
    client = editors.start_indexed(root, root / "pkg")
    assert client.names("member") == ["member"]
    paths = [
        item["file_path"] for item in client.call("symindex/search", {"query": "member"})["items"]
    ]
    assert paths == ["pkg/b.py"]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_folder_that_is_reached_by_a_link_is_named_as_the_client_names_it(
    editors: Editors, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(root, target_is_directory=True)
    client = editors.start_indexed(tmp_path / "link")
    assert client.symbols("saved")[0]["location"]["uri"] == (tmp_path / "link/a.py").as_uri()
    client.open(tmp_path / "link/a.py", "def unsaved(): pass\n", "python")
    client.until_names("saved", ["unsaved"])


@pytest.mark.nightly
def test_a_client_without_folders_has_its_documents(editors: Editors) -> None:
    client = editors.start(capabilities=EVERYTHING)
    uri = client.open("untitled:a", "def alone(): pass\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["alone"]
    with pytest.raises(LspError, match=r"^-32803: x\.py: cannot be read"):
        client.outline("file:///no/such/x.py")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_document_that_needs_too_much_memory_is_reported_and_affects_no_other(
    editors: Editors, tmp_path: Path
) -> None:
    client = editors.start(write_files(tmp_path / "tree", {"a.py": ""}))
    small = client.open("untitled:small", "def small(): pass\n", "python")
    client.open("untitled:Bomb.java", "\n".join(["x=>" * 25] * 4000), "java")
    assert (
        "needed more memory than a parsing process may use"
        in client.hear("window/logMessage")["message"]
    )
    assert client.outline(small)[0]["name"] == "small"
