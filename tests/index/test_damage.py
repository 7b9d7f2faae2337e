"""Damaged index files: all data is checked against its bounds, the index is rebuilt, and the
question is answered again."""

import os
import re
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from symindex.errors import DamagedIndexError, IndexFileError
from symindex.extract.languages.language_cache import NAME as KEPT_NAME
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.filter_cache import NAME as NAMES_NAME
from symindex.index import overlay
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import pack_small
from symindex.index.columns.layout import check_layout
from symindex.index.columns.rows import FileRows
from symindex.index.columns.strings import pack_texts
from symindex.index.store import FILE_NAME, Store, _identity
from symindex.index.update import IndexUpdater
from symindex.search.answer import answer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.attack import index_flips
from tests.support.command import run_python
from tests.support.files import Maker, write_files
from tests.support.waiting import until

pytestmark = pytest.mark.nightly

RULES = b"r" * 16
TEXT = (
    "class Cart:\n    'A cart.'\n    def total(self, vat): pass\n    def add(self): pass\nx = 1\n"
)
FILES = {f"src/f{i}.py": TEXT.replace("Cart", f"Cart{i}") for i in range(4)}


@pytest.fixture(autouse=True)
def _reading_here() -> Iterator[None]:
    """Reads files in this process, since starting another takes longer than everything else."""
    with index_flips.reading_here():
        yield


def make_index() -> Index:
    return build_index(
        [
            read_bytes(FileSymbols(path, 1, 1), text.encode(), load_languages())
            for path, text in FILES.items()
        ]
    )


def small(*numbers: int) -> memoryview:
    return pack_small(np.array(numbers, dtype=np.uint32))


def numbers(kind: str, *values: int) -> memoryview:
    return memoryview(np.array(values, dtype=kind).tobytes())


def read_all(index: Index) -> None:
    """Reads every column of an index in most of the possible ways."""
    check_layout(index.columns)
    rows = np.arange(index.n_symbols)
    assert [
        index.row_at,
        index.odd_names,
        index.slices,
        index.names.holding(re.compile(b"x")),
        index.containers.all,
        index.paths.all,
    ]
    assert [
        index.words.texts,
        index.words.of_names(np.arange(len(index.names))),
        index.words.range_of(b"to"),
    ]
    (
        index.name_rows_of(rows),
        index.name_columns_of(rows),
        index.all_containers(),
        index.container_of(rows),
    )
    for row in range(index.n_symbols):
        (
            index.signature(row),
            index.doc(row),
            index.lines(row),
            index.places(row),
            index.symbol_id(row),
            index.traits_at(row) & 255,
        )
    for number in range(index.n_files):
        file_rows = FileRows(index, number, number + 1)
        (
            index.file(number),
            file_rows.symbols(),
            file_rows.placed(),
            index.paths.find(index.paths[number]),
        )
    for block in range(len(index.block_first) - 1):
        index.block(block).numbers(0, index.block(block).count)


