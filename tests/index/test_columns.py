"""The columns of an index, compared with lists: integers, texts, posting lists, details, bitmaps of
names; and what is refused as damage."""

import errno
import io
import itertools
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symindex.errors import DamagedIndexError, StorageError
from symindex.files.access.private_folder import PrivateFolder
from symindex.index.columns import details, name_bitmaps, payload, strings
from symindex.index.columns.arrays import distinct_of
from symindex.index.columns.details import NUMBERS, PackedBlock, SymbolDetails, pack_block
from symindex.index.columns.integer_columns import (
    IntegerRuns,
    SmallIntegers,
    WideIntegers,
    distinct,
    edges_of,
    join_ranges,
    last_up_to,
    pack,
    pack_narrow,
    pack_runs,
    pack_small,
    pack_wide,
    read_below,
    read_edges,
    read_narrow,
    without,
)
from symindex.index.columns.name_bitmaps import Slices, bits_of_name, build_slices
from symindex.index.columns.strings import InternTable, PathTable, StringTable, pack_texts
from symindex.index.scratch import Column, Scratch
from symindex.index.words import mentions, name_words, postings
from symindex.index.words.build_mentions import (
    FreshMentions,
    KeptMentions,
    fresh_mentions,
    mention_columns,
)
from symindex.index.words.postings import PostingLists, pack_keys, pack_lists
from symindex.text.folding import fold, squash, word_starts

often = settings(max_examples=30)

SMALL: Final = st.integers(0, 2**32 - 1) | st.sampled_from([0, 1, 254, 255, 256])
TEXTS: Final = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6
)


def u32(values: Any) -> Any:
    return np.array(values, dtype=np.uint32)


def i64(values: Any) -> Any:
    return np.array(values, dtype=np.int64)


@often
@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_sets_of_numbers(some: list[int], others: list[int]) -> None:
    assert distinct_of(i64(some)).tolist() == sorted({*some})
    for limit in (10, 10_000):
        assert distinct(i64(some), limit).tolist() == sorted({*some})
    left = without(i64(sorted(some)), i64(sorted(others)))
    assert left.tolist() == [number for number in sorted(some) if number not in others]


@often
@given(st.lists(SMALL, max_size=20))
@example([255])
@example([256])
@example([65_535])
@example([65_536])
def test_integers_of_as_many_bytes_as_the_largest_needs(values: list[int]) -> None:
    packed = pack_narrow(u32(values))
    largest = max(values, default=0)
    width = 1 if largest < 256 else 2 if largest < 65_536 else 4
    assert len(packed) == width * len(values)
    assert read_narrow(packed, len(values)).tolist() == values
    if len(values) > 4:
        with pytest.raises(DamagedIndexError):
            read_narrow(memoryview(bytes(packed) + b"x"), len(values))
    with pytest.raises(DamagedIndexError, match="n: 3 bytes for 1 numbers"):
        read_narrow(memoryview(b"abc"), 1, "n")
    if values:
        assert read_below(u32(values), largest + 1, "n").tolist() == values
        with pytest.raises(DamagedIndexError, match=f"n: {largest:,} of {largest:,}"):
            read_below(u32(values), largest, "n")


RANGES: Final = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), max_size=8)


@often
@given(RANGES)
def test_ranges(ranges: list[tuple[int, int]]) -> None:
    starts, counts = i64([start for start, _ in ranges]), i64([count for _, count in ranges])
    every = [number for start, count in ranges for number in range(start, start + count)]
    assert join_ranges(starts, counts).tolist() == every
    edges = edges_of(counts)
    assert edges.tolist() == [0, *itertools.accumulate(count for _, count in ranges)]
    assert edges_of(counts, len(every)).tolist() == edges.tolist()
    with pytest.raises(DamagedIndexError, match=f"c: {len(every)} in all, not {len(every) + 1}"):
        edges_of(counts, len(every) + 1, "c")
    is_proper = all(count for _, count in ranges)
    for value in range(len(every)) if is_proper else ():
        number = last_up_to(edges, value)
        assert edges[number] <= value < edges[number + 1]
    if is_proper:
        assert read_edges(edges, len(every), "c") is edges
    else:
        with pytest.raises(DamagedIndexError):
            read_edges(edges, len(every), "c")


@pytest.mark.parametrize("edges", [[], [1, 2], [0, 1], [0, 3], [0, 2, 2], [0, 2, 1, 2]])
def test_edges_that_are_out_of_order_are_damage(edges: list[int]) -> None:
    with pytest.raises(DamagedIndexError, match="c: out of order, or not up to 2"):
        read_edges(u32(edges), 2, "c")


