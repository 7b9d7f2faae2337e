"""A search that another process answers: the bytes equal those of a local search, and the result is
never older than the request."""

import gc
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from symindex.files.watch import events
from symindex.serve.daemon import client, exchange, listener, wire
from symindex.serve.daemon.listener import Daemon
from symindex.serve.daemon.wire import may_be_asked
from symindex.settings import Settings
from tests.support.command import SYMINDEX, run, run_symindex, started
from tests.support.daemon import answer_to, ask, ask_for, followed, reply_to, serving, socket_of
from tests.support.files import write_files
from tests.support.mixed_tree import TREE
from tests.support.waiting import SECONDS, until

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix sockets"),
    pytest.mark.usefixtures("fast_watch"),
]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes clients wait as long as the test does: other tests check the time limits."""
    monkeypatch.setattr(exchange, "HEAD_SECONDS", SECONDS)
    monkeypatch.setattr(exchange, "REST_SECONDS", SECONDS)
    monkeypatch.setattr("symindex.workspace.daemon_view.SETTLE_SECONDS", SECONDS)
    monkeypatch.setattr(listener, "AGAIN_SECONDS", 0.05)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = "# Opening hours\n\nThe shop opens at nine. Carts are kept for a week.\n\n## Returns\n\nWithin a month.\n"
    return write_files(
        tmp_path_factory.mktemp("world") / "tree",
        {**TREE, "docs/hours.md": page, "odd/caf\u00e9 |`x`.py": "x = 1\n"},
    )


@pytest.fixture
def daemon(tree: Path) -> Iterator[Daemon]:
    with serving(tree) as daemon:
        yield daemon


SEARCHES = [
    "Server", "Server -n 1", "server --json", "Srver", "nosuchname", "Server.", "Server.Serve", "net/server", "Slice::size",
    "where are carts kept", "kind:method AND NOT test", "'open paren (", "Server AND", "size* --json", "Sh?pe",
    "--kind class", "--kind nosuch Server", "-l go Server", "-l nosuch Server", "-p src/** S", "-p !src/** S",
    "S --start-index 2 -n 2", "S --start-index 5000", "-n -3 S", "--pagination-id abc S", "S -n 2 --next-by pagination_id",
    "S --format table", "S --format table -n 2", "S --format rye",
    "S --format lines", "S --format lines -n 2", "nosuchname --format lines", "S -i signature -i doc -i score", "S -i nosuch",
    "space:system S", "is:item", "type:skill x", "--in text carts", "--in all carts", "--in notes x", "caf\u00e9", "x -p odd/**",
    "--fuzzy srvr", "--no-fuzzy srvr", "--bogus", "-n", "content:month", "hours", "Returns", "kept for a week",
    "is:test", "lang:rust kind:struct", "is:nosuch", "--wait Server", "--scope nosuch x", "-- -x", "--root=. x", "",
]  # fmt: skip


def test_the_same_bytes_on_both_ways(daemon: Daemon, tree: Path) -> None:
    n_answered = 0
    for line in SEARCHES:
        arguments = (
            [*line.split(), "--root", str(tree)]
            if "--" not in line.split()
            else ["--root", str(tree), *line.split()]
        )
        answered, own = ask(*arguments), run("search", "--no-daemon", *arguments)
        n_answered += answered is not None
        assert answered in (None, (own.code, own.out, own.err)), line
    assert (
        n_answered >= len(SEARCHES) - 2
    )  # the daemon has no form `--root=.`, but accepts a repeated option


OTHERS = [
    "symbol Server", "symbol Server --json", "symbol Cart --siblings", "symbol nosuch", "symbol Server Cart",
    "symbol py/shop.py:3", "symbol py/shop.py#Cart.total", "symbol py/shop.py --lines 1-3",
    "symbol Server --max-tokens 40", "symbol total -p py/**",
    "symbol Server -p nosuch/**", "symbol Server --history", "symbol", "symbol --bogus x", "symbol httpx.Client",
    "outline", "outline py", "outline py/shop.py", "outline py/shop.py --signatures", "outline --depth 1", "outline -k class",
    "outline nosuch.py", "outline --json", "outline --max-tokens 100", "outline -k nosuch", "outline docs/hours.md",
    "outline ../other",
]  # fmt: skip


@pytest.mark.nightly
def test_the_same_bytes_of_symbols_and_outlines(daemon: Daemon, tree: Path) -> None:
    for line in OTHERS:
        command, *arguments = [*line.split(), "--root", str(tree)]
        own = run(command, "--no-daemon", *arguments)  # type: ignore[arg-type]
        assert ask_for(command, *arguments) == (own.code, own.out, own.err), line  # type: ignore[arg-type]
    assert daemon.n_answered == len(OTHERS)


@pytest.mark.nightly
def test_a_daemon_goes_on_collecting_what_it_made(daemon: Daemon, tree: Path) -> None:
    gc.enable()
    for line in OTHERS:
        command, *arguments = [*line.split(), "--root", str(tree)]
        ask_for(command, *arguments)  # type: ignore[arg-type]
    assert gc.isenabled() and daemon.n_answered == len(OTHERS)


def test_a_client_with_a_pager_is_answered(
    daemon: Daemon, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client shows the answer in the pager."""
    monkeypatch.setenv("PAGER", "less")
    assert ask_for("symbol", "Server", "--root", str(tree)) is not None
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert (
        ask_for("symbol", "Server", "--root", str(tree)) is not None
        and ask("Server", "--root", str(tree)) is not None
    )


