"""The index file is written completely, refused if it is not what was written, and kept by readers
that have it open."""

import errno
import os
import resource
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from symindex.errors import IndexFileError, StorageError
from symindex.extract.languages.registry import load_languages
from symindex.extract.read import read_bytes
from symindex.extract.records import FileSymbols
from symindex.extract.symbols import extract_symbols
from symindex.files.access.private_folder import PrivateFolder
from symindex.index import store
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.columns.rows import Rows
from symindex.index.overlay import Layers
from symindex.index.store import FILE_NAME, Store
from tests.support.command import run_program, run_symindex, started
from tests.support.rows import ids_in_order

RULES = b"r" * 16
LANGUAGES = load_languages()


def file_of(text: str, path: str = "a.py") -> FileSymbols:
    data = text.encode()
    return read_bytes(FileSymbols(path, len(data), 1), data, LANGUAGES)


def index_of(text: str) -> Index:
    return build_index([file_of(text)])


def names(index: Index) -> list[str]:
    return sorted(index.names.all)


def test_one_byte_can_number_256_containers() -> None:
    """The last of 256 values has the greatest number that fits into a byte."""
    index = index_of("".join(f"class C{i:03}:\n    def m{i:03}(self): pass\n" for i in range(255)))
    assert len(index.containers) == 256
    rows = Rows(index, index.rows_of_names(np.array(index.names_written("m254"))))
    assert rows.containers == ["C254"]


def save_index(folder: Path, index: Index, rules: bytes) -> int:
    saving = store.Store(PrivateFolder(folder), rules)
    saving.save_base(index)
    return saving.size


def load_index(folder: Path, rules: bytes) -> Index | None:
    layers, _ = store.Store(PrivateFolder(folder), rules).load()
    return layers.base if layers is not None else None


def load(folder: Path) -> Index:
    index = load_index(folder, RULES)
    assert index is not None
    return index


def test_round_trip(tmp_path: Path) -> None:
    index = index_of("class A:\n    'doc'\n    def f(self): pass\nx = 1\n")
    size = save_index(tmp_path, index, RULES)
    assert size == (tmp_path / FILE_NAME).stat().st_size
    loaded = load(tmp_path)
    assert [loaded.symbol_id(row) for row in loaded.row_at.tolist()] == [
        "a.py#A",
        "a.py#A.f",
        "a.py#x",
    ]
    assert [loaded.doc(row) for row in loaded.row_at.tolist()] == ["doc", "", ""]


@pytest.mark.nightly
def test_places_of_many_names_at_once() -> None:
    """This covers few rows and many, one file and several, long lines and distant places."""
    near = "".join(f"    a{i} = {i}\n" for i in range(400))
    texts = {
        "a.py": f"class A:\n{near}",
        "b.py": "",
        "c.py": f"x = {'1' * 300}; y = {'2' * 70_000}; z = 3\n"
        + "\n" * 300
        + "a1 = 1\n"
        + "\n" * 70_000
        + "a2 = 1\n",
        "d.py": f"class D:\n{near}",
    }
    index = build_index(
        [
            read_bytes(FileSymbols(path, 1, 1), text.encode(), LANGUAGES)
            for path, text in texts.items()
        ]
    )
    symbols = {
        (path, symbol.qualified_name): (symbol.name_row, symbol.name_column)
        for path, text in texts.items()
        for symbol in extract_symbols(LANGUAGES.by_id["python"], text.encode())[0]
    }
    assert (
        max(symbols.values()) == (70_302, 0)
        and max(column for _, column in symbols.values()) > 70_000
    )
    every = np.arange(index.n_symbols)
    expected = [
        symbols[index.paths[index.file_at(row)], index.qualified_name(row)]
        for row in every.tolist()
    ]
    shuffled = np.random.default_rng(7).permutation(every)
    for rows in (
        every,
        every[::-1],
        every[:0],
        every[-1:],
        shuffled[:40],
        np.repeat(shuffled[:20], 2),
        shuffled[:60],
        shuffled,
    ):
        places = [expected[row] for row in rows.tolist()]
        assert (
            list(zip(index.name_rows_of(rows), index.name_columns_of(rows), strict=True)) == places
        )
        assert [
            (index.name_row(row), *index.name_columns_of(np.array([row]))) for row in rows.tolist()
        ] == places


