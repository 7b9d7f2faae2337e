"""The word columns of chunks against a plain count of words, and when stored columns are used."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import UnwritableError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns.arrays import I64, Numbers
from symindex.recall.chunk_index import build_chunks as build_module
from symindex.recall.chunk_index import kept_chunks
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunk_index.kept_chunks import KeptChunks, within
from symindex.recall.chunks.collection import order_of_places
from symindex.text.words import divide, stem, tokens_of

TEXTS = st.lists(
    st.sampled_from(
        [
            "cache",
            "caching",
            "Cached",
            "caches",
            "rateLimit",
            "rate_limit",
            "limit",
            "E1",
            "dying",
            "die",
            "é",
            "io",
            "12",
        ]
    ),
    max_size=8,
).map(" ".join)
CHUNKS = st.lists(st.tuples(TEXTS, TEXTS), max_size=6)


def index_of(texts: Iterable[tuple[str, str]], first: int = 1, step: int = 3) -> ChunkIndex:
    return open_chunks(
        build_chunks(
            Chunk(first + step * number, title, text) for number, (title, text) in enumerate(texts)
        )
    )


def counts_in(column: Numbers | float) -> list[int]:
    assert not isinstance(column, float)
    return column.tolist()


def words_in(text: str) -> list[str]:
    """The words that a text counts as: an identifier as a whole, and each of its words once."""
    words: list[str] = []
    for token in map(divide, tokens_of(text)):
        words += dict.fromkeys((*filter(None, [token.whole]), *token.words))
    return words


@settings(max_examples=20, deadline=None)
@given(CHUNKS, st.sampled_from([3, 10_000_000]))
def test_columns_count_the_words_of_titles_and_texts(
    texts: list[tuple[str, str]], at_once: int
) -> None:
    most, build_module._AT_ONCE = build_module._AT_ONCE, at_once  # type: ignore[misc]
    try:
        index = index_of(texts)
    finally:
        build_module._AT_ONCE = most  # type: ignore[misc]
    every = sorted({word for pair in texts for text in pair for word in words_in(text)})
    assert index.texts == every
    assert index.ids.tolist() == [1 + 3 * number for number in range(len(texts))]
    assert index.title_lengths.tolist() == [len(tokens_of(title)) for title, _ in texts]
    assert index.lengths.tolist() == [len(tokens_of(text)) for _, text in texts]
    for number, word in enumerate(every):
        (occurrences,) = index.find([number])
        rows = zip(
            occurrences.chunk.tolist(),
            counts_in(occurrences.in_title),
            counts_in(occurrences.in_content),
            strict=True,
        )
        counted = [
            (words_in(title).count(word), words_in(text).count(word)) for title, text in texts
        ]
        assert [*rows] == [(place, *pair) for place, pair in enumerate(counted) if any(pair)]
    (several,) = index.find([*range(len(every))][::-1])
    assert several.word.tolist() == [
        place
        for place, number in enumerate(reversed(range(len(every))))
        for _ in index.find([number])[0].chunk
    ]


@settings(max_examples=20, deadline=None)
@given(CHUNKS, st.text("acdehimortx_é12", max_size=4))
def test_words_by_stem_and_by_part_are_those_that_a_look_at_each_finds(
    texts: list[tuple[str, str]], part: str
) -> None:
    index = index_of(texts)
    for wanted in {*map(stem, index.texts), "die", "cach", part}:
        expected = [number for number, word in enumerate(index.texts) if word == wanted or (word.isalpha() and stem(word) == wanted)]  # fmt: skip
        assert sorted({*index.stemming_to(wanted)}) == expected
        assert index.stemming_to(wanted) == index.stemming_to(wanted)  # from the cache
    if part:
        expected = [
            number
            for number, word in enumerate(index.texts)
            if part in word and all(letter in "abcdefghijklmnopqrstuvwxyz" or letter > "\x7f" for letter in word)
        ]  # fmt: skip
        assert index.holding(part) == expected == index.holding(part)


def test_only_words_of_the_usual_length_are_searched_for_parts() -> None:
    index = index_of([("", f"{'a' * 63} {'b' * 64} {'c' * 10}")])
    assert [bool(index.holding(letter)) for letter in "abc"] == [True, False, True]
    ending = "cach" + "e" * 12
    assert stem("caching") == "cach"
    index = index_of([("", f"caching {ending} {ending}e")])
    assert [index.texts[number] for number in index.stemming_to("cach")] == ["caching"]


def test_a_word_counts_up_to_255_times_and_a_text_up_to_65535_tokens() -> None:
    for n in (255, 256):
        chunk_index = index_of([("a " * n, "b " * n)])
        assert (
            counts_in(chunk_index.find([0])[0].in_title)
            == [255]
            == counts_in(chunk_index.find([1])[0].in_content)
        )
    index = index_of([("", "a " * 65_535), ("", "b " * 65_536)])
    assert index.lengths.tolist() == [65_535, 65_535]


NUMBERS = st.lists(st.integers(1, 30), unique=True, max_size=8).map(sorted)


@settings(max_examples=20, deadline=None)
@given(NUMBERS, st.lists(st.integers(-3, 40), max_size=8))
def test_chunks_have_places_by_their_numbers(numbers: list[int], asked: list[int]) -> None:
    index = open_chunks(build_chunks(Chunk(number, "", "") for number in numbers))
    places = index.places_of(np.array(asked, dtype=np.int64)).tolist()
    assert places == [numbers.index(number) for number in asked if number in numbers]


@settings(max_examples=20, deadline=None)
@given(NUMBERS, st.lists(st.integers(1, 30), unique=True, max_size=6).map(sorted))
def test_chunks_in_ranges_are_those_between_their_ends(
    numbers: list[int], edges: list[int]
) -> None:
    index = open_chunks(build_chunks(Chunk(number, "", "") for number in numbers))
    first, last = edges[0::2][: len(edges) // 2], edges[1::2]
    mask = within(index, np.array(first, dtype=np.int64), np.array(last, dtype=np.int64))
    expected = [
        any(a <= number <= b for a, b in zip(first, last, strict=True)) for number in numbers
    ]
    assert mask.tolist() == expected


class Ordered:
    """A collection whose chunks are in the opposite order of their places."""

    def order(self, index: ChunkIndex, places: I64) -> I64:
        reversed_places: I64 = len(index) - places
        return reversed_places


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), max_size=4))
def test_equals_are_in_the_order_of_their_collections(parts: list[tuple[int, int]]) -> None:
    collections = [Ordered(), Ordered()]
    segments = [(collections[which], index_of([("", "")] * size)) for which, size in parts]
    order_of = order_of_places(collections, segments)  # type: ignore[arg-type]
    total = sum(size for _, size in parts)
    keys = order_of(np.arange(total)[::-1]).tolist()[::-1]
    expected = [(which << 48) + size - place for which, size in parts for place in range(size)]
    assert keys == expected


# Stored columns


class Numbered:
    """A database of chunks by number."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers, self.reads = sorted(numbers), list[int]()

    def after(self, number: int) -> Iterator[Chunk]:
        self.reads.append(number)
        return (
            Chunk(chunk_number, "", f"word{chunk_number}")
            for chunk_number in self.numbers
            if chunk_number > number
        )

    def n_after(self, number: int) -> int:
        return sum(chunk_number > number for chunk_number in self.numbers)

    def segments(self, folder: Path, identity: bytes = b"x") -> list[list[int]]:
        """Returns the numbers of the chunks of each segment, and checks that each is there once."""
        self.reads = []
        kept = KeptChunks(PrivateFolder(folder), identity, self.after)
        newest = max(self.numbers, default=0)
        segments = [index.ids.tolist() for index in kept.segments(newest, self.n_after)]
        assert {*self.numbers} <= {*chain.from_iterable(segments)}
        return segments


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("IN_MEMORY", 2), ("SHARE", 0.5), ("LEAST", 4)):
        monkeypatch.setattr(kept_chunks, name, value)


