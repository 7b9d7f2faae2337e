"""The life of a language server: handshake, indexing in parallel, cancellation, the end; many
clients of one process."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from symindex.cancellation import NotWantedError
from symindex.editor.background_scan import BackgroundScans
from symindex.editor.open_documents import OpenDocuments
from symindex.protocol.search import SearchRequest
from tests.support.command import run_python, started
from tests.support.files import Maker, write_files
from tests.support.hanging_language import own_environment
from tests.support.lsp_client import (
    TOKEN,
    Client,
    Editors,
    LspError,
    TcpServer,
    framed,
    start_server,
)
from tests.support.processes import (
    needs_proc,
    processes_below,
    processes_named,
    stopped,
    wait_for_ends,
)
from tests.support.waiting import until
from tests.support.watching import skip_unwatched, watch_hindrance

pytestmark = [pytest.mark.slow, needs_proc]

FILES: dict[str, str | bytes] = {
    f"f{n}.py": f"def early_{n}(): pass\nclass Kind{n}: pass\n" for n in range(40)
}

SLOW: dict[str, str | bytes] = {**FILES, "x.hang": "x", "symindex.toml": "file_seconds = 100.0\n"}
"""A tree whose indexing never ends by itself."""

Starter = Callable[..., Client]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Starts servers on standard streams; no server or process of one outlives the test."""
    made: list[Client] = []

    def run(*arguments: str, **options: Any) -> Client:
        made.append(start_server(arguments, env=own_environment(tmp_path / "home"), **options))
        return made[-1]

    yield run
    for client in made:
        assert client.process is not None
        below = processes_below(client.process.pid)
        client.process.kill()
        if not client.has_left:
            client.hang_up()
        wait_for_ends(below, 10)


def building_of(client: Client) -> int:
    """Waits for the process that builds an index, and returns its id."""
    assert client.process is not None
    pid = client.process.pid
    until(
        lambda: processes_named(pid, "symindex.workspace.build_process"),
        "a process that makes an index",
    )
    return processes_named(pid, "symindex.workspace.build_process")[0]


@pytest.mark.nightly
@pytest.mark.parametrize("farewell", ["exit", "shutdown", "neither"])
def test_exit_codes_are_by_the_book(farewell: str, start: Starter, tmp_path: Path) -> None:
    client = start()
    client.initialize(write_files(tmp_path / "tree", FILES))
    if farewell == "shutdown":
        assert client.call("shutdown") is None
    if farewell != "neither":
        client.notify("exit")
    assert client.hang_up() == (0 if farewell == "shutdown" else 1)
    assert not client.strange


@pytest.mark.nightly
def test_exit_before_initialize(start: Starter) -> None:
    client = start()
    client.notify("exit")
    assert client.hang_up() == 1


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_a_word(number: int, start: Starter, tmp_path: Path) -> None:
    client = start()
    client.initialize(write_files(tmp_path / "tree", SLOW))
    below = [building_of(client)]
    assert client.process is not None
    client.process.send_signal(number)
    assert client.process.wait(30) == 0
    assert client.log() == ""
    wait_for_ends(below, 10)