@pytest.mark.nightly
def test_pages_continue_whichever_process_answers(daemon: Daemon, tree: Path) -> None:
    """The client and the daemon accept each other's tokens."""
    pages = []
    token: list[str] = []
    for number in range(4):
        arguments = ["S", "-n", "2", "--next-by", "pagination_id", "--root", str(tree), *token]
        answered, own = ask(*arguments), run("search", "--no-daemon", *arguments)
        assert answered == (own.code, own.out, own.err)
        text = own.out if number % 2 else answered[1]
        pages.append(text)
        token = ["--pagination-id", text.partition("--pagination-id ")[2].partition("`")[0]]
    assert len(set(pages)) == 4


def test_an_answer_is_never_older_than_the_question(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", TREE)
    with serving(root) as daemon:
        for number in range(20):
            name = f"fresh_{number}"
            write_files(root, {f"new{number % 7}/f{number % 3}.py": f"def {name}(): pass\n"})
            answered = ask(name, "--root", str(root))
            assert answered is not None and answered[0] == 0 and f"`{name}`" in answered[1]
        (root / "new0" / "f0.py").unlink()
        assert ask("fresh_0", "--root", str(root), "--no-fuzzy")[0] == 1  # type: ignore[index]
        write_files(root, {"symindex.toml": "exclude = ['py/**']\n"})
        until(
            lambda: (answer := ask("Cart", "--root", str(root))) and "py/shop.py" not in answer[1]
        )
        assert daemon.n_answered >= 21


@pytest.mark.nightly
def test_the_tree_is_walked_if_the_system_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "ONE_WATCH", True)
    root = write_files(tmp_path / "tree", TREE)
    with serving(root):
        for number in range(5):
            write_files(root, {"new/f.py": f"def fresh_{number}(): pass\n"})
            answered = ask(f"fresh_{number}", "--root", str(root))
            assert answered is not None and answered[0] == 0


@pytest.mark.nightly
def test_what_a_terminal_gets(daemon: Daemon, tree: Path) -> None:
    """Colours, links and widths suit the client's terminal."""
    import pty

    def in_terminal(*more: str) -> bytes:
        ours, theirs = pty.openpty()
        environment = {
            **os.environ,
            "TERM": "xterm-256color",
            "COLUMNS": "70",
            "LINES": "20",
            "PAGER": "cat",
        }
        with started(
            [*SYMINDEX, "search", "S", "--root", tree, *more],
            stdout=theirs,
            stderr=theirs,
            env=environment,
        ):
            os.close(theirs)
            text = b""
            with ExitStack() as closing:
                closing.callback(os.close, ours)
                try:
                    while chunk := os.read(ours, 65_536):
                        text += chunk
                except OSError:  # the end of a terminal
                    pass
            return text

    in_terminal()  # the daemon loads what it needs
    before = daemon.n_answered
    own = in_terminal("--no-daemon")
    until(lambda: in_terminal() == own and daemon.n_answered > before)
    assert b"\x1b[" in own


