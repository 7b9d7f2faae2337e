"""The table of a tree's chunks: which documents are divided again, what a chunk shows if its file
has changed, and what happens if the table cannot be read or written."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from symindex.errors import DamagedIndexError, UnwritableError
from symindex.extract.documents.text_parts import TextChunk
from symindex.extract.texts.file_text import digest_of
from symindex.index.store import TABLE_NAME
from symindex.recall.content import tree_chunks
from symindex.recall.content.content_store import Source, StoredChunk
from symindex.recall.content.tree_chunks import TreeChunks, TreePlaces
from tests.support.files import write_files

VERSION = b"1"


class Tree:
    """A folder of texts whose lines are chunks, and the table of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.folder = folder / "tree", folder / "index"
        self.read: list[str] = []
        self.chunks = TreeChunks(self.root, self.folder, self.divide)

    def write(self, **texts: str) -> None:
        write_files(self.root, texts)

    def divide(self, path: str, data: bytes) -> list[list[TextChunk]]:
        """Lines that begin with `#` are made from the file; others are cut from it."""
        chunks, start = [], 0
        for number, line in enumerate(data.decode().splitlines(), 1):
            title, end = line.partition(" ")[0], start + len(line.encode())
            made = line.startswith("#")
            place = (0, 0) if made else (start, end)
            text = line.upper() if made else line
            chunks.append(TextChunk(title, text, number, made, *place))
            start = end + 1
        return [chunks]

    def sources(self, path: str) -> Iterator[tuple[Source, list[TextChunk]]]:
        self.read.append(path)
        data = (self.root / path).read_bytes()
        source = Source(
            label=f"{path}\0000", origin=path, path="", digest=digest_of(data).hex(), size=len(data),
            mtime_ns=0, added_ms=0,
        )  # fmt: skip
        for chunks in self.divide(path, data):
            yield source, chunks

    def bring(self, version: bytes = VERSION, generation: bytes = b"g") -> list[str]:
        """Brings the table up to date; returns the paths of the documents that were divided."""
        self.read.clear()
        digests = {
            path.name: digest_of(path.read_bytes()).hex() for path in sorted(self.root.iterdir())
        }
        self.chunks.bring_to(digests, version, self.sources, lambda: generation)
        return [*self.read]

    def texts(self) -> dict[int, str]:
        return {
            number: self.chunks.chunk(source, number).text
            for source in self.chunks.places.sources
            for number in range(source.first, source.last + 1)
        }


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.write(a="one first\ntwo second", b="# three")
    return tree


def test_only_changed_documents_are_divided_again(tree: Tree) -> None:
    assert tree.bring() == ["a", "b"]
    assert tree.texts() == {1: "one first", 2: "two second", 3: "# THREE"}
    identity = tree.chunks.places.table.identity
    (tree.root / "b").unlink()
    tree.write(c="four")
    assert tree.bring() == ["c"]
    assert tree.texts() == {1: "one first", 2: "two second", 4: "four"}  # numbers are not reused
    tree.write(a="other")
    assert tree.bring() == ["a"] and tree.texts() == {4: "four", 5: "other"}
    assert tree.chunks.places.table.identity == identity
    # Another process goes on where the first one ended.
    other = TreeChunks(tree.root, tree.folder, tree.divide)
    assert other.exists(VERSION) and not other.exists(b"2")
    tree.chunks = other
    assert tree.bring() == [] and tree.texts() == {4: "four", 5: "other"}
    # Other rules divide everything, as a table of its own.
    assert tree.bring(b"2") == ["a", "c"] and tree.texts() == {1: "other", 2: "four"}
    assert tree.chunks.places.table.identity != identity


def test_a_table_is_current_for_one_generation_of_the_index(tree: Tree) -> None:
    assert not tree.chunks.is_current(VERSION, b"g")
    tree.bring()
    assert tree.chunks.is_current(VERSION, b"g") and not tree.chunks.is_current(VERSION, b"h")
    assert not tree.chunks.is_current(b"2", b"g")
    tree.chunks.drop()
    assert not tree.chunks.is_current(VERSION, b"h") and tree.chunks.exists(VERSION)
    tree.chunks.delete()
    assert not tree.chunks.exists(VERSION) and tree.bring() == ["a", "b"]