def small_of(values: list[int]) -> SmallIntegers:
    return SmallIntegers(pack_small(u32(values)), "c", len(values))


@often
@given(st.lists(SMALL, max_size=12), st.data())
def test_mostly_small_integers(values: list[int], data: st.DataObject) -> None:
    column = small_of(values)
    assert len(column) == len(values) and column.all().tolist() == values
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1))) if values else []
    assert column[i64(chosen)].tolist() == [values[number] for number in chosen]
    start = data.draw(st.integers(0, len(values)))
    end = data.draw(st.integers(start, len(values)))
    assert column.sum(start, end) == sum(values[start:end]) % 2**32
    many = small_of(values * 40)
    assert many.sum(start, 40 * end) == sum((values * 40)[start : 40 * end]) % 2**32
    firsts = sorted({*data.draw(st.lists(st.integers(0, len(values) - 1)))}) if values else []
    pairs = [
        (first, last)
        for first, following in zip(firsts, [*firsts[1:], len(values)], strict=False)
        for last in {*data.draw(st.lists(st.integers(first, following - 1), max_size=3))}
    ]
    pairs = data.draw(st.permutations(pairs))
    sums = column.sums(i64([first for first, _ in pairs]), i64([last for _, last in pairs]))
    assert sums.tolist() == [sum(values[first : last + 1]) % 2**32 for first, last in pairs]


def damaged(positions: list[int], large: list[int], small: list[int]) -> SmallIntegers:
    head = u32([len(positions), *positions, *large]).astype("<u4").tobytes()
    return SmallIntegers(memoryview(head + bytes(small)), "c")


def test_large_numbers_that_are_elsewhere_are_damage() -> None:
    right = damaged([1, 3], [300, 255], [7, 255, 8, 255])
    assert right.all().tolist() == [7, 300, 8, 255]
    for wrong in (
        damaged([1, 4], [300, 255], [7, 255, 8, 255]),
        damaged([3, 1], [300, 255], [7, 255, 8, 255]),
        damaged([1, 1], [300, 255], [7, 255, 8, 255]),
        damaged([1, 2], [300, 255], [7, 255, 8, 255]),
        damaged([1], [300], [7, 255, 8, 255]),
    ):
        for read in (
            lambda wrong=wrong: wrong.all(),
            lambda wrong=wrong: wrong[i64([3])],
            lambda wrong=wrong: wrong.sum(0, 4),
        ):
            with pytest.raises(DamagedIndexError, match="c: large numbers are not where"):
                read()
    packed = pack_small(u32([1, 300]))
    for count in (1, 3):
        with pytest.raises(DamagedIndexError, match=f"c: 14 bytes for 1 large numbers of {count}"):
            SmallIntegers(packed, "c", count)
    with pytest.raises(DamagedIndexError, match="c: 11 bytes for 1 large"):
        SmallIntegers(packed[:11], "c")
    assert len(SmallIntegers(packed[:12], "c")) == 0


@often
@given(st.permutations(range(9)), st.lists(st.integers(0, 8)))
def test_permutations_in_two_columns(order: list[int], chosen: list[int]) -> None:
    column = WideIntegers(*pack_wide(u32(order)), "c")
    assert [column.at(number) for number in chosen] == [order[number] for number in chosen]
    assert column[i64(chosen)].tolist() == [order[number] for number in chosen]
    assert column[:].tolist() == order
    large = [*range(70_000)]
    whole = WideIntegers(*pack_wide(u32(large)), "c")
    assert whole.at(69_999) == 69_999 and whole[i64([65_536, 65_535])].tolist() == [65_536, 65_535]


def test_a_number_beyond_a_permutation_is_damage() -> None:
    column = WideIntegers(*pack_wide(u32([0, 2])), "c")
    for read in (lambda: column.at(1), lambda: column[:], lambda: column[i64([1])]):
        with pytest.raises(DamagedIndexError, match="c: 2 of 2"):
            read()
    assert column.at(0) == 0 and column[i64([0])].tolist() == [0]
    with pytest.raises(DamagedIndexError):
        column[:]


RUNS: Final = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 300)), max_size=6)


