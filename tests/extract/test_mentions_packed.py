"""The names that a file mentions do not depend on files read earlier."""

from array import array
from zlib import crc32

import pytest

from symindex.extract import word_lists
from symindex.extract.word_lists import is_distinctive, pack_mentions

TEXT = b"Cache get get_all _get __x__ HTTP2 v2 42 plain words defined Defined g\xc3\xa9t G\xc3\xa9t a_b"


def expected(names: set[str]) -> set[int]:
    return {
        crc32(token.encode())
        for token in TEXT.decode().split()
        if token not in names and is_distinctive(token)
    }


@pytest.mark.parametrize("most", [0, 3, 50_000])
def test_files_read_before_make_no_difference(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_lists, "_MOST_UNCOUNTED", most)
    word_lists._UNCOUNTED.clear()
    for names in (b"", b"defined\0Defined\0", b"plain\0get_all\0", b""):
        packed = array("I", pack_mentions(TEXT, names))
        assert set(packed) == expected(set(names.decode().split("\0")))
        assert list(packed) == sorted(packed)
        pack_mentions(b"other words stand here", b"")
