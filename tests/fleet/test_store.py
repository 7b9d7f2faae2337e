"""A store: five verbs, and what they say when something is wrong."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from symindex.errors import RequestError, StorageError
from symindex.fleet.stored import store as module
from symindex.fleet.stored.store import MissingObjectError, Store


@pytest.fixture(params=["folder", "file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    address = {
        "folder": str(tmp_path / "store"),
        "file": f"file://{tmp_path}/store",
        "memory": f"memory://{tmp_path.name}",
    }
    return Store(address[request.param], creates=True)


def test_what_is_written_is_read(store: Store) -> None:
    store.write("things/a", b"0123456789")
    assert store.read("things/a") == b"0123456789"
    assert store.read("things/a", 2, 3) == b"234"
    assert store.read("things/a", 8, 100) == b"89"


def test_beyond_the_end_is_nothing(store: Store) -> None:
    store.write("things/a", b"0123456789")
    assert store.read("things/a", 10, 5) == store.read("things/a", 11, 5) == b""


def test_the_memory_of_a_process_is_shared(tmp_path: Path) -> None:
    Store(f"memory://{tmp_path}").write("a", b"x")
    assert Store(f"memory://{tmp_path}").read("a") == b"x"


def test_an_empty_object_is_read(store: Store) -> None:
    store.write("things/empty", b"")
    assert store.read("things/empty") == b""


def test_of_two_writers_one_creates(store: Store) -> None:
    assert store.create("numbers/1", b"first")
    assert not store.create("numbers/1", b"second")
    assert store.read("numbers/1") == b"first"


def test_listed_by_folder(store: Store) -> None:
    for name in ("b/2", "b/1", "bc/1", "a/1"):
        store.write(name, b"xy")
    assert sorted(stored.name for stored in store.list("b")) == ["b/1", "b/2"]
    assert {stored.n_bytes for stored in store.list("b")} == {2}
    assert [stored.name for stored in store.list("b", after="b/1")] == ["b/2"]
    assert not list(store.list("nothing"))


def test_more_objects_than_one_request_lists(store: Store) -> None:
    for number in range(1_001):
        store.write(f"many/{number:04}", b"")
    assert len(list(store.list("many"))) == 1_001


def test_deleted_twice(store: Store) -> None:
    store.write("a/1", b"x")
    store.write("b/1", b"x")
    store.delete(["a/1", "a/1", "a/2", "b/1"])
    assert not list(store.list("a"))
    assert not list(store.list("b"))


def test_a_missing_object_is_named(store: Store) -> None:
    with pytest.raises(MissingObjectError, match=r"a/1 is not in the store; run `symindex fleet"):
        store.read("a/1")
    with pytest.raises(MissingObjectError):
        store.read("a/1", 0, 10)


@pytest.mark.parametrize("name", ["../a", "/a", "A", "", "a b", "a" * 201])
def test_odd_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(StorageError):
        store.write(name, b"")


def test_a_name_of_the_longest_length(store: Store) -> None:
    store.write("a" * 200, b"x")
    assert store.read("a" * 200) == b"x"


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("", "the address of the store is empty"),
        ("http://example.org/a", "no store has the scheme http://"),
        ("gopher://x", "no store has the scheme gopher://"),
        ("s3://", "s3://: expected s3://bucket/fleet"),
        ("s3:/x/y", "s3:/x/y: expected s3://x/y, or ./s3:/x/y if a folder is meant"),
        ("s3:x", "s3:x: expected s3://x, or "),
        ("s3:///x", "s3:///x: expected s3://x"),
        ("gs:/x", "gs:/x: expected gs://x, or "),
        ("az:/x", "az:/x: expected az://x, or "),
        ("file:/x", "file:/x: expected file:///x, or "),
        ("file:x", "file:x: expected file:///x, or "),
        ("http:/x", "no store has the scheme http://"),
    ],
)
def test_wrong_addresses(
    address: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for creates in False, True:
        with pytest.raises(RequestError) as caught:
            Store(address, creates=creates)
        assert says in str(caught.value)
    assert not [*tmp_path.iterdir()]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a:b", "C:/x", "./s3:/x", "s3x/y", "f:/x"])
def test_folders_with_colons(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Store(name, creates=True).write("a/1", b"x")
    assert (tmp_path / name / "a" / "1").read_bytes() == b"x"


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"no such store; `symindex fleet update` makes one"):
        Store(str(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for creates in False, True:
        with pytest.raises(StorageError, match="cannot be opened"):
            Store(str(tmp_path / "file"), creates=creates)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    store.write("a/1", b"x")
    (tmp_path / "a" / "1").chmod(0)
    with pytest.raises(StorageError, match="denies access to a/1"):
        store.read("a/1")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(
        StorageError, match="denies access, so a/1 is not written; check the rights"
    ):
        Store(str(tmp_path)).write("a/1", b"x")


def test_a_store_on_a_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is that of a file system mounted with `ro`."""
    import obstore
    from obstore.exceptions import GenericError

    def refuse(*_: object, **__: object) -> None:
        raise GenericError(
            f"Generic LocalFileSystem error: Unable to create dir {tmp_path}/a: Read-only file"
            " system (os error 30)\n\nDebug source: ..."
        )

    store = Store(str(tmp_path))
    store.write("a/1", b"x")
    monkeypatch.setattr(obstore, "put", refuse)
    monkeypatch.setattr(obstore, "delete", refuse)
    says = f"{tmp_path}: the store is on a read-only file system: nothing can be"
    for verb, change in (
        ("written", lambda: store.write("a/2", b"x")),
        ("written", lambda: store.create("a/2", b"x")),
        ("deleted", lambda: store.delete(["a/1"])),
    ):
        with pytest.raises(StorageError) as caught:
            change()
        assert str(caught.value) == f"{says} {verb}; reading works"
    assert store.read("a/1") == b"x"