@often
@given(RUNS, st.data())
def test_runs_of_equal_integers(runs: list[tuple[int, int]], data: st.DataObject) -> None:
    values = [value for value, count in runs for _ in range(count)]
    numbers, lengths = pack_runs(u32(values))
    column = IntegerRuns(numbers, lengths, len(values), 5, "c")
    assert column.all().tolist() == values
    assert len(numbers) == len([*itertools.groupby(values)])
    places = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=5)) if values else []
    assert column[i64(places)].tolist() == [values[place] for place in places]
    assert [column.at(place) for place in places] == [values[place] for place in places]
    sought = sorted({*data.draw(st.lists(st.integers(0, 4)))})
    assert sorted(column.where(i64(sought)).tolist()) == [
        place for place, value in enumerate(values) if value in sought
    ]
    for count, limit in ((len(values) + 1, 5), (len(values), max(values, default=5))):
        if count > len(values) or values:
            with pytest.raises(DamagedIndexError):
                IntegerRuns(numbers, lengths, count, limit, "c")


@often
@given(st.lists(TEXTS, max_size=8), st.lists(st.integers(0, 400)))
def test_tables_of_texts(texts: list[str], chosen: list[int]) -> None:
    table = StringTable(*pack_texts(texts), "t", len(texts))
    assert len(table) == len(texts) and table.all == texts
    assert [table[number] for number in range(len(texts))] == texts
    assert table.lengths.tolist() == [len(text.encode()) for text in texts]
    numbers = i64([number % len(texts) for number in chosen] if texts else [])
    expected = [texts[number] for number in numbers.tolist()]
    assert table.take(numbers) == expected and table.some(numbers).all == expected
    large = StringTable(*pack_texts(texts * 100))
    several = i64([number % len(large) for number in chosen * 40] if texts else [])
    assert large.take(several) == [large[number] for number in several.tolist()]
    assert large._decode_each(several) == [large[number] for number in several.tolist()]
    ordered = sorted(texts)
    sorted_table = StringTable(*pack_texts(ordered))
    for text in [*texts, "m"]:
        assert sorted_table.find(text) == (ordered.index(text) if text in ordered else None)
        assert sorted_table.place_of(text) == len([one for one in ordered if one < text])


@pytest.mark.parametrize(
    ("blob", "sizes", "message"),
    [
        (b"a\0b", [2, 1], "the last text does not end"),
        (b"a\0b\0", [4, 0], "a text does not end"),
        (b"a\0b\0", [2, 1], "3 in all, not 4"),
        (b"a\0b\0", [], "the last text does not end"),
        (b"", [1], "the last text does not end"),
        (b"a\0b\0", [4], "2 texts, not 1"),
        (b"\xff\0", [2], "not UTF-8"),
    ],
)
def test_tables_that_are_damaged(blob: bytes, sizes: list[int], message: str) -> None:
    with pytest.raises(DamagedIndexError, match=f"t: {message}"):
        table = StringTable(memoryview(blob), pack_small(u32(sizes)), "t")
        if table.offset is not None:
            table.all  # noqa: B018


ASCII: Final = st.text(st.sampled_from("abAB_1"), max_size=5)


@often
@given(
    st.lists(ASCII | TEXTS, max_size=8),
    st.text(st.sampled_from("ab1"), max_size=2),
    st.text(st.sampled_from("ab1"), max_size=2),
)
def test_folded_texts(texts: list[str], first: str, last: str) -> None:
    import re

    table = StringTable(*pack_texts(texts))
    assert strings.fold_texts("".join(f"{text}\0" for text in texts).encode()).decode() == "".join(
        f"{fold(text)}\0" for text in texts
    )
    numbers = table.beginning_and_ending(np.arange(len(texts)), first.encode(), last.encode())
    assert numbers.tolist() == [
        number
        for number, text in enumerate(texts)
        if fold(text).startswith(first)
        and fold(text).endswith(last)
        and len(fold(text).encode()) >= len(first + last)
    ]
    pattern = re.compile(re.escape(first or "a").encode())
    assert table.holding(pattern).tolist() == [(first or "a") in fold(text) for text in texts]
    order = strings.folded_order([*{*texts}])
    ordered = [[*{*texts}][number] for number in order]
    assert ordered == sorted({*texts}, key=lambda text: (squash(fold(text)), fold(text), text))
    plain = [[*{*texts}][number] for number in strings.plain_order([*{*texts}])]
    assert plain == sorted({*texts})


