"""Builds the columns of `index/words/text_words`: from the tokens of files that were read, and from what older indexes hold."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symindex.extract.word_lists import TEXT_FIELDS, PackedTokens
from symindex.index.arrays import U32, U64, Mask, Numbers
from symindex.index.integer_columns import join_ranges, pack, pack_small
from symindex.index.strings import InternTable, pack_texts, plain_order
from symindex.index.words.postings import first_of_each, pack_lists
from symindex.index.words.text_words import Field, TextWords
from symindex.text.words import STOP_WORDS, words_of_each

_N_TEXTS: Final = len(TEXT_FIELDS)
"""Texts of a symbol; Field numbers them first, in the same order."""

LONGEST: Final = 255
"""Texts of more words count as equally long."""


class Postings(NamedTuple):
    """Which words stand in the texts of some symbols, in no order, the same perhaps several times.

    words: numbers in an intern table. texts: _N_TEXTS times the number of a symbol, which whoever gives them knows, plus the
    field.
    """

    words: U32
    texts: U32


class TokenCollector:
    """Takes the tokens of files in their order, and divides them into words, which it numbers in a table."""

    def __init__(self, words: InternTable) -> None:
        self._words = words
        self._found = [Postings(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint32))]
        self._n_texts = 0

    def add(self, files: Sequence[PackedTokens]) -> None:
        """The tokens of some files, whose symbols follow those of the files before. Common English words of docs are left out:
        they decide nothing, and are a third of all."""
        table = InternTable()
        number = table.number_blob(b"".join([file.texts for file in files]))
        first = np.cumsum([0, *(file.texts.count(b"\0") for file in files)])[:-1]
        local = np.frombuffer(b"".join([file.numbers for file in files]), dtype="<u4")
        tokens = number[local + np.repeat(first, [len(file.numbers) // 4 for file in files])]
        counts = np.frombuffer(b"".join([file.counts for file in files]), dtype="<u4")
        texts = np.repeat(np.arange(self._n_texts, self._n_texts + len(counts), dtype=np.uint32), counts)
        self._n_texts += len(counts)

        distinct = table.distinct
        divided = [some or [token] for token, some in zip(distinct, words_of_each(distinct), strict=True)]
        counts = np.array([len(some) for some in divided], dtype=np.int64)
        flat = [word for some in divided for word in some]
        at = join_ranges((np.cumsum(counts) - counts)[tokens], counts[tokens])
        texts = np.repeat(texts, counts[tokens])
        is_stop = np.array([word in STOP_WORDS for word in flat], dtype=bool)
        kept = np.flatnonzero((texts % _N_TEXTS == Field.SIGNATURE) | ~is_stop[at])
        words = _number_used(self._words, at[kept], len(flat), lambda used: [flat[number] for number in used])
        self._found.append(Postings(words, texts[kept]))

    def postings(self) -> Postings:
        """Those of all files, which it drops."""
        found, self._found = self._found, []
        return _joined(found)


def _number_used(words: InternTable, numbers: Numbers, limit: int, texts_of: Callable[[list[int]], Sequence[str]]) -> U32:
    """Numbers as those of the intern table, to which only the texts that occur are added."""
    is_used = np.zeros(limit, dtype=bool)
    is_used[numbers] = True
    number = np.zeros(limit, dtype=np.uint32)
    number[is_used] = words.number(texts_of(np.flatnonzero(is_used).tolist()))
    translated: U32 = number[numbers]
    return translated


def _joined(found: Iterable[Postings]) -> Postings:
    return Postings(*(np.concatenate(column) for column in zip(*found, strict=True)))


def kept_postings(kept: TextWords, is_kept: Mask, words: InternTable) -> Postings:
    """What an older index holds of some symbols. is_kept: by place; the symbols are numbered in the order of their places."""
    number_of = np.cumsum(is_kept) - 1
    found = []
    for field in list(Field)[:_N_TEXTS]:
        numbers, places = kept.all_in(field)
        here = is_kept[places]
        found.append(Postings(numbers[here].astype(np.uint32), (number_of[places[here]] * _N_TEXTS + field).astype(np.uint32)))
    old, texts = _joined(found)
    return Postings(_number_used(words, old, len(kept), lambda used: kept.table.take(np.array(used, dtype=np.int64))), texts)


def word_columns(
    words: InternTable, texts: Iterable[tuple[Postings, U32]], tables: Mapping[Field, Sequence[str]], n_symbols: int
) -> dict[str, Any]:
    """The columns of words. texts: with the place of each symbol. tables: the texts of each of the other fields, in order."""
    of_tables = []
    for field, table in tables.items():
        divided = words_of_each(table)
        numbers = words.number([word for some in divided for word in some])
        of_tables.append((field, numbers, np.repeat(np.arange(len(table)), [len(some) for some in divided])))
    ranks = words.sort(plain_order).astype(np.uint64) * np.uint64(len(Field))
    keys = [np.empty(0, dtype=np.uint64)]
    for of, place in texts:
        symbols, fields = np.divmod(of.texts, np.uint32(_N_TEXTS))
        keys.append((ranks[of.words] + fields) << _LOW | place[symbols])
    keys += [(ranks[numbers] + np.uint64(field)) << _LOW | owners.astype(np.uint64) for field, numbers, owners in of_tables]
    return _columns(words.texts, _sorted(keys), n_symbols)


_LOW: Final = np.uint64(32)
"""The bits of a key that number what a list holds; those above number the list."""


def _sorted(parts: list[U64]) -> U64:
    """All keys in order, each once. The parts are dropped."""
    keys = np.concatenate(parts)
    parts.clear()
    keys.sort()
    return keys[first_of_each(keys)]


def _columns(words: Sequence[str], keys: U64, n_symbols: int) -> dict[str, Any]:
    numbers = keys.astype(np.uint32)
    lists = (keys >> _LOW).astype(np.uint32)
    first = first_of_each(lists)
    data, sizes = pack_lists(numbers, first)
    of_word, fields = np.divmod(lists[first], np.uint32(len(Field)))
    word_fields = np.zeros(len(words), dtype=np.uint8)
    np.bitwise_or.at(word_fields, of_word, np.uint8(1) << fields.astype(np.uint8))
    in_texts = numbers[lists % np.uint32(len(Field)) < _N_TEXTS]
    blob, text_sizes = pack_texts(words)
    return {
        "text_word_blob": blob,
        "text_word_sizes": text_sizes,
        "word_fields": pack(word_fields, "<u1"),
        "posting_sizes": pack_small(sizes),
        "postings": data,
        "text_lengths": pack(np.minimum(np.bincount(in_texts, minlength=n_symbols), LONGEST), "<u1"),
    }