@pytest.mark.parametrize(
    "wrong",
    [
        {"file_size": memoryview(b"12345678")},
        {"file_stamp": memoryview(b"")},
        {"file_skip": memoryview(b"\xee" * 4)},
        {"file_language": memoryview(b"\xee" * 4)},
        {"path_digest": b""},
        {"generation": -1},
        {"traits_of": [255]},
        {"traits_of": []},
        {"skip_details": {9: "words"}},
        {"name_slices": memoryview(b"12345678")},
        {"odd_names": numbers("<u4", 10**6)},
        {"name_rows": small(*[10**9] * 8)},
        {"name_rows": numbers("<u4", 2**32 - 1, 5)},
        {"name_sizes": small(*[10**9] * 8)},
        {"name_sizes": memoryview(b"\x01")},
        {"container_runs": memoryview(b"\xee" * 8)},
        {"container_counts": small(2**31, 2**31, 2**31)},
        {"word_blob": memoryview(b"\xff\xfe\xfd")},
        {"name_words": memoryview(b"\xee" * 17)},
        {"place_high": memoryview(b"\xee" * 16)},
        {"place_low": memoryview(bytes(32))},
        {"traits": memoryview(b"\xfe" * 16)},
        {"rare_traits": numbers("<u2", 9)},
        {"file_places": small(2**31, 2**31, 2**31, 2**31)},
        {"line_steps": numbers("<u4", 1, 10**6, 5)},
        {"path_folder": memoryview(b"\xee" * 4)},
        {"block_first": numbers("<u4", 0, 10**6)},
        {"block_first": numbers("<u4")},
        {"block_offset": numbers("<u4", 0, 10**6)},
        {"block_blob": memoryview(b"\xff" * 100)},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_every_number_is_held_against_its_bounds(wrong: dict[str, Any]) -> None:
    index = make_index()
    read_all(index)
    assert index.n_symbols == 16 and index.n_files == 4
    with pytest.raises(DamagedIndexError):
        read_all(Index(msgspec.structs.replace(index.columns, **wrong)))


@pytest.mark.parametrize("nth", range(4))
def test_a_size_is_trusted_only_within_its_bounds(nth: int) -> None:
    """A piece of a block that claims 16 GB does not make the reader allocate them."""
    import zstandard

    columns = make_index().columns
    liar = zstandard.ZstdCompressor().compress(b"\0" * 10)
    liar = liar[:4] + bytes([liar[4] | 0xC0]) + (1 << 34).to_bytes(8, "little") + liar[6:]
    assert zstandard.frame_content_size(liar) == 1 << 34
    pieces = [
        liar if place == nth else zstandard.ZstdCompressor().compress(b"\0" * 16)
        for place in range(4)
    ]
    blob = b"".join([*(len(piece).to_bytes(4, "little") for piece in pieces[:-1]), *pieces])
    wrong = msgspec.structs.replace(
        columns, block_blob=memoryview(blob), block_offset=numbers("<u4", 0, len(blob))
    )
    block = Index(wrong).block(0)
    with pytest.raises(DamagedIndexError):
        [
            lambda: block.numbers(0, 16),
            lambda: block.signatures[0],
            lambda: block.docs[0],
            lambda: block.bindings[0],
        ][nth]()


@pytest.mark.parametrize(
    ("folders", "bases"),
    [
        (["", "../"], ["a.py", "b.py"]),
        (["", "/etc/"], ["a.py", "b.py"]),
        (["", "a/../../"], ["a.py", "b.py"]),
        (["", "a//"], ["a.py", "b.py"]),
        (["", "./"], ["a.py", "b.py"]),
        (["", "a/"], ["a.py", "../../etc/passwd"]),
        (["", "a/"], ["a.py", ".."]),
        (["", "a/"], ["a.py", ""]),
        (["", "a/"], ["a.py", "b\0c.py"]),
    ],
)
def test_no_path_of_an_index_leads_out_of_the_root(folders: list[str], bases: list[str]) -> None:
    columns = build_index([FileSymbols(path, 1, 1) for path in ("a.py", "a/b.py")]).columns
    folder_blob, folder_sizes = pack_texts(folders)
    base_blob = memoryview("\0".join([*bases, ""]).encode())
    wrong = Index(
        msgspec.structs.replace(
            columns,
            folder_blob=folder_blob,
            folder_sizes=folder_sizes,
            base_blob=base_blob,
            base_sizes=small(*[len(base) + 1 for base in bases]),
        )
    )
    with pytest.raises(DamagedIndexError):
        wrong.paths[1]
    with pytest.raises(DamagedIndexError):
        wrong.paths.all  # noqa: B018  # to make them all is what is tried


def edit(path: Path, position: int, to: bytes) -> None:
    """Writes into a file, and restores its mtime."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.seek(position)
        file.write(to)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def forge(folder: Path) -> None:
    """Makes the stored files look like those that were last found sound."""
    names = [path.name for path in folder.glob("symbols.*") if path.name != "symbols.checked"]
    (folder / "symbols.checked").write_text(
        "".join(f"{name} {_identity((folder / name).stat())}\n" for name in names)
    )


def test_an_edit_whose_mtime_is_set_back_is_found(tmp_path: Path) -> None:
    store = Store(PrivateFolder(tmp_path), RULES)
    store.save_base(make_index())
    assert store.load()[0] is not None
    path = tmp_path / FILE_NAME
    edit(path, path.stat().st_size // 2, b"\xff\0\xff")
    with pytest.raises(IndexFileError, match="wrong checksum"):
        Store(PrivateFolder(tmp_path), RULES).load()


def asked(workspace: Workspace, what: str) -> tuple[object, list[str]]:
    """Returns the main content of an answer, and its notices."""
    if what == "search":
        answer = workspace.search("Cart1", fuzzy=False)
        return [item.name for item in answer.items], answer.notices or []
    if what == "symbol":
        shown = workspace.symbol("Cart1")
        return shown.total, shown.notices or []
    if what == "outline":
        tree = workspace.outline("src")
        return len(tree.items), tree.notices or []
    if what == "references":
        seen = workspace.references("Cart1")
        return seen.at_least, seen.notices or []
    if what == "export":
        return [
            len(file.wanted) for file in workspace.source.indexed.export()
        ], workspace.source.take_notices()
    status = workspace.status()
    return (status.files, status.symbols, status.languages), workspace.source.take_notices()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["search", "symbol", "outline", "references", "export", "status"])
def test_a_request_to_a_damaged_index_is_answered_from_a_new_one(
    what: str, make_workspace: Maker
) -> None:
    """The damage escapes the opening of the file, which computes no checksum."""
    sound = make_workspace(dict(FILES))
    expected, _ = asked(sound, what)
    path = sound.source.indexed.folder / FILE_NAME
    columns = sound.source.indexed.snapshot.parts[0].index.columns
    for column in (bytes(columns.name_blob), bytes(columns.base_blob)):
        edit(path, path.read_bytes().index(column), b"\xff" * len(column))
    forge(sound.source.indexed.folder)
    with Workspace(sound.root, sound.source.indexed.folder.parent) as workspace:
        workspace.load()
        assert asked(workspace, what) == (
            expected,
            [f"{path}: damaged (wrong checksum); it will be rebuilt"],
        )
        assert asked(workspace, what) == (expected, [])
    with Workspace(sound.root, sound.source.indexed.folder.parent) as again:
        report = again.refresh()
        assert (report.read, report.notices) == (0, [])


def test_an_index_that_contradicts_itself_is_built_anew_though_its_checksum_is_right(
    make_workspace: Maker,
) -> None:
    sound = make_workspace(dict(FILES))
    columns = sound.source.indexed.snapshot.parts[0].index.columns
    wrong = Index(
        msgspec.structs.replace(columns, traits=memoryview(b"\xfe" * len(columns.traits)))
    )
    Store(PrivateFolder(sound.source.indexed.folder), sound.source.indexed.rules).save_base(wrong)
    with Workspace(sound.root, sound.source.indexed.folder.parent) as workspace:
        workspace.load()
        response = workspace.search("Cart1")
        assert response.items[0].name == "Cart1"
        assert response.notices == [
            f"{sound.source.indexed.folder / FILE_NAME}: damaged (column traits: 254 of 3); it will be rebuilt"
        ]


def test_a_fault_of_ours_is_no_damage(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(dict(FILES))
    before = (workspace.source.indexed.folder / FILE_NAME).stat()

    def fail(*_: object) -> None:
        raise IndexError("ours")

    monkeypatch.setattr(answer, "answer", fail)
    with pytest.raises(IndexError, match="ours"):
        workspace.search("Cart1")
    assert (workspace.source.indexed.folder / FILE_NAME).stat() == before


def test_a_damaged_overlay_is_no_reason_to_answer_without_it(make_workspace: Maker) -> None:
    sound = make_workspace(dict(FILES))
    write_files(sound.root, {"src/f1.py": "class Basket: pass\n"})
    sound.refresh()
    (path,) = sound.source.indexed.folder.glob("symbols.*-*")
    edit(path, path.stat().st_size - 20, b"\xff\0\xff")
    with Workspace(sound.root, sound.source.indexed.folder.parent) as workspace:
        workspace.load()
        response = workspace.search("", fuzzy=False)
        assert "Basket" in {item.name for item in response.items} and "Cart1" not in {
            item.name for item in response.items
        }
        assert response.notices == [f"{path}: damaged (wrong checksum); it will be rebuilt"]


@pytest.mark.parametrize("is_behind", [False, True])
def test_no_merge_makes_damage_look_sound(
    is_behind: bool, make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new base would have a valid checksum, whatever it was made from."""
    workspace = make_workspace(dict(FILES))
    path = workspace.source.indexed.folder / FILE_NAME
    names = bytes(workspace.source.indexed.snapshot.parts[0].index.columns.name_blob)
    edit(path, path.read_bytes().index(b"Cart2"), b"Wrong")
    assert b"Cart2" in names
    write_files(workspace.root, {"src/f1.py": "class Basket: pass\n"})
    monkeypatch.setattr(overlay, "FEW_SYMBOLS", 0)
    monkeypatch.setattr(overlay, "SHARE", 0)
    monkeypatch.setattr(workspace.source.indexed, "_watcher", object() if is_behind else None)
    workspace.refresh()
    if workspace.source.indexed._updater._merger is not None:
        workspace.source.indexed._updater._merger.join()
    monkeypatch.setattr(workspace.source.indexed, "_watcher", None)
    assert {"Basket", "Cart2"} <= {item.name for item in workspace.search("").items}
    assert "Wrong" not in {item.name for item in workspace.search("").items}


@pytest.mark.slow
def test_a_file_that_is_cut_short_while_it_is_mapped_ends_no_process(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, sys
        from pathlib import Path
        from symindex.index.store import FILE_NAME
        from symindex.workspace.workspace import Workspace
        with Workspace(sys.argv[1], sys.argv[2]) as workspace:
            workspace.refresh()
            os.truncate(workspace.source.indexed.folder / FILE_NAME, 100)
            response = workspace.search("Cart3")
            print(response.items[0].name, response.notices)
    """)
    write_files(tmp_path / "tree", dict(FILES))
    done = run_python(script, str(tmp_path / "tree"), str(tmp_path / "index"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Cart3 [") and "bytes of content, not" in done.stdout


def settle(handlers: ToolHandlers) -> None:
    """Waits until no answer reads from the index: cutting the file during an answer would end the
    process."""
    (folder,) = handlers.workspace.folders.all
    until(
        lambda: not folder.tree.is_behind and not folder.tree.is_being_built,
        "a tree that is followed",
        instead=lambda: folder.tree.state,
    )


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["search", "outline"])
def test_a_server_mends_the_index_that_it_answers_from(tool: str, tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", dict(FILES))
    handlers = ToolHandlers([root], str(tmp_path / "index"))
    try:
        given = {"query": "Cart3"} if tool == "search" else {"path": "src"}
        wanted = threading.Event()
        assert "Cart3" in handlers.answer("search", {"query": "Cart3"}, wanted).text
        settle(handlers)
        before = handlers.answer(tool, given, wanted)
        (path,) = (tmp_path / "index").rglob(FILE_NAME)
        os.truncate(path, 100)
        after = handlers.answer(tool, given, wanted)
        assert not after.is_error and after.text.startswith(before.text.rstrip())
        assert "the index was damaged, and is being rebuilt" in after.text
        assert "damaged" not in handlers.answer(tool, given, wanted).text
    finally:
        handlers.workspace.close()


@pytest.mark.slow
def test_an_answer_waits_while_the_follower_repairs_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The follower may notice the damage before an answer does; then the index disappears for a
    while."""
    root = write_files(tmp_path / "tree", dict(FILES))
    handlers = ToolHandlers([root], str(tmp_path / "index"))
    try:
        wanted = threading.Event()
        handlers.answer("search", {"query": "Cart3"}, wanted)
        settle(handlers)
        before = handlers.answer("outline", {"path": "src"}, wanted)
        is_away, refresh = threading.Event(), IndexUpdater.refresh

        def slow_refresh(self: IndexUpdater, *args: Any, **kwargs: Any) -> Any:
            if self.layers is None:
                is_away.set()
                # The answer is requested during this pause, and does not report that it waits.
                time.sleep(1)
            return refresh(self, *args, **kwargs)

        monkeypatch.setattr(IndexUpdater, "refresh", slow_refresh)
        (path,) = (tmp_path / "index").rglob(FILE_NAME)
        os.truncate(path, 100)
        (root / "src" / "new.py").write_text("class Fresh: pass\n")
        assert is_away.wait(20)
        after = handlers.answer("outline", {"path": "src"}, wanted)
        assert (
            not after.is_error
            and "Fresh" in after.text
            and "the index was damaged, and is being rebuilt" in after.text
        )
        assert "damaged" not in handlers.answer("outline", {"path": "src"}, wanted).text
        assert before.text.splitlines()[0] in after.text
    finally:
        handlers.workspace.close()


GARBAGE = {
    "empty": b"",
    "bytes": bytes(range(256)) * 40,
    "lines": b"\n" * 100_000,
    "names": b"../../etc/passwd 1 2 3 4\n/ x\nsymbols.index\n \nsymbols.index \xe2\x80\xa8 1\n",
    "numbers": b"symbols.index " + b"9" * 100_000 + b"\n",
}


@pytest.mark.parametrize("name", ["symbols.checked", KEPT_NAME, NAMES_NAME])
@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_next_to_the_index_is_ignored(
    garbage: str, name: str, make_workspace: Maker
) -> None:
    sound = make_workspace(dict(FILES))
    (sound.source.indexed.folder / name).write_bytes(GARBAGE[garbage])
    with Workspace(sound.root, sound.source.indexed.folder.parent) as workspace:
        assert workspace.refresh().read == 0
        assert workspace.search("Cart1").items[0].name == "Cart1"
        assert workspace.source.indexed.wanted == sound.source.indexed.wanted


@pytest.mark.slow
def test_a_short_campaign() -> None:
    figures = index_flips.run(seed=14, count=12, say=lambda _: None)
    assert (figures.attacks, figures.faults) == (12, [])
    assert figures.contained["noticed"] > 6