def numbers(first: int, last: int) -> list[int]:
    return [*range(first, last + 1)]


@pytest.mark.usefixtures("lowered")
def test_columns_are_written_once_and_grow_by_what_is_new(tmp_path: Path) -> None:
    def look(last: int) -> tuple[list[list[int]], list[int]]:
        chunks = Numbered(range(1, last + 1))
        return chunks.segments(tmp_path), chunks.reads

    # Few are only in memory; more become the base, which is read until others are new.
    assert look(2) == ([[1, 2]], [0]) == look(2)
    assert look(3) == ([[1, 2, 3]], [0]) and look(3) == ([[1, 2, 3]], [])
    assert look(5) == ([[1, 2, 3], [4, 5]], [3]) == look(5)
    # If there are too many for the memory, they become an addition; later ones are in memory again.
    assert look(6) == ([[1, 2, 3], [4, 5, 6]], [3]) and look(6)[1] == []
    assert look(7) == ([[1, 2, 3], [4, 5, 6], [7]], [6])
    # The addition is written again as long as it has at most 4 chunks, or half of the base.
    assert look(8) == ([[1, 2, 3], [4, 5, 6], [7, 8]], [6])
    assert look(9) == ([numbers(1, 9)], [0])
    assert look(12) == ([numbers(1, 9), [10, 11, 12]], [9])
    assert look(13) == ([numbers(1, 9), [10, 11, 12], [13]], [12])
    assert look(15) == ([numbers(1, 15)], [0])
    assert look(22) == ([numbers(1, 15), numbers(16, 22)], [15])
    assert look(25) == ([numbers(1, 25)], [0])


@pytest.mark.usefixtures("lowered")
def test_columns_of_another_database_are_not_used(tmp_path: Path) -> None:
    def look(*chunks: int, identity: bytes = b"x") -> tuple[list[list[int]], list[int]]:
        database = Numbered(chunks)
        return database.segments(tmp_path, identity), database.reads

    look(*numbers(1, 9))
    look(*numbers(1, 12))
    assert look(*numbers(1, 12)) == ([numbers(1, 9), [10, 11, 12]], [])
    # A copy from before: the columns have more than it.
    assert look(*numbers(1, 11)) == ([numbers(1, 11)], [0])
    # The addition is older than the base.
    assert look(*numbers(1, 11)) == ([numbers(1, 11)], [])
    assert look(1, identity=b"y") == ([[1]], [0])
    assert look(identity=b"y") == ([], [])
    for path in tmp_path.glob("chunks*/*"):
        path.write_bytes(path.read_bytes()[:-1])
    assert look(*numbers(1, 11)) == ([numbers(1, 11)], [0])


@pytest.mark.usefixtures("lowered")
def test_columns_that_cannot_be_written_are_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UnwritableError("full")

    monkeypatch.setattr(kept_chunks, "write_table", refuse)
    for _ in range(2):
        chunks = Numbered(range(1, 10))
        assert chunks.segments(tmp_path) == [numbers(1, 9)] and chunks.reads == [0]
