"""The object of a repository: every byte of it is checked."""

import struct

import pytest

from symindex.errors import IndexFileError
from symindex.fleet.stored.repository_object import (
    FORMAT_VERSION,
    Head,
    check_piece,
    head_length,
    key_of,
    make_object,
    read_head,
)
from symindex.fleet.stored.source_pack import pack

SOURCE = [("a.py", b"def f(): ...\n"), ("b.py", b"def g(): ...\n")]


def _object(left_out: dict[str, int] | None = None) -> tuple[str, bytes]:
    counts = {"b": 1, "a": 2} if left_out is None else left_out
    name, pieces = make_object(
        "0123", b"rules", (b"index", 7), (1, 2, 3), (counts, [("c.py", "a")]), pack(SOURCE)
    )
    return name, b"".join(pieces)


def _read(name: str, data: bytes) -> Head:
    return read_head(data[: head_length(data, name)], name)


def test_what_is_made_is_read() -> None:
    name, data = _object()
    assert key_of(name) == "0123"
    head = _read(name, data)
    assert (head.rules, head.files, head.symbols, head.source_bytes) == (b"rules", 1, 2, 3)
    assert (head.left_out, head.skips, head.generation) == ({"a": 2, "b": 1}, [("c.py", "a")], 7)
    start, size = head.places(head_length(data, name))[0]
    assert check_piece(data[start : start + size], head.index, name) == b"index"
    assert start + sum(size for _, size in head.places(0)) == len(data)


def test_the_order_of_counts_makes_no_difference() -> None:
    assert _object({"a": 2, "b": 1}) == _object({"b": 1, "a": 2})


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (b"", "cut short"),
        (b"SYMFLEET", "cut short"),
        (struct.pack("<8sII", b"SYMINDEX", FORMAT_VERSION, 10), "not an object of a fleet"),
        (struct.pack("<8sII", b"SYMFLEET", FORMAT_VERSION - 1, 10), "format version 0, not 1"),
        (struct.pack("<8sII", b"SYMFLEET", FORMAT_VERSION + 1, 10), "format version 2, not 1"),
        (struct.pack("<8sII", b"SYMFLEET", FORMAT_VERSION, 2**32 - 1), "4,294,967,295 bytes"),
    ],
)
def test_a_start_that_is_wrong(start: bytes, says: str) -> None:
    with pytest.raises(IndexFileError, match=f"^x: .*{says}"):
        head_length(start, "x")


def test_a_wrong_byte_is_noticed() -> None:
    name, data = _object()
    length = head_length(data, name)
    for place in range(16, length):
        with pytest.raises(IndexFileError, match="wrong digest"):
            _read(name, data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    with pytest.raises(IndexFileError, match="wrong digest"):
        read_head(data[: length - 1], name)
    with pytest.raises(IndexFileError, match="wrong digest of a piece"):
        check_piece(b"indeX", _read(name, data).index, name)
    other, _ = _object({})
    with pytest.raises(IndexFileError, match="wrong digest"):
        _read(other, data)
