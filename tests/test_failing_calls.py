"""Every call of the system that can fail, in every operation that writes, locks, starts or opens:
whatever fails, nothing is left open, and the next try works."""

import errno
import io
import itertools
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest

from symindex.errors import SymindexError
from symindex.extract.languages.registry import load_languages
from symindex.fetch.copying import copy_item
from symindex.fetch.sign_file import sign_files
from symindex.fetch.signature import check
from symindex.fetch.trust import TrustStore
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.forked_walk import ForkedWalk
from symindex.files.text_files import TextFiles
from symindex.fleet.catalogue.repository import Limits, Repository
from symindex.fleet.sources.sync import sync
from symindex.index import overlay
from symindex.index.store import writing as writing_index
from symindex.packages.found.archives import unpack
from symindex.packages.found.package import Package
from symindex.packages.indexes.environment import Environment
from symindex.protocol.recall import TextRequest
from symindex.recall.chunks.answer import answer
from symindex.recall.content.content import Content
from symindex.recall.notes.notes import Notes
from symindex.serve.cli import output
from symindex.serve.daemon.listener import Daemon
from symindex.serve.daemon.turn import LOCK_NAME, check_can_listen, is_taken
from symindex.serve.listening import listen
from symindex.serve.lsp import listener as lsp_listener
from symindex.serve.lsp.configuration import Bounds
from symindex.serve.mcp import http, transport
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.stdio_bootstrap import Bootstrap
from symindex.serve.unix_socket import socket_file
from symindex.workers.framing import Job
from symindex.workers.process import Process
from symindex.workspace.workspace import Workspace
from tests.fleet.repositories import make_repository
from tests.support.failing_calls import Operation, check_failures, failing_call
from tests.support.files import write_files
from tests.support.packages import build as build_packages
from tests.support.packages import find, make_package, make_store
from tests.support.processes import needs_proc
from tests.support.waiting import until

pytestmark = needs_proc

TREE: Final = {"a.py": "def alpha(): pass\n", "sub/b.py": "def beta(): pass\n", "c.md": "# Alpha\n"}

FILTER: Final = load_languages(check=False).wanted(1_000_000)


def tree(world: Path) -> None:
    write_files(world / "tree", TREE)


def search(workspace: Workspace, notices: list[str]) -> tuple[list[str], list[str]]:
    response = workspace.search("kind:function")
    return [item.name for item in response.items], [*notices, *(response.notices or ())]


