"""Base and overlays compared with a table of files, after any updates; stored, joined and merged;
and what is known of sound files."""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import IndexFileError, StorageError
from symindex.extract.records import FileSymbols, SymbolRow, pack_rows
from symindex.files.access.private_folder import PrivateFolder
from symindex.files.skips import SkipReason
from symindex.files.spot_check import SpotCheck
from symindex.files.walk import FoundFile, FoundFiles, Walk
from symindex.index import changes, overlay, store
from symindex.index.build import build_index
from symindex.index.changes import Changes, compare
from symindex.index.overlay import Layers
from symindex.index.store import FILE_NAME, Store, writing
from symindex.protocol.kinds import SymbolKind

RULES: Final = b"r" * 16
PATHS: Final = ("a.py", "b.py", "d/a.py", "d/c.py", "e.py")

Version = tuple[int, int]
"""The version of a file's content, and its mtime."""


def file_of(path: str, version: Version, **more: Any) -> FileSymbols:
    number, mtime = version
    row: SymbolRow = (
        f"f{number}",
        "",
        "",
        "",
        SymbolKind.FUNCTION.value,
        0,
        0,
        9,
        0,
        0,
        4,
        6,
        0,
        4,
    )
    return FileSymbols(
        path, 10 + number, mtime, stamp=mtime + 5, digest=bytes([number + 1]) * 16,
        language="python", symbols=pack_rows([row]), **more,
    )  # fmt: skip


def found(path: str, version: Version) -> FoundFile:
    return FoundFile(path, 10 + version[0], version[1], version[1] + 5)


def walk_of(files: dict[str, Version]) -> Walk:
    walk, columns = Walk(), FoundFiles()
    for path in sorted(files):
        file = found(path, files[path])
        columns.paths.append(file.path)
        columns.sizes.append(file.size)
        columns.mtimes.append(file.mtime_ns)
        columns.stamps.append(file.stamp)
    walk.files = columns
    return walk


FILES = st.dictionaries(st.sampled_from(PATHS), st.tuples(st.integers(0, 3), st.integers(0, 3)))


def layers_of(files: dict[str, Version]) -> Layers:
    return Layers(build_index([file_of(path, files[path]) for path in sorted(files)]), b"c" * 16)


def updated(layers: Layers, old: dict[str, Version], new: dict[str, Version]) -> Layers:
    """Adds the update from one table of files to another."""
    changed = [path for path in new if path not in old or old[path][0] != new[path][0]]
    touched = {
        path: found(path, new[path])[1:]
        for path in new
        if path in old and old[path][0] == new[path][0] and old[path] != new[path]
    }
    removed = [path for path in old if path not in new]
    fresh = [file_of(path, new[path]) for path in changed]
    return layers.with_overlay(layers.update(fresh, touched, removed))


def content(layers: Layers) -> dict[str, tuple[Version, str]]:
    """The files of a snapshot: their versions, and the names of their symbols."""
    snapshot = layers.snapshot
    result: dict[str, tuple[Version, str]] = {}
    for file, n_symbols in snapshot.files_and_counts():
        assert n_symbols == 1
        place = snapshot.find(file.path)
        assert place is not None
        stored = place[0].index.file(place[1])
        result[file.path] = ((stored.size - 10, stored.mtime_ns), f"f{stored.digest[0] - 1}")
    assert snapshot.n_files == len(result) == snapshot.n_symbols
    return result


def expected(files: dict[str, Version]) -> dict[str, tuple[Version, str]]:
    return {path: (version, f"f{version[0]}") for path, version in files.items()}