def test_a_store_cannot_be_made_on_a_read_only_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StorageError) as caught:
        Store(str(tmp_path / "new"), creates=True)
    assert str(caught.value) == f"{tmp_path}/new: cannot be made: its file system is read-only"


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with pytest.raises(StorageError, match="cannot be reached") as caught:
        list(Store("s3://bucket/fleet").list("a"))
    assert "secret" not in str(caught.value)


class Server(ThreadingHTTPServer):
    """A server that answers each request in the same way, and counts them. status: of the answers;
    0 for none."""

    def __init__(self, status: int) -> None:
        self.status, self.n_requests, self.ended = status, 0, threading.Event()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.n_requests += 1
        if not self.server.status:
            self.server.ended.wait(60)
            return
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], Server]]:
    servers: list[Server] = []

    def serve(status: int) -> Server:
        servers.append(Server(status))
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{servers[0].server_port}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        return servers[0]

    yield serve
    for server in servers:
        server.ended.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "says", "is_tried_again"),
    [
        (503, "the store is overloaded or starting; try again later", True),
        (500, "the store failed; see its log, and try again later", True),
        (507, "the store is full; make room", True),
        (403, "the store denies access to a/1; check the keys", False),
        (404, "a/1 is not in the store", False),
    ],
)
def test_a_server_that_fails_is_asked_again(
    serving: Callable[[int], Server],
    status: int,
    says: str,
    is_tried_again: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At most MOST_RETRIES times."""
    server = serving(status)
    monkeypatch.setattr(module, "MOST_RETRIES", 2)
    with pytest.raises(StorageError, match=says) as caught:
        Store("s3://bucket/fleet").read("a/1")
    assert server.n_requests == (3 if is_tried_again else 1)
    assert "\n" not in str(caught.value)


def test_a_server_that_is_silent(
    serving: Callable[[int], Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    serving(0)
    monkeypatch.setattr(module, "MOST_RETRIES", 0)
    monkeypatch.setattr(module, "REQUEST_TIMEOUT", timedelta(seconds=0.2))
    with pytest.raises(StorageError, match=r"did not answer in time|cannot be reached"):
        Store("s3://bucket/fleet").read("a/1")
