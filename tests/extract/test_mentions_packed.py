"""What a file mentions besides its symbols: names, and the words that it repeats."""

from array import array

import pytest

from symindex.extract import word_lists
from symindex.extract.word_lists import is_distinctive, mention_hash, pack_mentions, word_hash

TEXT = b"Cache get get_all _get __x__ HTTP2 v2 42 plain words defined Defined g\xc3\xa9t G\xc3\xa9t a_b"


def expected(names: set[str]) -> set[int]:
    return {
        mention_hash(token)
        for token in TEXT.decode().split()
        if token not in names and is_distinctive(token)
    }


@pytest.mark.parametrize("most", [0, 3, 50_000])
def test_files_read_before_make_no_difference(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_lists, "_MOST_CACHED", most)
    word_lists._UNCOUNTED.clear()
    word_lists._NUMBER_OF.clear()
    for names in (b"", b"defined\0Defined\0", b"plain\0get_all\0", b""):
        packed = array("I", pack_mentions(TEXT, names, b""))
        assert set(packed) == expected(set(names.decode().split("\0")))
        assert list(packed) == sorted(packed)
        pack_mentions(b"other words stand here", b"", b"")


@pytest.mark.parametrize(
    ("data", "described", "words"),
    [
        ("retry once", "", []),
        ("retry the retry", "", ["retry"]),
        ("retry retries", "", []),  # a token counts, not a stem
        ("retryLimit retryLimit MAX_URL MAX_URL", "", ["retry", "limit", "max", "url"]),
        ("retry retry limit limit", "Retries\0", ["limit"]),
        ("retry retry own own", "", ["retry"]),
        ("the the is is ab ab a1b2 a1b2", "", []),
        ("parsing parsing parsed parsed", "", ["parse"]),
    ],
)
def test_words_that_a_file_repeats(data: str, described: str, words: list[str]) -> None:
    packed = [*array("I", pack_mentions(data.encode(), b"own\0", described.encode()))]
    assert [number for number in packed if number >= 2**24] == sorted(map(word_hash, words))
    assert packed == sorted(packed)