@pytest.mark.nightly
def test_requests_at_the_wrong_time(start: Starter, tmp_path: Path) -> None:
    client = start()
    with pytest.raises(LspError, match=r"^-32002: workspace/symbol: initialize must come first$"):
        client.symbols("x")
    client.open("untitled:early", "x = 1")  # ignored
    client.initialize(tmp_path)
    with pytest.raises(LspError, match=r"^-32600: initialize: already requested$"):
        client.call("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert client.call("shutdown") is None
    for method, params in [
        ("workspace/symbol", {"query": "x"}),
        ("shutdown", None),
        ("no/such", None),
    ]:
        with pytest.raises(
            LspError, match=r"^-32600: .*: the server was shut down; only exit may follow$"
        ):
            client.call(method, params)
    client.notify("exit")
    assert client.hang_up() == 0


@pytest.mark.nightly
def test_a_handshake_waits_for_no_tree_and_no_index(start: Starter, tmp_path: Path) -> None:
    """The indexing is halted, yet handshake, queries and documents are answered."""
    root = write_files(tmp_path / "tree", SLOW)
    client = start()
    client.initialize(root)
    with stopped(building_of(client)):
        assert client.names("early_7")[:1] == ["early_7"]
        assert client.outline((root / "f3.py").as_uri())[0]["name"] == "early_3"
        uri = client.open(root / "f3.py", "def unsaved_yet(): pass\n", "python")
        assert client.outline(uri)[0]["name"] == "unsaved_yet"
        assert client.names("unsaved_yet") == ["unsaved_yet"]
        assert "early_3" not in client.names("early_3")
        response = client.call("symindex/search", {"query": "early_9"})
        assert response["notices"] == [
            f"{root}: the index is still being built; this answer is incomplete"
        ]
    assert client.told("$/progress")[0]["value"]["kind"] == "begin"
    assert client.leave() == 0


@pytest.mark.nightly
def test_progress_goes_from_begin_to_end_in_percent(start: Starter, tmp_path: Path) -> None:
    files = {**SLOW, "symindex.toml": "file_seconds = 1.0\n"}
    client = start()
    client.initialize(write_files(tmp_path / "tree", files))
    client.wait_indexed()
    assert client.told("window/workDoneProgress/create") == [{"token": "symindex-1"}]
    values = [
        params["value"] for params in client.told("$/progress") if params["token"] == "symindex-1"
    ]
    kinds = [value["kind"] for value in values]
    assert kinds == ["begin", *["report"] * (len(kinds) - 2), "end"]
    assert len(kinds) > 2
    percentages = [value["percentage"] for value in values[:-1]]
    assert percentages == sorted(percentages)
    assert (percentages[0], percentages[-1]) == (0, 100)
    assert all(value["cancellable"] for value in values[:-1])
    assert values[0]["title"] == "Indexing tree"
    assert values[-2]["message"] == "writing the index"
    assert client.names("early_39") == ["early_39"]
    assert not processes_named(client.process.pid, "symindex.workspace.build_process")  # type: ignore[union-attr]


@pytest.mark.nightly
def test_a_cancelled_indexing_leaves_no_process_and_queries_are_answered(
    start: Starter, tmp_path: Path
) -> None:
    client = start()
    client.initialize(write_files(tmp_path / "tree", SLOW))
    building = building_of(client)
    token = client.hear("$/progress", lambda params: params["value"]["kind"] == "begin")["token"]
    below = processes_below(building)
    client.notify("window/workDoneProgress/cancel", {"token": "no such"})
    client.notify("window/workDoneProgress/cancel", {"token": token})
    client.notify("window/workDoneProgress/cancel", {"token": token})
    client.wait_indexed()
    assert client.told("$/progress")[-1]["value"] == {"kind": "end", "message": "cancelled"}
    wait_for_ends([building, *below])
    assert client.names("early_7")[:1] == ["early_7"]
    assert "symindex.reindex" in client.hear("window/logMessage")["message"]
    (tmp_path / "tree/x.hang").unlink()
    client.call("workspace/executeCommand", {"command": "symindex.reindex"})
    client.wait_indexed(2)
    assert client.names("early_7")[:1] == ["early_7"]
    assert client.leave() == 0


@pytest.mark.nightly
def test_every_request_of_a_burst_is_answered_once_while_indexing(
    start: Starter, tmp_path: Path
) -> None:
    client = start()
    client.initialize(write_files(tmp_path / "tree", SLOW))
    building_of(client)
    uri = (tmp_path / "tree/f1.py").as_uri()
    asked = []
    for n in range(20):
        asked.append(client.request("workspace/symbol", {"query": f"early_{n}"}))
        if n % 3 == 0:
            client.notify("$/cancelRequest", {"id": asked[-1]})
        if n % 5 == 0:
            other = client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert client.answer(other)[0]["name"] == "early_1"
    assert [row["name"] for row in client.answer(asked[-1])] == ["early_19"]
    for n, number in enumerate(asked[:-1]):
        try:
            assert [row["name"] for row in client.answer(number)] == [f"early_{n}"]
        except LspError as error:
            assert error.code == types.LSPErrorCodes.RequestCancelled
    client.notify("$/cancelRequest", {"id": asked[-1]})  # already answered
    client.notify("$/cancelRequest", {"id": 987})
    assert client.leave() == 0


@pytest.mark.nightly
def test_a_cancelled_request_is_answered_so_and_its_work_ends(
    editors: Editors, tmp_path: Path
) -> None:
    client = editors.start(write_files(tmp_path / "tree", SLOW))
    client.hear("$/progress")
    number = client.request("symindex/search", {"query": "no_such_name_at_all", "max_items": 1})
    client.notify("$/cancelRequest", {"id": number})
    try:
        client.answer(number)
    except LspError as error:
        assert (error.code, error.message) == (types.LSPErrorCodes.RequestCancelled, "cancelled")
    text = client.expect(10**9)
    client.send(
        {
            "jsonrpc": "2.0",
            "id": 10**9,
            "method": "workspace/symbol",
            "params": {"query": "early_1"},
        }
    )
    assert client.answer(text)[0]["name"] == "early_1"


@pytest.mark.nightly
@pytest.mark.parametrize("is_working", [False, True])
def test_shutdown_cancels_what_was_asked(is_working: bool, start: Starter, tmp_path: Path) -> None:
    """This includes requests that are already being processed."""
    client = start()
    client.initialize(write_files(tmp_path / "tree", SLOW))
    if is_working:
        client.hear("$/progress")
    asked = [
        client.request("workspace/symbol", {"query": ""}),
        client.request("symindex/search", {"query": ""}),
    ]
    assert client.call("shutdown") is None
    for number in asked:
        with pytest.raises(LspError) as caught:
            client.answer(number)
        assert (caught.value.code, caught.value.message) == (
            types.LSPErrorCodes.RequestCancelled,
            "cancelled",
        )
    client.notify("exit")
    assert client.hang_up() == 0


@pytest.mark.nightly
def test_the_server_ends_when_the_process_that_the_client_named_does(
    start: Starter, tmp_path: Path
) -> None:
    """Its input may stay open: a killed editor may have left it to another process."""
    client = start()
    with started([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as editor:
        client.initialize(write_files(tmp_path / "tree", SLOW), processId=editor.pid)
        building = building_of(client)
        editor.kill()
    assert client.process is not None
    assert client.process.wait(15) == 1
    wait_for_ends([building])


@pytest.mark.nightly
def test_nothing_is_left_when_the_editor_is_killed(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", SLOW)
    script = """
        import os, sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[1])
        from tests.support.lsp_client import start_server
        from tests.support.processes import processes_below
        from tests.support.waiting import until
        client = start_server()
        client.initialize(Path(sys.argv[2]), processId=None)
        client.open("untitled:a", "x = 1", "python")
        client.outline("untitled:a")
        below = []
        def enough():  # One list is judged and printed: a process may end between two.
            below[:] = processes_below(client.process.pid)
            return len(below) >= 3
        until(enough)
        print(client.process.pid, *below, flush=True)
        os.kill(os.getpid(), 9)
    """
    here = str(Path(__file__).parents[3])
    environment = own_environment(tmp_path / "home")
    done = run_python(textwrap.dedent(script), here, root, env=environment)
    left = [int(word) for word in done.stdout.split()]
    assert len(left) >= 4, done.stderr
    wait_for_ends(left, 15)


@pytest.mark.nightly
def test_a_dead_document_process_is_a_notice(start: Starter, tmp_path: Path) -> None:
    client = start()
    client.initialize(tmp_path)
    uri = client.open("untitled:a", "one = 1\n", "python")
    assert [node["name"] for node in client.outline(uri)] == ["one"]
    assert client.process is not None
    for turn in (2, 3):
        (worker,) = processes_named(client.process.pid, "document_job")
        os.kill(worker, signal.SIGKILL)
        wait_for_ends([worker])
        client.change(uri, turn, (f"n{turn} = 1\n", 0, 0, 0, 0))
        assert f"n{turn}" in [node["name"] for node in client.outline(uri)]
    assert {node["name"] for node in client.outline(uri)} == {"one", "n2", "n3"}
    assert client.leave() == 0


@pytest.mark.nightly
def test_a_dead_indexing_is_a_message_and_not_the_end(start: Starter, tmp_path: Path) -> None:
    client = start()
    client.initialize(write_files(tmp_path / "tree", SLOW))
    client.hear("$/progress")
    os.kill(building_of(client), signal.SIGKILL)
    said = client.hear("window/showMessage")
    assert (said["type"], "signal 9" in said["message"]) == (types.MessageType.Error, True)
    client.wait_indexed()
    assert client.told("$/progress")[-1]["value"] == {"kind": "end", "message": "failed"}
    assert client.names("early_7")[:1] == ["early_7"]
    (tmp_path / "tree/x.hang").unlink()
    client.call("workspace/executeCommand", {"command": "symindex.reindex"})
    client.wait_indexed(2)
    assert client.told("$/progress")[-1]["value"] == {"kind": "end", "message": "done"}
    assert client.leave() == 0


@pytest.mark.nightly
def test_traces_logs_and_nothing_but_messages(start: Starter, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    client = start("--log-level", "debug", "--log-file", str(log))
    client.initialize(write_files(tmp_path / "tree", {"a.py": "a1 = 1\n"}))
    client.wait_indexed()
    assert client.names("a1") == ["a1"]
    assert not client.told("$/logTrace")
    client.notify("$/setTrace", {"value": "verbose"})
    assert client.names("a1") == ["a1"]
    assert client.hear("$/logTrace")["message"].startswith("workspace/symbol 'a1': ")
    client.notify("$/setTrace", {"value": "off"})
    n_traces = len(client.told("$/logTrace"))
    assert client.names("a1") == ["a1"]
    assert len(client.told("$/logTrace")) == n_traces
    client.notify("$/noSuchThing", {})
    assert client.leave() == 0
    assert not client.strange
    assert "INFO" in log.read_text()
    assert "the index is up to date" in log.read_text()


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tcp", "nowhere"], "expected HOST:PORT"),
        (["--tcp", "127.0.0.1:99999"], "expected HOST:PORT"),
        (
            ["--log-file", "/no/such/folder/log"],
            "--log-file /no/such/folder/log: cannot be written",
        ),
    ],
)
def test_a_server_that_cannot_start_says_why_in_one_line(
    arguments: list[str], said: str, start: Starter
) -> None:
    client = start(*arguments)
    assert client.process is not None
    assert client.process.wait(30) == 2
    assert said in client.log()
    assert len(client.log().splitlines()) == 1


@pytest.mark.nightly
def test_a_port_in_use_gives_one_clear_line(start: Starter, lsp_server: TcpServer) -> None:
    client = start("--tcp", f"127.0.0.1:{lsp_server.port}")
    assert client.process is not None
    assert client.process.wait(30) == 2
    assert "cannot listen there" in client.log()


@pytest.mark.nightly
def test_clients_of_one_process_do_not_cross(editors: Editors, tmp_path: Path) -> None:
    roots = [
        write_files(tmp_path / f"tree{n}", {"a.py": f"def mine_{n}(): pass\n"}) for n in range(3)
    ]
    clients = [editors.start_indexed(root) for root in roots]
    for n, client in enumerate(clients):
        client.open("untitled:same", f"def own_{n}(): pass\n", "python")
    asked = [
        [client.request("workspace/symbol", {"query": word}) for word in ("mine", "own")]
        for client in clients
    ]
    for n, (client, (mine, own)) in enumerate(zip(clients, asked, strict=True)):
        try:
            assert [row["name"] for row in client.answer(mine)] == [f"mine_{n}"]
        except LspError as error:
            assert error.code == types.LSPErrorCodes.RequestCancelled
        client.answer(own)
        assert [node["name"] for node in client.outline("untitled:same")] == [f"own_{n}"]
    clients[0].leave()
    clients[1].hang_up()  # without a message
    assert clients[2].names("mine") == ["mine_2"]
    assert editors.start(roots[1]).names("mine") == ["mine_1"]


@pytest.mark.nightly
def test_clients_of_the_same_tree_share_it_but_not_their_documents(
    editors: Editors, tmp_path: Path
) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def saved(): pass\n"})
    one, two = editors.start_indexed(root), editors.start(root)
    one.open(root / "a.py", "def unsaved(): pass\n", "python")
    one.until_names("saved", ["unsaved"])
    assert two.names("saved") == ["saved"]
    one.leave()
    write_files(root, {"a.py": "def saved_again(): pass\n"})
    two.until_names("saved", ["saved_again"])


@pytest.mark.nightly
def test_only_this_machine_is_served_by_default(lsp_server: TcpServer) -> None:
    assert "listening on 127.0.0.1:" in lsp_server.log()
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", lsp_server.port), 1):
        pass


@pytest.mark.nightly
def test_a_client_that_never_reads_holds_up_no_other(editors: Editors, tmp_path: Path) -> None:
    files = {"a.py": "".join(f"def many_{n}(): pass\n" for n in range(5_000))}
    root = write_files(tmp_path / "tree", files)
    lazy, other = editors.start_indexed(root, options={"limit": 10_000}), editors.start(root)
    lazy.may_read.clear()
    asked = [
        lazy.request("symindex/search", {"query": "many", "max_items": 5_000}) for _ in range(40)
    ]
    for n in range(20):
        assert other.names(f"many_{n + 1}7")[0] == f"many_{n + 1}7"
    time.sleep(0.5)  # nothing reports that an answer is not on its way
    assert not lazy.is_answered(asked[-1])
    lazy.may_read.set()
    for number in asked:
        assert len(lazy.answer(number)["items"]) == 5_000


@pytest.mark.nightly
def test_a_client_that_leaves_while_its_session_is_made_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    """The server does not keep following the folder."""
    root = write_files(tmp_path / "tree", {"a.py": "def alive(): pass\n"})
    params = {
        "capabilities": {},
        "rootUri": root.as_uri(),
        "initializationOptions": {"token": TOKEN},
    }
    hello = framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    server = TcpServer(env=own_environment(tmp_path / "home"))
    try:
        with (
            server.open() as connection
        ):  # the first one is the slowest, since the server imports what it needs
            connection.sendall(
                hello + framed({"jsonrpc": "2.0", "method": "initialized", "params": {}})
            )
        client = server.connect()
        client.initialize(root)
        try:
            until(lambda: watched(server) == 1 or watch_hindrance(), "a tree that is followed")
            skip_unwatched()
        finally:
            client.leave()
        until(lambda: not watched(server), "nothing that is followed")
    finally:
        server.stop()


def watched(server: TcpServer) -> int:
    """Returns the number of trees that a server follows, by its open files."""
    folder = Path(f"/proc/{server.process.pid}/fd")
    n_trees = 0
    for name in os.listdir(folder):
        with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
            n_trees += "inotify" in os.readlink(folder / name)
    return n_trees


def test_a_document_process_is_stopped_while_it_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = OpenDocuments("utf-8", max_file_bytes=1_000, file_seconds=1.0, on_notice=print)
    start, is_starting, may_start = threading.Thread.start, threading.Event(), threading.Event()

    def slow_start(thread: threading.Thread) -> None:
        if thread.name == "symindex-documents":
            is_starting.set()
            may_start.wait(10)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", slow_start)
    opening = threading.Thread(target=documents.open, args=("a", "a.py", "python", ""))
    opening.start()
    assert is_starting.wait(10)
    stopping = threading.Thread(target=documents.stop)
    stopping.start()
    stopping.join(0.3)  # it may wait for the start
    may_start.set()
    stopping.join()
    opening.join()
    assert not [thread for thread in threading.enumerate() if thread.name == "symindex-documents"]


@pytest.mark.nightly
def test_clients_that_leave_without_a_word_leave_no_threads(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", {"a.py": "def alive(): pass\n"})
    server = TcpServer(env=own_environment(tmp_path / "home"))
    try:
        for number in range(10):
            client = server.connect()
            client.initialize(root)
            uri = client.open("untitled:x", "def x(): pass\n", "python")
            for version in range(20):
                client.change(uri, version + 2, f"def x{version}(): pass\n" * 2_000)
                client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
            client.request("workspace/symbol", {"query": "al"})
            time.sleep(0.05 * number)  # each leaves at another moment
            client.hang_up()
        threads = Path(f"/proc/{server.process.pid}/task")
        until(
            lambda: len([*threads.iterdir()]) < 10,
            "few threads",
            instead=lambda: len([*threads.iterdir()]),
        )
    finally:
        server.stop()


def test_no_scan_is_sent_for_a_client_that_has_left(make_workspace: Maker) -> None:
    workspace, scans = make_workspace({"a.py": ""}), BackgroundScans()
    plan = workspace.source.plan(SearchRequest(query="a"))
    scans.send(workspace.source.indexed, plan, "").report()
    scans.close()
    with pytest.raises(NotWantedError):
        scans.send(workspace.source.indexed, plan, "")


@pytest.mark.nightly
def test_two_servers_on_the_same_tree(start: Starter, tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", FILES)
    clients = [start(), start()]
    for client in clients:
        client.initialize(root)
    for client in clients:
        client.wait_indexed()
    write_files(root, {"new.py": "def appeared(): pass\n"})
    for client in clients:
        client.until_names("appeared", ["appeared"])
    assert [client.leave() for client in clients] == [0, 0]