@often
@given(st.lists(TEXTS, max_size=9))
def test_equal_texts_have_one_number(texts: list[str]) -> None:
    table = InternTable()
    numbers = [
        *table.number(texts[:4]).tolist(),
        *table.number_blob("".join(f"{text}\0" for text in texts[4:]).encode()).tolist(),
    ]
    entries = [*dict.fromkeys(texts)]
    assert numbers == [entries.index(text) for text in texts] and len(table) == len(entries)
    assert table.since(1) == entries[1:]
    places = table.sort(strings.plain_order)
    assert table.texts == sorted(entries)
    assert [table.texts[places[number]] for number in numbers] == texts
    assert table.hand_over() == sorted(entries) and table.texts == []


@often
@given(st.binary(max_size=9), st.binary(min_size=1, max_size=2))
@example(b"ab", b"abc")
@example(b"aaa", b"aa")
def test_where_bytes_occur(data: bytes, sought: bytes) -> None:
    places = strings.occurrences(np.frombuffer(data, dtype=np.uint8), sought)
    assert places.tolist() == [
        position for position in range(len(data)) if data.startswith(sought, position)
    ]


def path_table(folders: list[str], folder: list[int], bases: list[str]) -> PathTable:
    return PathTable(
        StringTable(*pack_texts(folders)), u32(folder), StringTable(*pack_texts(bases))
    )


def test_paths_in_two_parts() -> None:
    table = path_table(["", "a/", "a/b/"], [0, 2, 1, 2], ["x", "y", ".z", "x"])
    paths = ["x", "a/b/y", "a/.z", "a/b/x"]
    assert table.all == paths and [table[number] for number in range(4)] == paths
    assert table.take(i64([3, 1])) == [paths[3], paths[1]] and table.take(i64([])) == []
    assert bytes(table.blob) == b"x\0a/b/y\0a/.z\0a/b/x\0"
    assert table.offset.tolist() == [0, 2, 8, 13, 19]
    assert table.bases_of(i64([2])) == [".z"] and len(table) == 4
    large = path_table(["a/"], [0] * 9, list("abcdefghi"))
    assert large.take(i64([8, 0])) == ["a/i", "a/a"]


@pytest.mark.parametrize(
    ("folder", "base"),
    [
        ("/", "x"),
        ("a//", "x"),
        ("./", "x"),
        ("a/./", "x"),
        ("../", "x"),
        ("a/../", "x"),
        ("", "a/b/../c"),
        ("", ""),
        ("", "."),
        ("", ".."),
        ("a/", ".."),
    ],
)
def test_a_path_out_of_the_root_is_damage(folder: str, base: str) -> None:
    for read in (
        lambda table: table.all,
        lambda table: table[1],
        lambda table: table._decode_each(i64([1, 0])),
    ):
        with pytest.raises(DamagedIndexError, match="paths: one leads out of the root"):
            read(path_table(["b/", folder], [0, 1], ["y", base]))
    with pytest.raises(DamagedIndexError, match="column path_folder: 2 of 2"):
        path_table(["b/", "c/"], [2], ["x"])


class Inner(msgspec.Struct, array_like=True):
    column: memoryview
    name: str = "inner"


class Outer(msgspec.Struct, array_like=True):
    number: int
    column: memoryview
    inner: Inner


@often
@given(st.integers(0, 200), st.binary(max_size=70), st.binary(max_size=70))
def test_columns_begin_at_aligned_addresses(offset: int, one: bytes, two: bytes) -> None:
    pieces = payload.encode(Outer(7, memoryview(one), Inner(memoryview(two))), offset)
    position = offset
    starts = []
    for piece in pieces:
        if isinstance(piece, memoryview):
            starts.append(position)
        position += len(piece)
    assert [start % 64 for start in starts] == [0, 0]
    read = payload.decode(memoryview(b"".join(pieces)), Outer)
    assert (read.number, bytes(read.column), bytes(read.inner.column)) == (7, one, two)
    assert read.inner.name == "inner"


def test_a_column_without_filling_is_no_payload() -> None:
    with pytest.raises(ValueError, match="column column has no filling"):
        payload.decode(memoryview(msgspec.msgpack.encode([b"", "inner"])), Inner)
    with pytest.raises(ValueError):
        payload.decode(memoryview(b"nonsense"), Inner)


NUMBER: Final = st.integers(0, 2**32 - 1)
LIST: Final = st.sets(NUMBER | st.integers(0, 300), min_size=1, max_size=6).map(sorted)


