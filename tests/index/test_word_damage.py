"""Damaged columns of words: a list with wrong values is refused; any other damage leads to an
answer or one error."""

import random
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest

from symindex.errors import DamagedIndexError
from symindex.extract.languages.registry import load_languages
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import SmallIntegers, pack_small
from symindex.index.columns.layout import check_layout
from symindex.index.snapshot import Snapshot
from symindex.index.words.text_words import Field
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import answer
from symindex.search.answer.plan import make_plan
from tests.index.test_damage import make_index, small

pytestmark = pytest.mark.nightly


def read_words(index: Index) -> None:
    """Reads the words of texts, and the names that files mention."""
    words, every = index.text_words, np.arange(len(index.text_words))
    assert [
        words.texts,
        words.find("cart"),
        words.beginning_with("c"),
        words.holding("a"),
        words.stemming_to("cart"),
    ]
    (
        words.numbers(every, list(Field)),
        [words.all_in(field) for field in Field],
        [words.marked(every, field) for field in Field],
    )
    (
        index.mentions.all(),
        index.mentions.counts(None),
        index.mentions.counts(np.ones(index.n_files, dtype=bool)),
    )
    index.mentions.count(np.arange(10), None)
    assert [str(text, "ascii") for text in index.words.texts]


@pytest.mark.parametrize(
    "wrong",
    [
        {"text_word_blob": memoryview(b"\xff\0" * 30)},
        {"text_word_blob": memoryview(b"")},
        {"text_word_sizes": small(*[10**9] * 30)},
        {"text_word_sizes": memoryview(b"\x01")},
        {"word_fields": memoryview(b"\xff" * 30)},
        {"word_fields": memoryview(b"\1")},
        {"word_fields": memoryview(b"")},
        {"posting_sizes": small(*[2**31] * 40)},
        {"posting_sizes": small(0)},
        {"posting_sizes": memoryview(b"")},
        {"postings": memoryview(b"")},
        {"postings": memoryview(b"\x7f" * 30)},
        {"text_lengths": memoryview(b"")},
        {"mention_hashes": memoryview(b"")},
        {"mention_hashes": memoryview(b"\xff" * 40)},
        {"mention_sizes": small(*[2**31] * 9)},
        {"mention_sizes": small(0)},
        {"mentions": memoryview(b"\x7f" * 5)},
    ],
    ids=lambda wrong: "-".join(wrong),
)
def test_every_number_is_held_against_its_bounds(wrong: dict[str, Any]) -> None:
    index = make_index()
    read_words(index)
    with pytest.raises(DamagedIndexError):
        check_layout(changed := msgspec.structs.replace(index.columns, **wrong))
        read_words(Index(changed))


@pytest.mark.parametrize("has_lengths", [True, False])
def test_sections_and_no_other_symbols_have_lengths_of_their_content(has_lengths: bool) -> None:
    index = make_index()
    lengths = memoryview(bytes(index.n_symbols) if has_lengths else b"")
    columns = msgspec.structs.replace(index.columns, content_lengths=lengths)
    check_layout(columns, is_prose=has_lengths)
    with pytest.raises(DamagedIndexError, match="content_lengths"):
        check_layout(columns, is_prose=not has_lengths)


LISTS = {
    "no end": b"\x80\x80\x80",
    "longer than 32 bits": b"\xff\xff\xff\xff\xff\x01",
    "the largest of 32 bits": b"\xff\xff\xff\xff\x0f",
    "out of range": b"\x7f",
    "a sum out of range": b"\0" * 200,
    "empty": b"",
}


@pytest.mark.parametrize("what", LISTS)
@pytest.mark.parametrize("column", ["postings", "mentions"])
def test_a_list_that_lies_is_refused(column: str, what: str) -> None:
    """Each list is damaged in turn, among sound ones."""
    index = make_index()
    sizes = "posting_sizes" if column == "postings" else "mention_sizes"
    counts = SmallIntegers(getattr(index.columns, sizes)).all()
    edges = np.concatenate(([0], np.cumsum(counts))).astype(int).tolist()
    data = bytes(getattr(index.columns, column))
    assert len(counts) > 1
    for number, (low, high) in enumerate(pairwise(edges)):
        wrong = memoryview(data[:low] + LISTS[what] + data[high:])
        counts_now = counts.copy()
        counts_now[number] = len(LISTS[what])
        changed = {column: wrong, sizes: pack_small(counts_now)}
        with pytest.raises(DamagedIndexError):
            read_words(Index(msgspec.structs.replace(index.columns, **changed)))


WORD_COLUMNS = (
    "word_blob", "word_sizes", "name_word_count", "name_words", "text_word_blob", "text_word_sizes", "word_fields",
    "posting_sizes", "postings", "text_lengths", "mention_hashes", "mention_sizes", "mentions",
)  # fmt: skip

ASKED = (
    "cart total",
    "the cart",
    "carts of a",
    '"a cart"',
    "tot* OR zzz",
    "doc:cart -total",
    "misspeld crat",
    "content:vat",
    "Cart1",
    "x y",
)


@pytest.mark.parametrize("column", WORD_COLUMNS)
def test_words_that_are_wrong_give_answers_or_one_error(column: str) -> None:
    """Bits are flipped, and ranges zeroed, filled, cut out, doubled or reversed. Values within
    their bounds may give wrong answers."""
    chance, index, languages = random.Random(column), make_index(), load_languages()
    refused = 0
    for _ in range(40):
        data = bytearray(getattr(index.columns, column))
        start, length = chance.randrange(len(data)), chance.randint(1, 8)
        match chance.choice(["flip", "flip", "zero", "fill", "cut", "double", "reverse"]):
            case "flip":
                data[start] ^= 1 << chance.randrange(8)
            case "zero":
                data[start : start + length] = bytes(len(data[start : start + length]))
            case "fill":
                data[start : start + length] = b"\xff" * len(data[start : start + length])
            case "cut":
                del data[start : start + length]
            case "double":
                data[start:start] = data[start : start + length]
            case "reverse":
                data[start:] = data[start:][::-1]
        wrong = msgspec.structs.replace(index.columns, **{column: memoryview(bytes(data))})
        for query in ASKED:
            try:
                check_layout(wrong)
                answer(
                    Snapshot.of(Index(wrong)),
                    make_plan(SearchRequest(query=query, include=["id", "doc"]), languages),
                )
            except DamagedIndexError as error:
                assert "\n" not in str(error)
                refused += 1
    assert refused or column == "text_lengths"