def build(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        return search(workspace, workspace.refresh().notices)


def built(world: Path) -> None:
    tree(world)
    build(world)
    write_files(world / "tree", {"a.py": "def alpha(): pass\ndef gamma(): pass\n"})


def rebuild(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        return search(workspace, workspace.refresh(rebuild=True).notices)


def many_updates(world: Path) -> None:
    tree(world)
    with Workspace(world / "tree", world / "index") as workspace:
        for number in range(overlay.MOST_OVERLAYS + 1):
            write_files(world / "tree", {"a.py": f"def alpha{number}(): pass\n"})
            workspace.refresh()
    write_files(world / "tree", TREE)


def merge(world: Path) -> object:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(overlay, "FEW_SYMBOLS", 0)
        return build(world)


def first_key(world: Path) -> object:
    trusted = TrustStore(world / "trust")
    signed = sign_files([str(world / "page.md")], trusted.signing_key())
    is_known = trusted.called(signed[0].key)
    return bool(is_known), check((world / "page.md").read_bytes(), trusted, "page.md").state


def daemon_turn(world: Path) -> object:
    check_can_listen(str(world), "daemon.sock")
    (world / LOCK_NAME).touch()
    return is_taken(str(world))


def follow(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        watcher = workspace.source.indexed.follow()
        watcher.settle(5.0)
        return search(workspace, list(watcher.notices))


def serve(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        daemon = Daemon(workspace.source.indexed)
        daemon.start()
        until(lambda: daemon.is_listening or daemon.refusal, "an attempt to listen")
        daemon.stop()
        return True


def grep(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        response = workspace.grep("alpha")
        return str(response.files), [*(response.notices or ())]


def refer(world: Path) -> object:
    with Workspace(world / "tree", world / "index") as workspace:
        response = workspace.references("alpha")
        return [str(file) for file in response.files], [*(response.notices or ())]


def package(world: Path) -> Package:
    return Package("npm", "thing", "1.0", world / "thing", modules=("thing",))


def build_package(world: Path) -> object:
    report = build_packages(make_store(world), package(world))
    environment = Environment.open([package(world)], make_store(world))
    ids = find(environment, "alpha")
    left_out = [status.package for status in environment.status() if status.left_out]
    return ids, [*report.failed, *environment.missing(), *left_out]


def folder(world: Path) -> None:
    world.mkdir(parents=True)


def copy(world: Path) -> object:
    path = copy_item(b"content", world, "sub/inner/item.md", force=True)
    return path.read_bytes()


def write_private(world: Path) -> object:
    private = PrivateFolder(world / "private")
    private.write("name", [b"content"])
    with private.scratch() as scratch:
        scratch.write(b"x")
    with private.locked("lock", 0.0) as is_ours:
        return private.read("name", 100), private.names(9) and is_ours


def lock(world: Path) -> object:
    with writing_index(PrivateFolder(world / "index"), 0.0):
        return True


def note(world: Path) -> object:
    with Notes(world, world / "notes") as notes:
        notes.take_in([b'{"uid": "u1", "time_ms": 1, "text": "Cache for an hour"}'])
        texts = sorted(note.text for note in notes.newest_first(all_projects=True)[0])
        return texts, [notice for notice in notes.take_notices() if "cannot be read" in notice]


def is_told(answer: object) -> bool:
    return isinstance(answer, tuple) and bool(answer[1])


def damaged_notes(world: Path) -> None:
    with Notes(world, world / "notes") as notes:
        notes.add("Older")
        notes.add("Newer")
    (world / "notes" / "notes.db").write_bytes(b"damaged" * 1000)


def add_content(world: Path) -> object:
    with Content(world / "content") as content:
        content.add_file(world / "page.md", "page")
        return [source.label for source in content.sources()]


def page(world: Path) -> None:
    write_files(world, {"page.md": "# Caching\n\nValues are cached for an hour.\n"})


def ask_content(world: Path) -> object:
    with Content(world / "content") as content:
        content.add_file(world / "page.md", "page")
        request = TextRequest(queries=["cached values"])
        response = answer(request, [content.collection(request)])
        return [item.title for section in response.sections for item in section.items]


def archive(world: Path) -> None:
    world.mkdir(parents=True)
    with zipfile.ZipFile(world / "a.jar", "w") as file:
        file.writestr("org/x/A.java", "class A {}")
        file.writestr("B.java", "class B {}")


def unpack_archive(world: Path) -> object:
    unpack(world / "a.jar", world / "cache" / "unpacked")
    below = world / "cache"
    return sorted(str(path.relative_to(below)) for path in below.rglob("*"))


def write_output(world: Path) -> object:
    with output.writing(output.find_output(str(world / "out.txt"), world, False)) as stream:
        stream.write(b"rows")
    return (world / "out.txt").read_bytes()


def listen_at_path(world: Path) -> object:
    with socket_file(str(world / "socket")):
        return True


def listen_at_port(_: Path) -> object:
    listen("--tcp", "127.0.0.1", 0).close()
    return True


def serve_agents_by_http(world: Path) -> object:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(http.LimitedServer, "run", lambda *_, **__: None)
        return http.run_http("127.0.0.1", 0, [], [world / "tree"], str(world / "index"), Offer())


def serve_agents_on_streams(world: Path) -> object:
    bootstrap = Bootstrap(io.BytesIO(), io.BytesIO(), Offer())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(transport, "ignore_signals", lambda: None)
        return transport.run_stdio(bootstrap, [world / "tree"], str(world / "index"), Offer())


def serve_editors(world: Path) -> object:
    async def run(_: object) -> None:
        """Accepts nobody."""

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lsp_listener._Listener, "run", run)
        return lsp_listener.serve_socket(str(world / "socket"), Bounds())


def start_worker(_: Path) -> object:
    process = Process(Job("tests.workers.word_job", b"", 1 << 30), 5.0)
    try:
        return process.begin()
    finally:
        process.close()


def walk(world: Path) -> object:
    walking = ForkedWalk(world / "tree", FILTER)
    try:
        walked = walking.result()
        return None if walked is None else len(walked.files.mtimes)
    finally:
        walking.close()


def repository(world: Path) -> None:
    make_repository(world / "there", TREE)


def sync_repository(world: Path) -> object:
    done = sync(Repository("r", "git", str(world / "there")), world / "ours", Limits(seconds=60))
    return sorted(path.name for path in done.root.rglob("*.*"))


def tar(world: Path) -> None:
    tree(world)
    with tarfile.open(world / "a.tar.gz", "w:gz") as file:
        file.add(world / "tree", "tree")


def sync_tar(world: Path) -> object:
    done = sync(Repository("r", "archive", str(world / "a.tar.gz")), world / "ours", Limits())
    return sorted(path.name for path in done.root.rglob("*.*"))


OPERATIONS: Final = {
    "a repository of a fleet": Operation(repository, sync_repository),
    "a tar archive of a fleet": Operation(tar, sync_tar),
    "a copy": Operation(folder, copy),
    "a private folder": Operation(folder, write_private, errors=(SymindexError, OSError)),
    "the lock of an index": Operation(folder, lock),
    "a first note": Operation(folder, note),
    "damaged notes": Operation(damaged_notes, note, is_told),
    "content": Operation(page, add_content),
    "an answer from content": Operation(page, ask_content),
    "an archive": Operation(archive, unpack_archive),
    "an output file": Operation(folder, write_output),
    "a socket at a path": Operation(folder, listen_at_path),
    "a socket at a port": Operation(folder, listen_at_port),
    "a server for agents, by HTTP": Operation(
        tree, serve_agents_by_http, errors=(SymindexError, OSError)
    ),
    "a server for agents, on streams": Operation(
        tree, serve_agents_on_streams, lambda code: code == 2
    ),
    "a server for editors": Operation(folder, serve_editors),
    "a worker": Operation(folder, start_worker),
    "a first key": Operation(page, first_key),
    "a package": Operation(
        lambda world: make_package(world / "thing", TREE), build_package, is_told
    ),
    "a forked walk": Operation(tree, walk, errors=(SymindexError, OSError)),
    "a followed tree": Operation(tree, follow, is_told),
    "a merge": Operation(many_updates, merge, is_told),
    "joined updates": Operation(many_updates, build, is_told),
    "the turn of a daemon": Operation(folder, daemon_turn, errors=(SymindexError, OSError)),
    "a daemon": Operation(built, serve),
    "a search in files": Operation(built, grep, is_told),
    "references": Operation(built, refer, is_told),
    "a first index": Operation(tree, build, is_told),
    "an update": Operation(built, build, is_told),
    "a rebuilt index": Operation(built, rebuild, is_told),
}


QUICK: Final = (
    "a copy",
    "an archive",
    "an output file",
    "a socket at a path",
    "a socket at a port",
    "a forked walk",
    "a server for agents, by HTTP",
    "a server for agents, on streams",
    "a server for editors",
)
"""Operations whose calls all fail in turn within half a second."""

PARTS: Final = 4
"""Number of tests that share the calls of a longer operation."""


@pytest.mark.parametrize("name", QUICK)
def test_nothing_is_left_when_a_call_fails(name: str, tmp_path: Path) -> None:
    assert check_failures(OPERATIONS[name], tmp_path).total()


def test_a_folder_that_cannot_be_listed_is_told_and_listed_the_next_time(tmp_path: Path) -> None:
    tree(tmp_path)
    right = TextFiles(tmp_path / "tree", FILTER).paths()
    skips = []
    for number in itertools.count(1):
        listing = TextFiles(tmp_path / "tree", FILTER)
        with failing_call(number) as failing:
            paths = listing.paths()
        if failing.failed is None:
            break
        skips += listing.unlisted()
        assert paths == right or listing.unlisted()
        assert listing.paths() == right and not listing.unlisted()
    assert {skip.path for skip in skips} == {"", "sub/"}


@pytest.mark.nightly
def test_a_search_in_files_names_the_folder_that_cannot_be_listed(tmp_path: Path) -> None:
    built(tmp_path)
    with Workspace(tmp_path / "tree", tmp_path / "index") as workspace:
        workspace.refresh()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(os, "scandir", no_more_files)
            response = workspace.grep("alpha")
        assert response.notices == ["1 file was not looked into: . (unreadable)"]
        assert workspace.grep("alpha").total == 1


def no_more_files(*_: object) -> None:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, PARTS + 1))
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in QUICK])
def test_nothing_is_left_when_a_call_of_a_long_operation_fails(
    name: str, first: int, tmp_path: Path
) -> None:
    assert check_failures(OPERATIONS[name], tmp_path, first, PARTS).total()