@often
@given(st.lists(LIST, max_size=6), st.data())
@example([[0]], None)
def test_posting_lists(lists: list[list[int]], data: Any) -> None:
    ids = u32([number for some in lists for number in some])
    first = i64([0, *itertools.accumulate(map(len, lists))][: len(lists)])
    packed, sizes = pack_lists(ids, first)
    assert sizes.tolist() == [n_bytes(some) for some in lists] and len(packed) == sizes.sum()
    edges = u32([0, *itertools.accumulate(sizes.tolist())])
    reader = PostingLists(memoryview(packed), edges, "p")
    assert len(reader) == len(lists) and reader.counts().tolist() == [*map(len, lists)]
    chosen = (
        [*range(len(lists))]
        if data is None
        else data.draw(st.lists(st.integers(0, len(lists) - 1)))
        if lists
        else []
    )
    numbers, counts = reader.read(i64(chosen), 2**32)
    assert numbers.tolist() == [number for place in chosen for number in lists[place]]
    assert counts.tolist() == [len(lists[place]) for place in chosen]
    if chosen:
        largest = max(lists[place][-1] for place in chosen)
        reader.read(i64(chosen), largest + 1)
        with pytest.raises(DamagedIndexError, match=f"p: a number that is not below {largest:,}"):
            reader.read(i64(chosen), largest)