def test_another_process_uses_the_table_without_writing_or_waiting(tree: Tree) -> None:
    tree.bring()
    before = (tree.folder / TABLE_NAME).stat()
    with tree.chunks._folder.locked("write.lock", 1):
        tree.chunks = TreeChunks(tree.root, tree.folder, tree.divide)
        assert tree.chunks.is_current(VERSION, b"g") and len(tree.texts()) == 3
    after = (tree.folder / TABLE_NAME).stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_what_is_stored_of_a_chunk(tree: Tree) -> None:
    tree.bring()
    first, second = tree.chunks.places.sources
    assert tree.chunks.chunk(first, 2) == StoredChunk("two", "two second", 2, False)
    assert tree.chunks.chunk(second, 3) == StoredChunk("#", "# THREE", 1, True)
    assert tree.chunks.code_chunks() == [3]
    (index,) = tree.chunks.indexes(3)
    assert index.ids.tolist() == [1, 2, 3] and tree.chunks.indexes(3)[0] is index
    assert not tree.chunks.notices


def test_a_document_that_has_changed_is_shown_as_it_is_now(tree: Tree) -> None:
    tree.write(a="one first\ntwo second\none third\none fourth\none fifth")
    tree.bring()
    # Of the chunks with the old title, the one nearest to the old line is shown.
    tree.write(a="zero\none now\n\n\none later", b="# new")
    assert tree.texts() == {
        1: "one now", 2: "", 3: "one now", 4: "one later", 5: "one later", 6: "# NEW",
    }  # fmt: skip
    assert tree.chunks.notices == [
        f"{name} has changed since it was indexed, and is shown as it is now" for name in "ab"
    ]
    (tree.root / "b").unlink()
    tree.chunks.end()
    tree.chunks.notices = []
    assert tree.texts()[6] == ""
    assert tree.chunks.notices[-1] == "b cannot be shown: No such file or directory"


def test_files_are_read_once_in_an_answer(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.bring()
    read: list[str] = []
    original = tree_chunks.read_text_of
    monkeypatch.setattr(
        tree_chunks, "read_text_of", lambda *args: read.append(args[1]) or original(*args)
    )
    tree.texts()
    tree.texts()
    assert read == ["a", "b"]
    tree.chunks.end()
    monkeypatch.setattr(tree_chunks, "MOST_KEPT", 1)
    tree.texts()
    tree.texts()
    assert read == ["a", "b"] * 3


def test_a_table_that_cannot_be_written_stays_in_memory(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UnwritableError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(tree_chunks, "write_table", refuse)
        assert tree.bring() == ["a", "b"]  # once
    assert tree.chunks.notices == [
        "the documents of the tree were divided for this answer alone: the disk is full"
    ]
    assert len(tree.texts()) == 3 and tree.chunks.is_current(VERSION, b"g")
    assert not TreeChunks(tree.root, tree.folder, tree.divide).exists(VERSION)


def test_a_table_that_is_written_by_another_process_meanwhile_is_not_waited_for_forever(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_chunks, "_LOCK_SECONDS", 0.01)
    other = TreeChunks(tree.root, tree.folder, tree.divide)
    with other._folder.locked("write.lock", 1) as is_locked:
        assert is_locked
        tree.bring()
    assert len(tree.texts()) == 3 and not other.exists(VERSION)


def test_what_earlier_versions_stored_is_deleted(tree: Tree) -> None:
    write_files(tree.folder, dict.fromkeys(("content.db", "content.db-wal", "other"), "x"))
    tree.bring()
    names = {path.name for path in tree.folder.iterdir()}
    assert "other" in names and not {name for name in names if name.startswith("content")}


def test_a_damaged_table_is_made_again(tree: Tree) -> None:
    tree.bring()
    (tree.folder / TABLE_NAME).write_bytes(b"x")
    tree.chunks.drop()
    assert not tree.chunks.exists(VERSION) and tree.bring() == ["a", "b"]


WRONG = [
    {"newest": 2}, {"lines": memoryview(b"")}, {"starts": memoryview(b"\0" * 4)}, {"is_code": memoryview(b"")},
    {"title_sizes": memoryview(b"")},
]  # fmt: skip


@pytest.mark.parametrize("fields", WRONG, ids=lambda fields: next(iter(fields)))
def test_columns_that_do_not_fit_together_are_refused(
    tree: Tree, fields: dict[str, object]
) -> None:
    tree.bring()
    table = tree.chunks.places.table
    with pytest.raises(DamagedIndexError):
        TreePlaces(msgspec.structs.replace(table, **fields))


NUMBERS = [((2, 3), (3, 3)), ((1, 2), (2, 2)), ((0, 1), (2, 2)), ((3, 4), (1, 1)), ((1, 0), (1, 3))]


@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers_of_chunks_that_cannot_be_are_refused(
    tree: Tree, numbers: tuple[tuple[int, int], ...]
) -> None:
    tree.bring()
    table = tree.chunks.places.table
    sources = [
        msgspec.structs.replace(source, first=first, last=last)
        for source, (first, last) in zip(table.sources, numbers, strict=True)
    ]
    with pytest.raises(DamagedIndexError):
        TreePlaces(msgspec.structs.replace(table, sources=sources))
