"""Tests of the bench of language servers, with a small server: what the client receives, and when
an answer is right."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bench.lsp import tree_figures, values_of
from tests.bench.lsp_client import Client
from tests.bench.lsp_servers import SERVER_TABLE
from tests.bench.lsp_session import (
    N_BURST,
    Burst,
    Observed,
    Script,
    Start,
    send_burst,
    type_words,
    wait_until_idle,
    watch_start,
)
from tests.bench.lsp_trees import LANGUAGES, TREES, Sample, Tree
from tests.bench.packages import read_packages
from tests.bench.peers import SERVERS
from tests.bench.places import BenchError

pytestmark = pytest.mark.nightly

# Knows `early` at once, `late` from the tenth request on, and `elsewhere` in another file. Sends a
# request to the client at the start, reports progress until the tenth request, delays `hold` until
# it is cancelled, and dies at `die`.
SERVER = """
import json, sys

def say(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Type: x\\r\\nContent-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
    sys.stdout.buffer.flush()

def hear():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        if line.lower().startswith(b"content-length"):
            length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit(9)

def row(name, path):
    return {"name": name, "kind": 5, "location": {"uri": root + "/" + path, "range": {}}}

asked, held, replies = 0, None, {}
while True:
    message = hear()
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        root = message["params"]["rootUri"]
        say(id=number, result={"capabilities": {}})
    elif method == "initialized":
        say(id="c", method="workspace/configuration", params={"items": [{}, {}]})
        say(id=1, method="window/workDoneProgress/create", params={"token": "t"})
        say(id="u", method="no/such", params={})
        say(method="$/progress", params={"token": "t", "value": {"kind": "begin", "title": "Indexing"}})
    elif method is None:
        replies[number] = message.get("result", message.get("error", {}).get("code"))
    elif method == "textDocument/didOpen":
        assert message["params"]["textDocument"]["text"] == "x = 1"
    elif method == "workspace/symbol":
        asked += 1
        query = message["params"]["query"]
        if asked == 10:
            say(method="$/progress", params={"token": "t", "value": {"kind": "end"}})
        if query == "die":
            assert replies == {"c": [None, None], 1: None, "u": -32601}
            print("worn out", file=sys.stderr)
            sys.exit(3)
        if query == "hold":
            held = number
            continue
        known = {"early": "a%20b.py", "elsewhere": "c.py"} | ({"late": "d.py"} if asked >= 10 else {})
        say(id=number, result=[row(name, path) for name, path in known.items() if name.startswith(query)] or None)
    elif method == "$/cancelRequest" and held is not None:
        say(id=held, error={"code": -32800, "message": "cancelled"})
        held = None
    elif method == "shutdown":
        say(id=number, result=None)
    elif method == "exit":
        sys.exit(0)
"""

EARLY, LATE, ELSEWHERE = (
    Sample("early", "a b.py"),
    Sample("late", "d.py"),
    Sample("elsewhere", "wrong.py"),
)


@pytest.fixture
def connect(tmp_path: Path) -> Callable[[bool], Client]:
    server = tmp_path / "server.py"
    server.write_text(SERVER)
    (tmp_path / "opened.py").write_text("x = 1")
    return lambda is_cold: Client([sys.executable, str(server)], tmp_path, {})


def greet(client: Client, root: Path) -> float:
    answer = client.initialize(root, 20)
    client.notify("textDocument/didOpen", {"textDocument": {"text": "x = 1"}})
    return answer.arrival - client.started


def test_a_start_is_watched_until_nothing_more_comes(
    connect: Callable[[bool], Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.lsp_session.PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("tests.bench.lsp_session.POLL_SECONDS", 0.01)
    with connect(True) as client:
        answer = client.initialize(tmp_path, 20)
        client.notify("textDocument/didOpen", {"textDocument": {"text": "x = 1"}})
        start = watch_start(client, answer, [EARLY, ELSEWHERE, LATE], tmp_path)
        assert not client.is_busy
    assert start.first is not None and start.complete is not None and start.all is not None
    assert 0 < start.initialize < start.first < start.complete == start.all
    assert (start.missed, start.asked, start.titles) == (["elsewhere"], 3, ["Indexing"])


def test_progress_is_waited_for(
    connect: Callable[[bool], Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.lsp_session.START_SECONDS", 1.0)
    with connect(True) as client:
        greet(client, tmp_path)
        type_words(client, ["e"])
        assert wait_until_idle(client) >= 1.0
        type_words(client, ["e"] * 9)
        assert not client.is_busy


def test_typing_and_a_burst(connect: Callable[[bool], Client], tmp_path: Path) -> None:
    with connect(True) as client:
        greet(client, tmp_path)
        typed = type_words(client, ["e", "el", "x"])
        assert [n_rows for _, n_rows in typed] == [2, 1, 0]
        assert all(0 < seconds < 5 for seconds, _ in typed)
        assert client.is_busy
        burst = send_burst(client, ["hold"] * (N_BURST - 1) + ["early"])
    assert (burst.answered, burst.refused, burst.is_indexing) == (N_BURST, N_BURST - 1, True)
    assert burst.last_seconds is not None


def test_an_answer_that_does_not_come_and_a_server_that_dies(
    connect: Callable[[bool], Client], tmp_path: Path
) -> None:
    with connect(True) as client:
        greet(client, tmp_path)
        number = client.send("workspace/symbol", {"query": "hold"})
        assert client.wait(number, 0.05) is None
        client.cancel(number)
        refused = client.wait(number, 20)
        assert (
            refused is not None and refused.failure is not None and refused.failure.code == -32800
        )
        with pytest.raises(BenchError, match="the server has ended with code 3: worn out"):
            client.ask("workspace/symbol", {"query": "die"}, 20)
    with pytest.raises(BenchError, match="no-such-server: not here"):
        Client(["no-such-server"], tmp_path, {})


@pytest.mark.slow
def test_a_whole_script(
    connect: Callable[[bool], Client], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.lsp_session.PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr("tests.bench.lsp_session.BURST_DELAY_SECONDS", 0.0)
    monkeypatch.setattr("tests.bench.lsp_session.START_SECONDS", 1.0)
    words = ["e", "ea"] * 10
    seen = Script(connect, tmp_path, [EARLY], words, tmp_path / "opened.py", rounds=2).observe()
    assert (len(seen.cold), len(seen.warm), len(seen.typed)) == (2, 2, 20)
    assert seen.burst is not None and seen.burst.answered == N_BURST
    assert values_of(seen)["right names, cold"] == (1, "of 1")


def observed(scale: float) -> Observed:
    start = Start(0.5 * scale, 1 * scale, 4 * scale, 8 * scale, [], 20, [])
    typed = [(0.001 * scale * number, number) for number in range(1, 101)]
    return Observed(
        [start] * 3,
        [start],
        2 * scale,
        typed,
        scale,
        int(1e8 * scale),
        Burst(20, 19, 0.01 * scale, True),
    )


def test_figures_of_a_tree() -> None:
    figures = tree_figures(
        "c", {"symindex": observed(0.1), "basedpyright": observed(10), "clangd": observed(1)}
    )
    by_name = {(figure.name, figure.against): figure for figure in figures}
    assert by_name["c: handshake", ""].met is True
    assert by_name["c: query of up to 20 rows, p95", ""].value == pytest.approx(1.9)
    assert by_name["c: query, p95", ""].met is True
    beside = by_name["c: first answer, cold", "clangd, complete, cold"]
    assert beside.ratio == pytest.approx(0.1 / 4) and beside.met
    assert by_name["c: complete, cold", "clangd, complete, cold"].ratio == pytest.approx(0.1)
    assert by_name["c: query, p50", "basedpyright, query, p50"].met is True
    assert by_name["c: query, p50", "clangd, query, p50"].met is None
    assert by_name["c, clangd: memory", ""].value == 100
    assert not any(
        figure.name.startswith("c: ") for figure in tree_figures("c", {"clangd": observed(1)})
    )


def test_the_tables_fit_each_other() -> None:
    listed = {package.name for package in read_packages().packages}
    assert all(set(packages) <= listed for packages in TREES.values())
    assert set(TREES) == set(LANGUAGES)
    assert {server.name for server in SERVER_TABLE} == {"symindex", *SERVERS}
    assert all(set(server.trees) <= set(TREES) for server in SERVER_TABLE)


@pytest.mark.slow
def test_samples_are_names_of_one_place(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for number in range(30):
        path = root / f"pkg{number % 3}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        own = f"class Only{number}thing:\n    def inner_method(self): ...\n\n\ndef shared_name(): ...\n"
        path.write_text(own + "# filler\n" * 300)
    tree = Tree("python", root, tmp_path / "index")
    samples = tree.samples((".py",), 20)
    assert len({sample.path for sample in samples}) == 20
    for sample in samples:
        assert sample.name == f"Only{sample.path.rpartition('file')[2].removesuffix('.py')}thing"
        assert root / sample.path != tree.opened_file((".py",))
    assert tree.samples((".py",), 20) == samples
    assert tree.words() == ["O", "On", "Onl", "Only"] + [
        f"{samples[0].name[:n]}" for n in (5, 6, 7)
    ]