def test_no_file_is_no_index(tmp_path: Path) -> None:
    assert load_index(tmp_path / "nowhere", RULES) is None


def change(path: Path, position: int, to: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[position : position + len(to)] = to
    path.write_bytes(bytes(data))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda path: path.write_bytes(b""), "not an index file"),
        (lambda path: path.write_bytes(b"PNG and so on" * 100), "not an index file"),
        (lambda path: change(path, 8, b"\xff"), "format version 255, not 16"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "bytes of content, not"),
        (lambda path: path.write_bytes(path.read_bytes() + b"x"), "bytes of content, not"),
        (
            lambda path: change(path, path.stat().st_size // 2, b"\xff\x00\xff"),
            "damaged (wrong checksum)",
        ),
        (lambda path: change(path, 40, b"\xff\xff"), "damaged (wrong checksum)"),
        (
            lambda path: change(path, 20, b"s" * 16),
            "made by another version of symindex or with other language rules",
        ),
    ],
    ids=["empty", "foreign", "version", "cut", "longer", "middle", "checksum", "rules"],
)
def test_damage_is_refused(damage, complaint: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    save_index(tmp_path, index_of("def f(): pass\n"), RULES)
    load(tmp_path)
    damage(tmp_path / FILE_NAME)
    with pytest.raises(IndexFileError) as caught:
        load_index(tmp_path, RULES)
    assert complaint in str(caught.value)
    assert str(caught.value).endswith("it will be rebuilt")


@pytest.mark.nightly
@pytest.mark.slow
def test_every_single_byte_matters(tmp_path: Path) -> None:
    save_index(tmp_path, index_of("def f(): pass\n"), RULES)
    good = (tmp_path / FILE_NAME).read_bytes()
    for position in range(0, len(good), 7):
        (tmp_path / FILE_NAME).write_bytes(good)
        change(tmp_path / FILE_NAME, position, bytes([good[position] ^ 0x55]))
        with pytest.raises(IndexFileError):
            load_index(tmp_path, RULES)


def test_a_reader_keeps_its_snapshot(tmp_path: Path) -> None:
    save_index(tmp_path, index_of("def first(): pass\n"), RULES)
    before = load(tmp_path)
    save_index(tmp_path, index_of("def second(): pass\n"), RULES)
    assert names(before) == ["first"]
    assert names(load(tmp_path)) == ["second"]


def test_opening_reads_no_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was found sound is not checked again: its checksum is not computed."""
    save_index(tmp_path, index_of("def f(): pass\n"), RULES)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the whole file was read")

    monkeypatch.setattr(store.hashlib, "blake2b", refuse)
    assert names(load(tmp_path)) == ["f"]


def test_a_full_disk_leaves_the_old_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_index(tmp_path, index_of("def first(): pass\n"), RULES)

    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.os, "fsync", no_space)
    with pytest.raises(
        StorageError, match=r"symbols.index: cannot be written: No space left on device; make room"
    ):
        save_index(tmp_path, index_of("def second(): pass\n"), RULES)
    assert names(load(tmp_path)) == ["first"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["symbols.checked", FILE_NAME]


def test_a_folder_in_the_way(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(
        StorageError,
        match=r"symbols.index: cannot be written: Is a directory; delete that folder or name",
    ):
        save_index(tmp_path, index_of("def first(): pass\n"), RULES)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_write_that_the_system_cuts_short(tmp_path: Path) -> None:
    """A real process may not write files of more than 4 kB."""
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("def first(): pass\n")
    # Without -B, Python would cache newly imported modules in truncated files, which all later
    # processes would read.
    arguments = [
        sys.executable,
        "-B",
        "-m",
        "symindex",
        "index",
        "--root",
        str(tree),
        "--index-dir",
        str(tmp_path / "index"),
    ]
    run_program(arguments, text=False, check=True)
    (tree / "a.py").write_text("".join(f"def function_number_{i}(): pass\n" for i in range(500)))
    done = run_program(
        arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    )
    assert done.returncode == 2
    assert done.stderr.startswith("symindex: ") and done.stderr.count("\n") == 1
    assert "cannot be written: File too large" in done.stderr
    process = run_symindex("search", "first", "--no-refresh", *arguments[5:], check=True)
    assert "`first`" in process.stdout


def test_what_a_killed_writer_left_is_gone_with_the_next_write(tmp_path: Path) -> None:
    save_index(tmp_path, index_of("def first(): pass\n"), RULES)
    (tmp_path / f"{FILE_NAME}.0123456789abcdef.new").write_bytes(b"half an index" * 100_000)
    with store.writing(PrivateFolder(tmp_path), 5.0):
        save_index(tmp_path, index_of("def second(): pass\n"), RULES)
    (tmp_path / "write.lock").unlink(missing_ok=True)
    assert names(load(tmp_path)) == ["second"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["symbols.checked", FILE_NAME]


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import sys
        from pathlib import Path
        from symindex.files.access.private_folder import PrivateFolder
        from symindex.index.store import writing
        with writing(PrivateFolder(Path(sys.argv[1])), 1.0):
            print("held", flush=True)
            sys.stdin.read()
    """)
    with started([sys.executable, "-c", script, tmp_path], stdin=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with (
            pytest.raises(
                StorageError, match=r"another process has been writing the index for 0\.2 s"
            ),
            store.writing(PrivateFolder(tmp_path), 0.2),
        ):
            pass
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait()
    with store.writing(PrivateFolder(tmp_path), 5.0):
        pass


def store_of(folder: Path) -> Store:
    return Store(PrivateFolder(folder), RULES)


def add(writer: Store, layers: Layers, name: str) -> Layers:
    """Stores one more overlay, of a file with a symbol of this name."""
    overlay = layers.update([file_of(f"{name} = 1\n", f"{name}.py")])
    writer.save_overlay(overlay)
    return layers.with_overlay(overlay)


def join(writer: Store, layers: Layers) -> None:
    writer.save_overlay(layers.joined())


def merge(writer: Store, layers: Layers) -> None:
    """Stores a merged base, with an update that arrived while the base was made."""
    late = add(writer, layers, "late")
    writer.save_base(layers.merged(RULES), late.overlays[-1:])


def ids(layers: Layers | None) -> list[str]:
    assert layers is not None
    return ids_in_order(layers.snapshot)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "write",
    [lambda writer, layers: add(writer, layers, "new"), join, merge],
    ids=["add", "join", "merge"],
)
@pytest.mark.parametrize("nth", range(3), ids=["at-the-base", "at-an-overlay", "at-the-last"])
def test_an_index_loads_whole_while_a_writer_changes_it(
    nth: int,
    write: Callable[[Store, Layers], object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writer = store_of(tmp_path)
    layers = add(writer, add(writer, writer.save_base(index_of("a = 1\n")), "b"), "c")
    read, n_reads = store._read, 0

    def read_late(*arguments: Any) -> object:
        nonlocal n_reads
        n_reads += 1
        if n_reads == nth + 1:
            write(writer, layers)
        return read(*arguments)

    monkeypatch.setattr(store, "_read", read_late)
    reader = store_of(tmp_path)
    loaded, problems = reader.load()
    assert n_reads > nth
    assert ids(loaded) == ids(store_of(tmp_path).load()[0])
    assert problems == [] and reader.is_current


@pytest.mark.parametrize("wrong", ["base", "first", "last"])
def test_an_overlay_under_a_wrong_name_is_ignored(wrong: str, tmp_path: Path) -> None:
    """An overlay of another base whose checksum begins alike, or of other updates, hides the wrong
    files."""
    writer = store_of(tmp_path)
    layers = add(writer, writer.save_base(index_of("a = 1\n")), "b")
    overlay = layers.update([file_of("c = 1\n", "c.py")])
    if wrong == "base":
        overlay = msgspec.structs.replace(overlay, base=layers.checksum[:4] + bytes(12))
    writer.save_overlay(overlay)
    (path,) = tmp_path.glob("symbols.*.000002-000002")
    if wrong == "first":
        next(tmp_path.glob("symbols.*.000001-000001")).unlink()
        path.rename(path.with_name(path.name.replace("000002-", "000001-")))
    elif wrong == "last":
        path.rename(path.with_name(path.name.replace("-000002", "-000003")))
    loaded, problems = store_of(tmp_path).load()
    assert ids(loaded) == ["a.py#a", *(["b.py#b"] if wrong != "first" else [])]
    assert problems == []