def n_bytes(some: list[int]) -> int:
    """The size of a list: each gap in groups of seven bits."""
    gaps = [some[0], *(later - earlier - 1 for earlier, later in itertools.pairwise(some))]
    return sum(max(1, -(-gap.bit_length() // 7)) for gap in gaps)


@pytest.mark.parametrize(
    ("data", "edges", "message"),
    [
        (b"\x81", [0, 1], "a list without an end"),
        (b"\x81\x01", [0, 1, 2], "a list without an end"),
        (b"\x01", [0, 0, 1], "an empty list"),
        (b"\x81\x80\x80\x80\x80\x00", [0, 6], "more than 32 bits"),
    ],
)
def test_posting_lists_that_are_damaged(data: bytes, edges: list[int], message: str) -> None:
    reader = PostingLists(memoryview(data), u32(edges), "p")
    with pytest.raises(DamagedIndexError, match=message):
        reader.read(np.arange(len(reader)), 2**40)


@often
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30), st.integers(1, 8))
def test_keys_are_packed_as_lists_in_portions(keys: list[tuple[int, int]], at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(postings, "_KEYS_AT_ONCE", at_once)
        patched.setattr(postings, "_AT_ONCE", at_once)
        numbers = np.array([one << 32 | number for one, number in keys], dtype=np.uint64)
        portions = list(pack_keys(numbers))
    expected = sorted({*keys})
    assert [*zip(
        [int(one) for portion in portions for one in portion.of_list],
        [int(number) for portion in portions for number in portion.numbers],
        strict=True,
    )] == expected  # fmt: skip
    lists = [int(one) for portion in portions for one in portion.lists]
    assert lists == sorted({one for one, _ in keys})
    data = b"".join(portion.data for portion in portions)
    sizes = [int(size) for portion in portions for size in portion.sizes]
    reader = PostingLists(memoryview(data), u32([0, *itertools.accumulate(sizes)]), "p")
    assert reader.read(np.arange(len(lists)), 10)[0].tolist() == [number for _, number in expected]


SYMBOLS: Final = st.lists(
    st.tuples(st.lists(NUMBER, min_size=6, max_size=6), TEXTS, TEXTS), min_size=1, max_size=5
)


@often
@given(st.lists(SYMBOLS, min_size=1, max_size=3), st.data())
def test_details_are_read_from_blocks_as_they_were_packed(files: Any, data: st.DataObject) -> None:
    packed_files = [
        SymbolDetails(
            u32([numbers for numbers, _, _ in file]),
            "".join(f"{signature}\0" for _, signature, _ in file).encode(),
            "".join(f"{doc}\0" for _, _, doc in file).encode(),
        )
        for file in files
    ]
    store = details.DetailsStore(Scratch())
    store.add(packed_files[:1])
    store.add(packed_files[1:])
    for number, file in enumerate(packed_files):
        again = store.read(number)
        assert (again.numbers.tolist(), again[1:]) == (file.numbers.tolist(), file[1:])
    every = [symbol for file in files for symbol in file]
    block = PackedBlock(memoryview(pack_block(packed_files)), len(every))
    first = data.draw(st.integers(0, len(every) - 1))
    last = data.draw(st.integers(first + 1, len(every)))
    chosen = every[first:last]
    assert block.numbers(first, last).tolist() == [numbers for numbers, _, _ in chosen]
    assert block.signatures.between(first, last) == [signature for _, signature, _ in chosen]
    assert block.docs[first] == chosen[0][2]
    places = block.places(first, last, u32([3] * len(chosen)))
    for number, (numbers, _, _) in enumerate(chosen):
        start, before, after, odd = numbers[:4]
        end = start + 3 + odd
        assert [int(column[number]) for column in places] == [
            value % 2**32 for value in (start - before, end + after, start, end)
        ]
    rows = i64([numbers[4] + 1 for numbers, _, _ in chosen])
    firsts, lasts = block.lines(first, last, rows)
    assert firsts.tolist() == [1] * len(chosen)
    assert lasts.tolist() == [numbers[4] + 1 + numbers[5] for numbers, _, _ in chosen]
    if chosen[0][0][4]:
        with pytest.raises(DamagedIndexError, match="begins before its file"):
            block.lines(first, last, rows - 2)


def test_blocks_that_are_damaged() -> None:
    packed = pack_block([SymbolDetails(u32([[0] * 6]), b"a\0", b"b\0")])
    assert PackedBlock(memoryview(packed), 1).numbers(0, 1).tolist() == [[0] * 6]
    for cut in (0, 7):
        with pytest.raises(DamagedIndexError, match="a block without a head"):
            PackedBlock(memoryview(packed[:cut]), 1)
    with pytest.raises(DamagedIndexError, match="shorter than its pieces"):
        PackedBlock(memoryview(packed[:12]), 1)
    for count in (0, 2):
        block = PackedBlock(memoryview(packed), count)
        with pytest.raises(DamagedIndexError):
            block.numbers(0, 1)
        with pytest.raises(DamagedIndexError):
            block.signatures  # noqa: B018
    long = pack_block([SymbolDetails(u32([[0] * 6]), b"a" * 8191 + b"\0", b"b" * 8192 + b"\0")])
    block = PackedBlock(memoryview(long), 1)
    assert len(block.signatures[0]) == 8191
    with pytest.raises(DamagedIndexError, match="a piece of 8,193 bytes"):
        block.docs  # noqa: B018
    for text in (b"a", b"a\0b\0", b"\xff\0"):
        block = PackedBlock(memoryview(pack_block([SymbolDetails(u32([[0] * 6]), text, b"\0")])), 1)
        with pytest.raises(DamagedIndexError):
            block.signatures[0]
    assert len(NUMBERS) == 6


NAMES: Final = st.lists(
    st.text(st.sampled_from("abzABZ_09$é"), min_size=1, max_size=6), min_size=1, max_size=70
)


def table_of(names: list[str]) -> tuple[memoryview, Any, Any]:
    blob = memoryview("".join(f"{name}\0" for name in names).encode())
    offsets = u32([0, *itertools.accumulate(len(name.encode()) + 1 for name in names)])
    return blob, offsets, name_words.find_odd(blob, offsets)


@often
@given(NAMES)
def test_the_words_of_names(names: list[str]) -> None:
    blob, offsets, odd = table_of(names)
    assert odd.tolist() == [number for number, name in enumerate(names) if not name.isascii()]
    words, counts, flat = name_words.build_words(blob, offsets, odd)
    assert words == sorted({*words})
    expected = []
    for name in names:
        starts = [*word_starts(name), len(name)] if name.isascii() else []
        pieces = [
            "".join(filter(str.isalnum, name[a:b])).lower() for a, b in itertools.pairwise(starts)
        ]
        expected.append([piece for piece in pieces if piece])
    assert counts.tolist() == [len(some) for some in expected]
    assert [words[number] for number in flat] == [word for some in expected for word in some]
    reader = name_words.NameWords(StringTable(*pack_texts(words)), counts, flat)
    for number, word in enumerate(words):
        assert reader.find(word.encode()) == number
        low, high = reader.range_of(word[:1].encode())
        assert words[low:high] == [one for one in words if one.startswith(word[0])]
        wanted = [name for name, some in enumerate(expected) if word in some]
        for few in (0, 10**6):
            reader._lookups = few
            assert reader.names_with(i64([number])).tolist() == wanted
        holding = reader.holding(word[-1:].encode()).tolist()
        assert holding == [position for position, one in enumerate(words) if word[-1] in one]
    every = np.arange(len(words))[::2]
    marked = reader.mark_names(every).tolist()
    assert marked == [any(words.index(word) % 2 == 0 for word in some) for some in expected]
    assert reader.find(b"-") is None and reader.names_with(i64([])).tolist() == []
    of_first, first_words = reader.of_names(i64([len(names) - 1]))
    assert of_first.tolist() == [len(expected[-1])]
    assert [words[number] for number in first_words] == expected[-1]


@often
@given(NAMES, st.text(st.sampled_from("abz09"), min_size=1, max_size=4), st.integers(0, 2))
def test_bitmaps_exclude_no_name_that_matches(names: list[str], text: str, edits: int) -> None:
    blob, offsets, odd = table_of(names)
    bits, counts = build_slices(blob, offsets, odd, names)
    every = np.array([bits_of_name(name) for name in names]).T
    for number in range(name_bitmaps.SLICES):
        unpacked = np.unpackbits(bits[number].view(np.uint8), bitorder="little")[: len(names)]
        assert unpacked.astype(bool).tolist() == every[number].tolist()
    assert counts.tolist() == every.sum(axis=1).tolist()
    slices = Slices(bits, counts, len(names))

    def of(numbers: list[int]) -> list[int]:
        return [
            column
            for column in range(len(names))
            if all(every[number, column] for number in numbers)
        ]

    letters = [bit for bit in map(name_bitmaps.letter, text) if bit is not None]
    pairs = [name_bitmaps.pair(*two) for two in itertools.pairwise(text)]
    begins = [32 + letters[0]]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(name_bitmaps, "_FEW", 0)
        assert slices.containing(text, text).numbers().tolist() == of([*pairs, *letters])
        assert slices.with_letters(text, False).tolist() == of(letters)
        assert slices.with_letters(text, True).tolist() == of([*begins, *letters])
        runs = [text, "b"]
        assert slices.with_humps(runs).tolist() == of([*begins, 32 + 1, *letters, 1])
    for least in range(len({*letters}) + 2):
        kept = name_bitmaps.NameSelection(slices).keep_most(sorted({*letters}), least)
        assert kept.numbers().tolist() == [
            column
            for column in range(len(names))
            if sum(every[number, column] for number in {*letters}) >= least
        ]
    n_most = len({*letters}) - len({*letters}) // 3
    assert slices.with_most_letters(text).tolist() == [
        column
        for column in range(len(names))
        if sum(every[number, column] for number in {*letters}) >= n_most
    ]
    within = slices.within_edits(text, text, [], edits).tolist()
    assert within == [
        column
        for column in range(len(names))
        if sum(every[number, column] for number in {*letters}) >= len({*letters}) - edits
        and sum(every[number, column] for number in {*pairs}) >= len({*pairs}) - 3 * edits
    ]
    one_of = name_bitmaps.NameSelection(slices).keep_one_of([[letters[0]], [1, None]])
    assert one_of.numbers().tolist() == [
        column for column in range(len(names)) if every[letters[0], column] or every[1, column]
    ]
    mask = np.arange(len(names)) % 2 == 0
    left = slices.containing(text).leave_out(mask).numbers().tolist()
    assert set(left) == {
        number for number in slices.containing(text).numbers().tolist() if number % 2
    }
    assert name_bitmaps.NameSelection(slices).numbers().tolist() == [*range(len(names))]
    assert name_bitmaps.NameSelection(slices).estimate == len(names)
    assert slices.containing(text).estimate == len(slices.containing(text).numbers())


@often
@given(st.text(st.sampled_from("aAbB1_$"), min_size=1, max_size=9))
def test_where_words_begin_in_names(name: str) -> None:
    plain = np.frombuffer(name.encode(), dtype=np.uint8)
    begins = name_bitmaps.word_begins(plain).tolist()
    starts = {start for start in word_starts(name) if name[start].isalnum()}
    assert {position for position, is_begun in enumerate(begins) if is_begun} == starts
    places = np.arange(len(name))
    assert name_bitmaps.begins_word(plain, places)[:-1].tolist() == begins[:-1]
    offsets = u32([0, len(name) + 1])
    (bits,) = name_bitmaps.letters_and_initials(memoryview(f"{name}\0".encode()), offsets).tolist()
    every = bits_of_name(name)
    assert [bool(bits >> number & 1) for number in range(64)] == every[:64].tolist()


MENTIONS: Final = st.lists(st.sets(st.integers(0, 9), max_size=4), min_size=1, max_size=6)


@often
@given(MENTIONS, st.lists(st.booleans(), min_size=6, max_size=6))
def test_which_files_mention_a_name(files: list[set[int]], live: list[bool]) -> None:
    fresh = fresh_mentions([u32(sorted(file)).astype("<u4").tobytes() for file in files], 0)
    parts = FreshMentions([fresh[0]], [fresh[1]])
    columns = mention_columns([(parts, np.arange(len(files)))])

    def reader(columns: dict[str, Any]) -> mentions.Mentions:
        return mentions.Mentions(
            columns["mention_hashes"],
            SmallIntegers(columns["mention_sizes"]),
            columns["mentions"],
            len(files),
        )

    read = reader(columns)
    hashes = sorted({number for file in files for number in file})
    assert read.hashes.tolist() == hashes
    is_live = np.array(live[: len(files)])
    for number in range(11):
        file_numbers = [file_number for file_number, file in enumerate(files) if number in file]
        assert read.files(number).tolist() == file_numbers
        assert read.count(i64([number]), None).tolist() == [len(file_numbers)]
        assert read.count(i64([number]), is_live).tolist() == [
            sum(live[file_number] for file_number in file_numbers)
        ]
    assert read.counts(None).tolist() == [len(read.files(number)) for number in hashes]
    assert read.counts(is_live).tolist() == [
        sum(live[file_number] for file_number in read.files(number).tolist()) for number in hashes
    ]
    kept = KeptMentions(lambda: reader(columns), is_live)
    new = reader(mention_columns([(kept, np.arange(len(files)))]))
    of_kept = [file for file_number, file in enumerate(files) if live[file_number]]
    for number in range(10):
        assert new.files(number).tolist() == [
            file_number for file_number, file in enumerate(of_kept) if number in file
        ]


class FullDisk(io.BytesIO):
    """A file with room for some bytes."""

    def __init__(self, room: int, loses: int = 0) -> None:
        super().__init__()
        self.room, self.loses = room, loses

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data[:3])

    def read(self, size: int | None = -1) -> bytes:
        return super().read(size)[: None if not self.loses else -self.loses]


@often
@given(st.lists(st.binary(min_size=1, max_size=9), max_size=6), st.integers(0, 40))
def test_bytes_are_read_back_although_the_disk_is_full(pieces: list[bytes], room: int) -> None:
    scratch = Scratch(FullDisk(room), Path("/f"))
    starts = [scratch.add(piece) for piece in pieces]
    assert starts == [0, *itertools.accumulate(map(len, pieces))][: len(pieces)]
    for start, piece in reversed([*zip(starts, pieces, strict=True)]):
        assert scratch.read(start, len(piece)) == piece
    assert scratch.size == sum(map(len, pieces))
    column = Column(scratch)
    for piece in pieces:
        column.add(u32([*piece]))
        column.add(u32([]))
    assert len(column) == sum(map(len, pieces)) and column.all().tolist() == [*b"".join(pieces)]
    assert [some.tolist() for some in column] == [[*piece] for piece in pieces]


def test_what_is_said_when_a_scratch_file_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    full = "/f: cannot be written: No space left on device; make room or name another place with --index-dir"
    monkeypatch.setattr("symindex.index.scratch.MOST_IN_MEMORY", 4)
    for n_kept, is_kept in ((4, True), (5, False)):
        scratch = Scratch(FullDisk(5), Path("/f"))
        scratch.add(b"x" * n_kept)
        if is_kept:
            assert scratch.add(b"yy") == 4 and scratch.read(3, 3) == b"xyy"
            continue
        with pytest.raises(StorageError) as caught:
            scratch.add(b"yy")
        assert str(caught.value) == full
    lossy = Scratch(FullDisk(4, loses=1), Path("/f"))
    lossy.add(b"xxx")
    with pytest.raises(StorageError) as caught:
        lossy.add(b"yy")
    assert str(caught.value) == full
    with pytest.raises(StorageError) as caught:
        lossy.read(0, 3)
    assert str(caught.value) == "/f: a file of this process there has become shorter; try again"
    with Scratch.in_folder(PrivateFolder(tmp_path / "i")) as scratch:
        scratch.add(b"abc")
        assert scratch.read(1, 2) == b"bc" and not list((tmp_path / "i").iterdir())
    (tmp_path / "file").touch()
    with Scratch.in_folder(PrivateFolder(tmp_path / "file")) as scratch:
        assert scratch.add(b"abc") == 0


def test_numbers_are_packed_in_the_order_of_little_ends() -> None:
    assert bytes(pack([1, 258], "<u2")) == b"\x01\x00\x02\x01"
    head = [1, 1, 255]
    assert bytes(pack_small(u32([254, 255]))) == u32(head).astype("<u4").tobytes() + b"\xfe\xff"
