"""The commands with `--fleet`: what they show, and the options that mean nothing there."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from symindex.errors import RequestError
from symindex.serve.cli.fleet_folder import FleetFolder
from symindex.serve.daemon.wire import may_be_asked
from symindex.serve.fleet_answers import FLEET, open_answers, open_store
from symindex.serve.streams import FLEET_TOKEN
from symindex.workspace.early_walk import start_early
from tests.support.command import run, run_symindex
from tests.support.files import write_files
from tests.support.fleet_server import TOKEN, FleetServer

FILES = {
    "src/app.py": "class Store:\n    '''Keeps parsed cookies.'''\n    def put(self): pass\n\ndef use():\n    Store().put()\n",
    "README.md": "# Shop\n\nHow the cookies are kept.\n",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetServer]:
    folder = tmp_path_factory.mktemp("fleet")
    roots = [write_files(folder / name, FILES) for name in ("shop", "bank")]
    server = FleetServer(folder / "indexes", *roots, token=TOKEN)
    server.wait_for("Store", 2)
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that is a project of its own, in which nothing may be looked at."""
    monkeypatch.setenv(FLEET_TOKEN, TOKEN)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = write_files(tmp_path / "here", {".git/HEAD": "", "src/app.py": "class Local: pass\n"})
    monkeypatch.chdir(folder / "src")
    return folder


SHOWN = [
    (["search", "Store", "-n", "1"], "| `Store` | class | shop/src/app.py:1 |"),
    (["search", "Store", "--format", "lines"], "bank/src/app.py:1: class Store"),
    (["search", "Store", "--format", "table"], "bank/src/app.py:1"),
    (["search", "where are the cookies parsed"], "1 `Store` (class)"),
    (["search", "cookies", "--in", "text"], "shop/README.md"),
    (["search", "put", "-p", "bank/**"], "bank/src/app.py:3"),
    (["symbol", "bank/src/app.py#Store"], "# Symbol: `bank/src/app.py#Store`"),
    (["symbol", "shop/src/app.py:3"], "def put(self)"),
    (["outline", "shop/src", "--depth", "3"], "Store"),
    (["map", "shop"], "shop/src/app.py"),
    (["refs", "put", "-p", "shop/**"], "shop/src/app.py"),
    (["grep", "cookies", "shop"], "shop/README.md"),
    (["grep", "kept", "--format", "lines"], "bank/README.md:3:21: How the cookies are kept."),
    (["hierarchy", "bank/src/app.py#Store.put", "-d", "callers"], "`use` function"),
    (["fetch", "bank/README.md", "--raw"], "# Shop"),
]


@pytest.mark.slow
def test_what_commands_show(server: FleetServer) -> None:
    for arguments, expected in SHOWN:
        ran = run(*arguments, "--fleet", server.address)
        assert (ran.code, ran.err) == (0, ""), (arguments, ran.err)
        assert expected in ran.out, (arguments, ran.out)
        assert "../" not in ran.out


@pytest.mark.slow
def test_a_trace_and_data_are_those_of_the_fleet(server: FleetServer) -> None:
    ran = run(
        "trace", "--fleet", server.address, given=b'File "/x/shop/src/app.py", line 3, in put\n'
    )
    assert ran.code == 0 and "shop/src/app.py:3" in ran.out
    ran = run("search", "Store", "--json", "--fleet", server.address)
    assert {item["file_path"] for item in json.loads(ran.out)["items"]} == {
        "shop/src/app.py",
        "bank/src/app.py",
    }
    ran = run("search", "shop/src/app.py", "--fleet", server.address)
    assert "this is a file: `symindex outline shop/src/app.py`" in ran.out


@pytest.mark.slow
def test_exit_codes_are_as_always(server: FleetServer) -> None:
    fleet = ("--fleet", server.address)
    for arguments, code in (
        (["search", "zzzzz"], 1),
        (["symbol", "zzzzz"], 1),
        (["grep", "zzzzz"], 1),
        (["refs", "zzzzz"], 1),
        (["fetch", "zzzzz"], 1),
        (["search", "(a"], 2),
        (["outline", "nothing.py"], 2),
        (["grep", "("], 2),
        (["search", "a", "--kind", "x"], 2),
    ):
        ran = run(*arguments, *fleet)
        assert ran.code == code, (arguments, ran.out, ran.err)
        assert ran.err.count("\n") == (code == 2), ran.err