@pytest.mark.nightly
def test_the_command_asks_the_daemon(daemon: Daemon, tree: Path) -> None:
    """The whole command runs in its own process; its reader may stop early."""
    own = run_symindex("search", "Server", "--root", tree, "--no-daemon", cwd=tree)
    before = daemon.n_answered
    until(
        lambda: (
            run_symindex("search", "Server", "--root", tree, cwd=tree).stdout == own.stdout
            and daemon.n_answered > before
        )
    )
    for variable in ("off", "ask"):
        before = daemon.n_answered
        ran = run_symindex(
            "search", "Server", cwd=tree, env={**os.environ, "SYMINDEX_DAEMON": variable}
        )
        assert (ran.returncode, ran.stdout) == (0, own.stdout)
        assert variable == "ask" or daemon.n_answered == before
    with started([*SYMINDEX, "search", "S", "--json", "--root", tree]) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(SECONDS) == 0
    with open("/dev/full", "w") as full:
        for option in ("--root", "--no-daemon"):
            ran = run_symindex(
                "search",
                "S",
                option,
                *([tree] if option == "--root" else []),
                cwd=tree,
                stdout=full,
                stderr=-1,
            )
            assert (ran.returncode, ran.stderr) == (
                2,
                "symindex: output: No space left on device\n",
            )


@pytest.mark.sample(2)
@pytest.mark.parametrize("option", ["--no-daemon", "--no-refresh", "--help"])
def test_some_options_ask_no_daemon(option: str, daemon: Daemon, tree: Path) -> None:
    assert ask("Server", option, "--root", str(tree)) is None


def test_only_what_takes_milliseconds_is_answered(daemon: Daemon, tree: Path) -> None:
    assert answer_to(["refs", "Cart", "--root", str(tree)]) is None
    assert answer_to([]) is None
    root, path = client.find_socket(["search", "S", "--root", str(tree)]) or ("", "")
    request = exchange.request(root, ["index", "--rebuild", "--root", str(tree)])
    assert reply_to(path, request) == [wire.DECLINED, b"another command"]


def test_the_socket_is_for_its_user_alone(daemon: Daemon, tree: Path) -> None:
    status = os.lstat(socket_of(tree))
    assert stat.S_ISSOCK(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o600
    assert stat.S_IMODE(os.stat(socket_of(tree).parent).st_mode) == 0o700


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "option",
    [["--root"], ["--index-dir"], ["--root", ""], ["--index-dir", ""], ["--root", "/nowhere"]],
)
def test_options_that_are_wrong_are_left_to_the_command(option: list[str], daemon: Daemon) -> None:
    assert ask("Server", *option) is None


def test_an_index_elsewhere_has_a_daemon_of_its_own(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This also works if the socket's path exceeds the length of an address."""
    elsewhere = tmp_path / ("long" * 30)
    with serving(tree, elsewhere):
        assert ask("Server", "--root", str(tree)) is None
        assert ask("Server", "--root", str(tree), f"--index-dir={elsewhere}") is not None
        monkeypatch.setenv("SYMINDEX_INDEX_DIR", str(elsewhere))
        assert ask("Server", "--root", str(tree)) is not None
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("SYMINDEX_INDEX_DIR", elsewhere.name)
        assert ask("Server", "--root", str(tree)) is None


def test_a_configuration_that_has_changed_is_left_to_the_command(
    daemon: Daemon, tree: Path
) -> None:
    assert ask("Server", "--root", str(tree)) is not None
    folder = Path(os.environ["XDG_CONFIG_HOME"]) / "symindex"
    write_files(folder, {"config.toml": "home = false\n"})
    assert ask("Server", "--root", str(tree)) is None


def test_several_ask_at_a_time(daemon: Daemon, tree: Path) -> None:
    own = run("search", "S", "--no-daemon", "--root", str(tree))
    answers: list[object] = []
    threads = [
        threading.Thread(target=lambda: answers.append(ask("S", "--root", str(tree))))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(own.code, own.out, own.err)] * 12


def test_a_workspace_that_answers_others_stays_as_it_is(tree: Path) -> None:
    """Answering clients does not affect the workspace's own answers."""
    with followed(tree) as workspace:
        before = workspace.search("S")
        daemon = Daemon(workspace.source.indexed)
        daemon.start()
        until(lambda: daemon.is_listening)
        assert ask("S", "--root", str(tree)) is not None
        assert ask("nosuchname", "--root", str(tree)) is not None
        daemon.stop()
        assert workspace.search("S") == before
        assert not list(workspace.source.recent) and workspace.source.indexed.settings == Settings()


def test_a_request_in_a_file_is_not_sent_to_a_daemon() -> None:
    """A daemon would read its own standard input."""
    assert not may_be_asked(["search", "--format", "lsap", "--request", "-"])
    assert not may_be_asked(["search", "--format", "lsap", "--request=x.json"])
    assert may_be_asked(["search", "--format", "lsap", "request"])