@pytest.mark.nightly
@settings(max_examples=8, deadline=None)
@given(st.lists(FILES, min_size=1, max_size=4), st.integers(0, 100))
def test_overlays_show_the_files_as_they_are(tables: list[dict[str, Version]], few: int) -> None:
    layers = layers_of(tables[0])
    for old, new in pairwise(tables):
        layers = updated(layers, old, new)
    files = tables[-1]
    assert content(layers) == expected(files)
    whole = layers_of(files)
    assert layers.snapshot.generation == whole.snapshot.generation
    assert layers.last == len(tables) - 1
    orders = [part.file_order for part in layers.snapshot.parts]  # by path, across all parts
    places = sorted(
        (int(orders[number][file_number]), part.index.paths[file_number])
        for number, part in enumerate(layers.snapshot.parts)
        for file_number in part.live_files()
    )
    assert [path for _, path in places] == sorted(files)
    if layers.overlays:
        joined = Layers(layers.base, layers.checksum, [layers.joined()])
        assert content(joined) == expected(files)
        assert (joined.overlays[0].first, joined.last) == (1, layers.last)
    merged = Layers(layers.merged(b""), b"m" * 16)
    assert content(merged) == expected(files)
    assert merged.base.columns.path_digest == whole.base.columns.path_digest
    moved = overlay.move_overlays(merged.base, b"m" * 16, layers.overlays)
    assert [(one.first, one.last, one.base) for one in moved] == [
        (number, number, b"m" * 16) for number in range(1, len(moved) + 1)
    ]
    if moved:
        assert content(Layers(merged.base, b"m" * 16, moved)).keys() == files.keys()
    n_overlay = sum(overlay_index.n_symbols for overlay_index in layers._indexes)
    n_hidden = sum(len(one.hidden_files) for one in layers.overlays)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(overlay, "FEW_SYMBOLS", few)
        assert layers.wants_merge is (n_overlay + n_hidden > max(few, 0.1 * layers.base.n_symbols))
        patched.setattr(overlay, "MOST_OVERLAYS", few % 3)
        assert layers.wants_join is (len(layers.overlays) > few % 3)


def compared(changed: Changes | None) -> tuple[list[str], int, list[str], dict[str, bytes]]:
    assert changed is not None
    assert changed.is_any is bool(changed.read or changed.removed)
    return (
        sorted(file.path for file in changed.read), changed.kept, sorted(changed.removed), changed.known_digest
    )  # fmt: skip


@pytest.mark.nightly
@settings(max_examples=12, deadline=None)
@given(FILES, FILES, FILES, st.sampled_from([0, 64]))
def test_a_walk_is_compared_file_by_file(
    base: dict[str, Version], stored: dict[str, Version], now: dict[str, Version], few: int
) -> None:
    """However many files overlays have."""
    layers = updated(layers_of(base), base, stored)
    read = sorted(path for path in now if stored.get(path) != now[path])
    removed = sorted(stored.keys() - now.keys())
    digests = {path: bytes([stored[path][0] + 1]) * 16 for path in read if path in stored}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(changes, "_FEW_NEWER", few)
        result = compared(compare(walk_of(now), layers, 10.0, frozenset()))
    assert result == (read, len(now) - len(read), removed, digests)
    some = sorted({*PATHS[:3]})
    check = SpotCheck(
        [found(path, now[path]) for path in some if path in now],
        [path for path in some if path not in now],
    )
    spot = compared(compare(check, layers, 10.0, frozenset()))
    assert spot[0] == [path for path in read if path in some]
    assert spot[2] == [path for path in removed if path in some]
    assert spot[1] == len(stored) - len(spot[0]) - len(spot[2])
    assert compare(check, None, 10.0, frozenset()) is None
    assert compared(compare(walk_of(now), None, 10.0, frozenset())) == (sorted(now), 0, [], {})


AGAIN: list[tuple[dict[str, Any], frozenset[str], bool]] = [
    ({}, frozenset(), False),
    ({"skip": SkipReason.UNREADABLE}, frozenset(), True),
    ({"skip": SkipReason.KILLED}, frozenset(), True),
    ({"skip": SkipReason.BINARY}, frozenset(), False),
    ({"skip": SkipReason.TIME_LIMIT, "detail": "10 s"}, frozenset(), False),
    ({"skip": SkipReason.TIME_LIMIT, "detail": "9 s"}, frozenset(), True),
    ({}, frozenset({"python"}), False),
    ({}, frozenset({"go"}), True),
    ({"skip": SkipReason.DESELECTED}, frozenset({"go"}), False),
    ({"skip": SkipReason.DESELECTED}, frozenset({"python"}), True),
    ({"skip": SkipReason.DESELECTED}, frozenset(), True),
]


@pytest.mark.parametrize("number", range(len(AGAIN)))
def test_unchanged_files_that_are_read_again(number: int) -> None:
    facts, languages, is_again = AGAIN[number]
    index = build_index([file_of("a.py", (0, 0), **facts), file_of("b.py", (0, 0))])
    walk = walk_of({"a.py": (0, 0), "b.py": (0, 0)})
    for few in (0, 64):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(changes, "_FEW_NEWER", few - 1)
            changed = compare(walk, Layers(index, b"c" * 16), 10.0, languages)
        assert changed is not None
        assert ("a.py" in [file.path for file in changed.read]) is is_again
        assert changed.known_digest == {}


def store_of(folder: Path) -> Store:
    return Store(PrivateFolder(folder), RULES)