@pytest.mark.slow
def test_the_environment_names_a_fleet(server: FleetServer, elsewhere: Path) -> None:
    environment = {**os.environ, FLEET: server.address}
    found = run_symindex("search", "Store", "Local", env=environment)
    assert "shop/src/app.py" in found.stdout
    root = run_symindex("search", "Local", "--root", str(elsewhere), env=environment)
    assert "`Local` | class" in root.stdout
    here = run_symindex("search", "Local", "--fleet", "", env=environment)
    assert "`Local` | class | app.py:1" in here.stdout
    refused = run_symindex("search", "Local", "--no-refresh", env=environment)
    assert (refused.returncode, refused.stderr) == (
        2,
        (
            f"symindex: --no-refresh: means nothing in a fleet, which {FLEET} names; --fleet '' asks"
            " the tree here\n"
        ),
    )
    for command in ("index", "status", "changed"):
        ran = run_symindex(command, env={**environment, FLEET: "http://127.0.0.1:9"})
        assert "127.0.0.1" not in ran.stdout + ran.stderr, command


MEANINGLESS = [
    (["search", "a", "--root", "."], "--root"),
    (["search", "a", "--index-dir", "x"], "--index-dir"),
    (["search", "a", "--paths", "absolute"], "--paths absolute"),
    (["search", "a", "--no-refresh"], "--no-refresh"),
    (["search", "a", "--wait"], "--wait"),
    (["search", "a", "--space", "user"], "--space"),
    (["symbol", "a", "--history"], "--history"),
    (["fetch", "a", "--to", "user"], "--to"),
    (["fetch", "a", "--source", "registry"], "--source"),
    (["fetch", "a", "--version", "1"], "--version"),
    (["search", "a", "--format", "rye"], "--format rye"),
    (["search", "a", "--in", "notes"], "--in notes"),
]


@pytest.mark.parametrize(("arguments", "option"), MEANINGLESS)
def test_what_means_nothing_in_a_fleet_is_an_error(arguments: list[str], option: str) -> None:
    ran = run(*arguments, "--fleet", "http://127.0.0.1:9")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"symindex: {option}: ")
    assert run("search", "a", "--paths", "root", "--fleet", "http://127.0.0.1:9").err.startswith(
        "symindex: http://127.0.0.1:9: cannot be reached"
    )


def test_paths_of_this_machine_are_errors() -> None:
    folder = FleetFolder()
    for path in ("./a", "../a", "~/a", "/home/a"):
        with pytest.raises(RequestError, match="paths in a fleet begin with the repository"):
            folder.path(path)
    for glob in ("./a", "!../a", "."):
        with pytest.raises(RequestError, match="paths in a fleet begin with the repository"):
            folder.glob(glob)
    assert [folder.glob(glob) for glob in ("a/**", "!*.js", "/a")] == ["a/**", "!*.js", "/a"]
    assert folder.places(["acme/a[1]/", "."], lambda _: None) == ["/acme/a[[]1]", "**"]
    assert folder.path("acme/a/") == "acme/a" and folder.shown("acme/a") == "acme/a"


def test_a_store_needs_an_extra() -> None:
    with pytest.raises(RequestError, match="is a service, not a store"):
        open_store("https://example.org")
    with pytest.raises(RequestError, match="is not an address"):
        open_answers("http://a b")


def test_no_daemon_and_no_walk_help_a_fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    assert may_be_asked(["search", "a"])
    for arguments in (["search", "a", "--fleet", "x"], ["search", "a", "--fleet=x"]):
        assert not may_be_asked(arguments) and not start_early(arguments).is_walking
    monkeypatch.setenv(FLEET, "http://127.0.0.1:9")
    assert not may_be_asked(["search", "a"]) and not start_early(["search", "a"]).is_walking
