"""A source pack: files in frames, found by path."""

import random

import pytest

from symindex.errors import IndexFileError
from symindex.fleet.stored.source_pack import (
    FRAME_BYTES,
    PackTable,
    pack,
    pack_table,
    read_table,
    unpack,
)


def _read(table: PackTable, frames: list[bytes], path: str) -> bytes | None:
    place = table.find(path)
    if place is None:
        return None
    frame, start, end = place
    return unpack(frames[frame])[start:end]


def test_every_file_is_read_as_it_was() -> None:
    generator = random.Random(1)
    files = {
        f"folder{number % 7}/file{number}": generator.randbytes(generator.randrange(40_000))
        for number in range(200)
    }
    files["empty"] = b""
    files["large"] = generator.randbytes(3 * FRAME_BYTES)
    table, frames = pack(sorted(files.items()))
    table = read_table(pack_table(table))
    assert len(frames) > 4
    assert {path: _read(table, frames, path) for path in files} == files
    assert _read(table, frames, "folder0/nothing") is None
    assert _read(table, frames, "") is None
    assert _read(table, frames, "zzz") is None


def test_a_frame_ends_with_the_file_that_fills_it() -> None:
    table, frames = pack([("a", bytes(FRAME_BYTES - 1)), ("b", b"x"), ("c", b"y")])
    assert table.first == [0, 2]
    assert len(frames) == 2


def test_nothing_is_a_pack_too() -> None:
    table, frames = pack([])
    assert (read_table(pack_table(table)), frames) == (PackTable([], [], []), [])
    assert table.find("a") is None


def test_equal_files_give_equal_bytes() -> None:
    files = [("a", b"text" * 1_000), ("b", b"other" * 500)]
    assert pack(files) == pack(files)


@pytest.mark.parametrize(
    "table",
    [
        PackTable(["b", "a"], [1, 1], [0]),
        PackTable(["a"], [1, 2], [0]),
        PackTable(["a"], [-1], [0]),
        PackTable(["a"], [1], []),
        PackTable(["a"], [1], [1]),
        PackTable(["a"], [1], [0, 1]),
        PackTable([], [], [0]),
        PackTable(["a", "b", "c"], [1, 1, 1], [0, 2, 1]),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(table: PackTable) -> None:
    with pytest.raises(IndexFileError, match="damaged"):
        read_table(pack_table(table))


def test_damage_is_refused() -> None:
    table, frames = pack([("a", b"text" * 1_000)])
    with pytest.raises(IndexFileError, match="damaged"):
        unpack(frames[0][:-3])
    with pytest.raises(IndexFileError, match="damaged"):
        read_table(pack_table(table)[:-1])
    with pytest.raises(IndexFileError, match="damaged"):
        read_table(b"")