def test_overlays_are_stored_until_a_wider_one_or_a_new_base_replaces_them(tmp_path: Path) -> None:
    writer = store_of(tmp_path)
    tables: list[dict[str, Version]] = [
        {"a.py": (0, 0)},
        {"a.py": (1, 0)},
        {"a.py": (1, 0), "b.py": (0, 0)},
    ]
    layers = writer.save_base(layers_of(tables[0]).base)
    for old, new in pairwise(tables):
        layers = updated(layers, old, new)
        writer.save_overlay(layers.overlays[-1])
        assert writer.is_current
    names = sorted(name for name in os.listdir(tmp_path) if "-" in name)
    digits = layers.checksum[:4].hex()
    assert names == [f"symbols.{digits}.000001-000001", f"symbols.{digits}.000002-000002"]
    loaded, problems = store_of(tmp_path).load()
    assert loaded is not None and content(loaded) == expected(tables[-1]) and problems == []
    assert writer.size == sum((tmp_path / name).stat().st_size for name in [FILE_NAME, *names])
    writer.save_overlay(layers.joined())
    assert sorted(name for name in os.listdir(tmp_path) if "-" in name) == [
        f"symbols.{digits}.000001-000002"
    ]
    loaded, _ = store_of(tmp_path).load()
    assert loaded is not None and content(loaded) == expected(tables[-1])
    on_top = updated(layers, tables[-1], {"e.py": (3, 3)}).overlays[-1]
    moved = writer.save_base(layers.merged(b""), [on_top])
    assert content(moved) == expected({"e.py": (3, 3)})
    (name,) = [name for name in os.listdir(tmp_path) if "-" in name]
    assert name == f"symbols.{moved.checksum[:4].hex()}.000001-000001" and writer.is_current
    (tmp_path / name).unlink()
    assert not writer.is_current and not store_of(tmp_path).is_current


def test_a_sound_file_is_checked_once_until_it_is_distrusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = store_of(tmp_path)
    writer.save_base(layers_of({"a.py": (0, 0)}).base)
    checked: list[int] = []
    checksum = store._checksum
    monkeypatch.setattr(store, "_checksum", lambda pieces: checked.append(1) or checksum(pieces))
    reader = store_of(tmp_path)
    assert reader.load()[0] is not None and checked == []
    (tmp_path / "symbols.checked").write_bytes(b"\xff\n")
    assert reader.load()[0] is not None and len(checked) == 1
    assert reader.load()[0] is not None and len(checked) == 1
    reader.distrust(is_refused=False)
    assert not (tmp_path / "symbols.checked").exists() and not reader.is_current
    for n_checked in (2, 3):
        assert reader.load()[0] is not None and len(checked) == n_checked
    reader.distrust(is_refused=True)
    assert reader.load() == (None, [])
    os.utime(tmp_path / FILE_NAME, ns=(1, 1))  # another file by now
    assert reader.load()[0] is not None
    loaded, _ = store_of(tmp_path).load()
    assert loaded is not None and store.is_sound(loaded.base) and not store.is_cut(loaded.base)
    os.truncate(tmp_path / FILE_NAME, 100)
    assert store.is_cut(loaded.base) and not store.is_sound(loaded.base)
    assert store.is_sound(build_index([])) and not store.is_cut(build_index([]))


def test_what_is_said_of_a_base_that_cannot_be_used(tmp_path: Path) -> None:
    writer = store_of(tmp_path)
    writer.save_base(layers_of({"a.py": (0, 0)}).base)
    with pytest.raises(IndexFileError, match="made by another version of symindex or with other"):
        Store(PrivateFolder(tmp_path), b"s" * 16).load()
    data = (tmp_path / FILE_NAME).read_bytes()
    for n_bytes, text in (
        (51, "not an index file"),
        (52, f"0 bytes of content, not {len(data) - 52:,}"),
    ):
        (tmp_path / FILE_NAME).write_bytes(data[:n_bytes])
        with pytest.raises(IndexFileError, match=f"{text}; it will be rebuilt"):
            store_of(tmp_path).load()


def test_one_writer_at_a_time_and_its_unfinished_files(tmp_path: Path) -> None:
    folder = PrivateFolder(tmp_path / "i")
    with writing(folder, 0.0):
        for name in ("symbols.x.new", "other.new", "symbols.x"):
            (tmp_path / "i" / name).touch()
        with pytest.raises(StorageError) as caught, writing(folder, 0.01):
            pass
        assert str(caught.value) == (
            f"{tmp_path}/i: another process has been writing the index for 0.01 s; try again when it"
            " is done"
        )
    with writing(folder, 0.0):
        assert sorted(os.listdir(tmp_path / "i")) == ["other.new", "symbols.x", "write.lock"]
