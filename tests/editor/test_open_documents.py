"""Open documents without a process of their own: edits, faults of the process, closed documents that
the index has not read, places in texts."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from symindex.editor import edited_documents, odd_places, open_documents
from symindex.editor.edited_documents import EditedDocuments
from symindex.editor.merged_view import Folder
from symindex.editor.odd_places import odd_place
from symindex.editor.open_documents import LONGEST_LOG, OpenDocuments
from symindex.errors import RequestError, StorageError
from symindex.extract.records import FileSymbols
from symindex.extract.texts.file_text import FileText, text_of
from symindex.index.build import build_index
from symindex.index.snapshot import Snapshot
from symindex.workers.child import Cause, Exit
from symindex.workers.document_messages import Ask, Message, Open, ParsedDocument
from tests.support.files import Maker
from tests.support.followed import Process, parse_here
from tests.support.waiting import SECONDS, until


class Client(SimpleNamespace):
    documents: OpenDocuments
    notices: list[str]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """Open documents that are parsed only on request."""
    monkeypatch.setattr(open_documents, "IDLE_SECONDS", 600.0)
    parse_here(monkeypatch)
    notices: list[str] = []
    documents = OpenDocuments("utf-8", notices.append, max_file_bytes=1_000, file_seconds=2.0)
    yield Client(documents=documents, notices=notices)
    documents.stop()


def names(parsed: ParsedDocument) -> list[str]:
    return [symbol.name for symbol in parsed.file.symbols]


def result(future: "Future[Any]") -> Any:
    return future.result(SECONDS)


def test_edits_are_applied_in_turn(client: Client) -> None:
    documents = client.documents
    documents.open("a", "a.py", "", "def one(): pass\n")
    assert not documents.is_settled
    assert names(result(documents.parsed("a"))) == ["one"]
    documents.change("a", [((0, 4), (0, 7), "two"), ((0, 4), (0, 4), "x")])
    documents.change("unknown", [(None, None, "")])
    assert result(documents.text("a")) == b"def xtwo(): pass\n"
    word = result(documents.word("a", (0, 5)))
    assert (word.name, word.start, word.end) == ("xtwo", (0, 4), (0, 8))
    assert names(documents.latest["a"]) == ["one"]
    assert names(result(documents.settle())["a"]) == ["xtwo"] and documents.is_settled
    assert documents._slot is not None and client.notices == []
    n_orders = len(Process.orders[0])
    result(documents.parsed("a"))  # nothing has changed
    assert len(Process.orders[0]) == n_orders
    documents.change("a", [(None, None, "def three(): pass\n")])
    assert not documents.is_settled
    assert names(result(documents.parsed("a"))) == ["three"]


def test_a_document_that_is_not_open_has_no_answer(client: Client) -> None:
    documents = client.documents
    documents.open("a", "a.py", "", "def one(): pass\n")
    documents.open("b", "b.py", "", "def two(): pass\n")
    result(documents.settle())
    documents.close("a")
    documents.close("a")
    for future in (documents.parsed("a"), documents.text("a"), documents.word("a", (0, 0))):
        with pytest.raises(RequestError, match=r"^a: is not open$"):
            result(future)
    assert [*documents.latest] == ["b"]
    assert names(result(documents.parsed("b"))) == ["two"]
    assert client.notices == [] and len(Process.orders) == 1


def test_a_name_that_is_not_unicode_is_one_to_the_process(client: Client) -> None:
    client.documents.open("\ud800", "\udcff.py", "\ud801", "s = '\ud800'\n")
    client.documents.change("\ud800", [((0, 0), (0, 0), "\ud800 = 1\n")])
    assert result(client.documents.parsed("\ud800")).file.path == "\\udcff.py"
    client.documents.close("\ud800")
    assert result(client.documents.settle()) == {} and client.notices == []


def fail(*ends: Exit | None) -> Callable[[list[Message]], Exit | None]:
    """Ends the first questions about symbols like this, and no others."""
    left = iter(ends)

    def fails_at(messages: list[Message]) -> Exit | None:
        last = messages[-1]
        return next(left, None) if isinstance(last, Ask) and last.what == "symbols" else None

    return fails_at


CRASH = Exit(Cause.CRASHED, "signal 11")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("ends", "parsed", "notice"),
    [
        ([CRASH], True, ""),
        ([CRASH, CRASH], False, "ended the process that reads it"),
        ([Exit(Cause.KILLED, "signal 9")] * 2, False, "ended the process that reads it"),
        ([Exit(Cause.OUT_OF_TIME, "")], False, "took longer than 2 s"),
        ([Exit(Cause.OUT_OF_MEMORY, "")], False, "exceeded the memory limit"),
        ([CRASH, Exit(Cause.OUT_OF_TIME, "")], False, "took longer than 2 s"),
    ],
)
def test_a_document_that_ends_the_process_keeps_its_last_symbols(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
    ends: list[Exit],
    parsed: bool,
    notice: str,
) -> None:
    """It is tried once more, unless it has reached a limit; then it waits for its next edit."""
    documents = client.documents
    documents.open("a", "a.py", "", "def one(): pass\n")
    result(documents.parsed("a"))
    monkeypatch.setattr(Process, "fails_at", staticmethod(fail(*ends)))
    documents.change("a", [((0, 4), (0, 7), "two")])
    assert names(result(documents.settle())["a"]) == (["two"] if parsed else ["one"])
    assert documents.is_settled
    if notice:
        assert len(client.notices) == 1
        assert client.notices[0].startswith("a.py: ")
        assert client.notices[0].endswith("; its last symbols are kept")
        assert notice in client.notices[0] or ("memory" in notice and "memory" in client.notices[0])
    else:
        assert client.notices == []
    n_before = sum(map(len, Process.orders))
    result(documents.settle())
    assert sum(map(len, Process.orders)) == n_before
    documents.change("a", [((0, 4), (0, 7), "six")])
    assert names(result(documents.settle())["a"]) == ["six"]
    assert result(documents.text("a")) == b"def six(): pass\n"


def test_a_document_that_was_never_read_has_no_symbols(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Process, "fails_at", staticmethod(fail(CRASH, CRASH)))
    client.documents.open("a", "a.py", "", "def one(): pass\n")
    for _ in range(2):
        with pytest.raises(RequestError) as caught:
            result(client.documents.parsed("a"))
        assert str(caught.value) == "a: could not be read: a process that tried has ended"
    client.documents.open("b", "b.py", "", "def two(): pass\n")
    assert [*result(client.documents.settle())] == ["b"]


@pytest.mark.parametrize("n_edits", [LONGEST_LOG, LONGEST_LOG + 1])
def test_a_new_process_receives_the_texts_as_they_are(client: Client, n_edits: int) -> None:
    """Also after so many edits that the text has replaced them, and edits that were not sent yet
    are applied once."""
    documents = client.documents
    documents.open("a", "a.py", "", "")
    for number in range(n_edits):
        documents.change("a", [((0, 0), (0, 0), f"a{number} = 1\n")])
    assert len(names(result(documents.parsed("a")))) == n_edits
    documents._slot.stop()  # type: ignore[union-attr]
    documents.change("a", [((0, 0), (0, 0), "b = 1\n")])
    assert names(result(documents.parsed("a"))) == ["b"] + [
        f"a{number}" for number in reversed(range(n_edits))
    ]
    opening = Process.orders[1][0]
    assert isinstance(opening[0], Open) and bool(opening[0].text) == (n_edits > LONGEST_LOG)


def test_a_document_is_parsed_when_no_edit_comes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_documents, "IDLE_SECONDS", 0.01)
    for key in ("a", "b"):
        client.documents.open(key, f"{key}.py", "", f"def {key}(): pass\n")
    until(lambda: client.documents.is_settled, "the documents to be parsed")
    assert {key: names(parsed) for key, parsed in client.documents.latest.items()} == {
        "a": ["a"],
        "b": ["b"],
    }


@pytest.mark.parametrize(
    ("error", "notice"),
    [
        (StorageError("no room for a process"), "no room for a process"),
        (ValueError("x"), "an open document could not be updated (ValueError)"),
    ],
)
def test_an_edit_that_fails_is_reported_and_the_next_ones_are_carried_out(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, notice: str
) -> None:
    faults = [error]

    def starts() -> None:
        if faults:
            raise faults.pop()

    monkeypatch.setattr(Process, "starts", staticmethod(starts))
    client.documents.open("a", "a.py", "", "def one(): pass\n")
    client.documents.open("b", "b.py", "", "def two(): pass\n")
    assert [*result(client.documents.settle())] == ["a", "b"] and client.notices == [notice]


def test_a_process_that_ends_while_it_is_given_the_texts_is_reported(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = [CRASH]
    monkeypatch.setattr(Process, "fails_at", staticmethod(lambda _: ends.pop() if ends else None))
    client.documents.open("a", "a.py", "", "def one(): pass\n")
    assert names(result(client.documents.parsed("a"))) == ["one"]
    assert client.notices == ["the process that reads open documents has ended, and is replaced"]


def test_no_notice_reaches_a_client_that_has_left(client: Client) -> None:
    client.documents._notice("one")

    def fail(_: str) -> None:
        raise BrokenPipeError

    client.documents._on_notice = fail
    client.documents._notice("is passed over")
    client.documents._on_notice = client.notices.append
    client.documents.stop()
    client.documents._notice("two")
    assert client.notices == ["one"]
    assert client.documents.settle().cancelled()


def test_the_limits_of_a_document_are_given_to_its_process(client: Client) -> None:
    client.documents.open("a", "a.py", "", "a = 1\n" + "#" * 994)
    client.documents.open("b", "b.py", "", "b = 1\n" + "#" * 995)
    parsed = result(client.documents.settle())
    assert names(parsed["a"]) == ["a"] and names(parsed["b"]) == []
    slot = cast(Any, client.documents._slot)
    assert slot.job.processor_seconds == 2.0
    assert slot.answer_seconds == 2.0 * open_documents.CLOCK_FACTOR + 1.0
    assert slot.job.most_memory >= slot.job.answer_memory > 0


class Texts:
    """Texts of documents that a test sets."""

    def __init__(self) -> None:
        self.latest: dict[str, Any] = {}
        self.is_settled = True
        self.calls: list[tuple[str, ...]] = []
        self.after: Future[Any] = Future()

    def open(self, *arguments: str) -> None:
        self.calls.append(("open", *arguments))

    def close(self, key: str) -> None:
        self.calls.append(("close", key))

    def settle(self) -> "Future[Any]":
        return self.after

    def text(self, key: str) -> "Future[bytes]":
        future: Future[bytes] = Future()
        if key == "gone":
            future.set_exception(RequestError("gone: is not open"))
        else:
            future.set_result(key.encode())
        return future


def layers_of(digest: bytes | None) -> Any:
    files = [] if digest is None else [FileSymbols("a.py", 0, 0, digest=digest)]
    index = build_index(files)
    return SimpleNamespace(snapshot=Snapshot.of(index))


OLD, NEW = b"o" * 16, b"n" * 16


def edited(digest: bytes | None = OLD) -> tuple[Any, Texts, Any]:
    """Returns documents, their texts, and the tree of the only folder, which has `a.py`."""
    tree = SimpleNamespace(layers=layers_of(digest))
    folder = Folder(Path("/f"), Path("/f"), "f", cast(Any, tree))

    def place_of(path: Path | None) -> tuple[Folder, str] | None:
        inside = path is not None and path.is_relative_to("/f")
        return (folder, path.relative_to("/f").as_posix()) if inside and path else None

    texts = Texts()
    return EditedDocuments(cast(Any, texts), place_of, lambda read: read()), texts, tree


def test_the_path_of_a_document_is_that_in_its_folder() -> None:
    documents, texts, _ = edited()
    for key, path in (("a", "/f/x/a.py"), ("b", "/else/b.py"), ("c", None)):
        documents.open(key, Path(path) if path else None, "python", "text")
    assert texts.calls == [
        ("open", "a", "x/a.py", "python", "text"),
        ("open", "b", "b.py", "python", "text"),
        ("open", "c", "", "python", "text"),
    ]
    before = documents.opened
    documents.place_again()
    assert documents.opened == before and documents.opened is not before
    documents.close("b")
    assert [*documents.opened] == ["a", "c"] and texts.calls[-1] == ("close", "b")


@pytest.mark.parametrize(
    ("path", "is_saved", "is_settled", "digest", "remains"),
    [
        ("/f/a.py", True, True, NEW, True),
        ("/f/a.py", True, True, OLD, False),  # the index has read it
        ("/f/a.py", True, True, None, False),  # was never parsed
        ("/f/a.py", True, False, None, True),  # is being parsed
        ("/f/a.py", False, True, NEW, False),
        ("/else/a.py", True, True, NEW, False),
    ],
)
def test_a_saved_document_remains_until_the_index_has_read_it(
    path: str, is_saved: bool, is_settled: bool, digest: bytes | None, remains: bool
) -> None:
    documents, texts, tree = edited()
    documents.open("a", Path(path), "", "")
    texts.is_settled = is_settled
    if digest is not None:
        texts.latest["a"] = SimpleNamespace(file=SimpleNamespace(digest=digest))
    documents.close("a", is_saved)
    assert ("a" in documents.opened) is remains
    texts.is_settled = True
    documents.settled()
    assert ("a" in documents.opened) is remains
    tree.layers = layers_of(NEW)
    documents.settled()
    assert documents.opened == {} and texts.calls[-1] == ("close", "a")


def saved(documents: EditedDocuments, texts: Texts) -> None:
    """Opens, saves and closes a document that the index has not read."""
    documents.open("a", Path("/f/a.py"), "", "")
    texts.latest["a"] = SimpleNamespace(file=SimpleNamespace(digest=NEW))
    documents.close("a", True)


def test_a_saved_document_remains_for_three_seconds_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    documents, texts, _ = edited()
    now = time.monotonic()
    monkeypatch.setattr(edited_documents.time, "monotonic", lambda: now)
    saved(documents, texts)
    now += edited_documents.CATCH_UP_SECONDS
    documents.drop_leaving()
    assert [*documents.opened] == ["a"]
    now += 0.1
    documents.drop_leaving()
    assert documents.opened == {}


def test_a_document_that_is_opened_again_remains() -> None:
    documents, texts, tree = edited()
    saved(documents, texts)
    documents.open("a", Path("/f/a.py"), "", "")
    tree.layers = layers_of(NEW)
    documents.drop_leaving()
    assert [*documents.opened] == ["a"]
    assert documents._leaving == {}
    tree.layers = layers_of(OLD)
    saved(documents, texts)
    last = documents._leaving["a"]
    documents._drop("a", last._replace(until=0.0))  # an older one
    assert [*documents.opened] == ["a"]
    documents._drop("a", last)
    assert documents.opened == {}


def test_a_file_that_was_not_indexed_is_read_when_it_is() -> None:
    documents, texts, tree = edited(None)
    saved(documents, texts)
    documents.drop_leaving()
    assert [*documents.opened] == ["a"]
    tree.layers = layers_of(NEW)
    documents.drop_leaving()
    assert documents.opened == {}


def test_a_search_waits_briefly_for_the_last_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    documents, texts, _ = edited()
    texts.latest = {"a": "before"}
    texts.after.set_result({"a": "after"})
    assert documents.settled() == {"a": "before"}
    texts.is_settled = False
    assert documents.settled() == {"a": "after"}
    texts.after = Future()
    began = time.monotonic()
    assert documents.settled() == {"a": "before"}
    assert 0.2 < time.monotonic() - began < 10
    assert documents.texts_of(["a", "gone", "b"]) == {"a": b"a", "b": b"b"}


def test_the_place_of_an_odd_name_is_read_from_its_file_once(make_workspace: Maker) -> None:
    """Once for each unit of columns, as long as the file is the one that was indexed."""
    source = "s = '\U0001f600'; größe = 1\nb = 'ü'; x = 2\n".encode()
    workspace = make_workspace({"a.py": source, "marked.py": b"\xef\xbb\xbfdef first(): pass\n"})
    (part,) = workspace.source.indexed.snapshot.parts
    index = part.index
    rows = {index.name_at(row): row for row in range(index.n_symbols)}
    reads: list[bytes] = []

    def text_in(data: bytes) -> Callable[[], FileText | None]:
        def read() -> FileText | None:
            reads.append(data)
            return text_of(data) if data else None

        return read

    columns = {"größe": len("s = '\U0001f600'; ".encode()), "x": len("b = 'ü'; ".encode())}
    row, place = rows["größe"], (0, columns["größe"])
    assert odd_place(index, row, place, "utf-8", text_in(b"")) == (0, 0, 0)
    assert odd_place(index, row, place, "utf-8", text_in(source + b"#")) == (0, 12, 19)
    assert odd_place(index, row, place, "utf-8", text_in(source)) == (0, 12, 19)
    assert odd_place(index, row, place, "utf-16", text_in(source)) == (0, 10, 15)
    assert odd_place(index, row, place, "utf-32", text_in(source)) == (0, 9, 14)
    assert odd_place(index, rows["x"], (1, columns["x"]), "utf-32", text_in(source)) == (1, 9, 10)
    assert len(reads) == 6
    assert odd_place(index, row, place, "utf-16", lambda: pytest.fail("read")) == (0, 10, 15)
    marked = (workspace.root / "marked.py").read_bytes()
    place = (0, 3 + len("def "))
    name_place = odd_place(index, rows["first"], place, "utf-16", lambda: text_of(marked))
    assert name_place == (0, 4, 9)


def test_places_beyond_a_number_are_read_again(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(odd_places, "_MOST_CACHED", 1)
    source = "ü = 1\nö = 2\n".encode()
    workspace = make_workspace({"a.py": source})
    (part,) = workspace.source.indexed.snapshot.parts
    reads: list[int] = []

    def read(row: int) -> FileText:
        reads.append(row)
        return text_of(source)

    for row in (0, 1, 0, 1):
        odd_place(part.index, row, (row, 0), "utf-8", lambda row=row: read(row))  # type: ignore[misc]
    assert reads == [0, 1, 1]


def test_a_file_that_cannot_be_read_has_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"a")
    assert odd_places.read_text(tmp_path, "a.py") == text_of(b"a")
    assert odd_places.read_text(tmp_path, "b.py") is None
