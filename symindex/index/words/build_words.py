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
        self._divided = _Divided()
        self._found = [Postings(np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.uint32))]
        self._n_texts = 0

    def add(self, files: Sequence[PackedTokens]) -> None:
        """The tokens of some files, whose symbols follow those of the files before. Common English words of docs are left out:
        they decide nothing, and are a third of all."""
        if len(self._divided) > _MOST_DIVIDED:
            self._divided = _Divided()
        known = self._divided
        number = known.number(b"".join([file.texts for file in files]))
        first = np.cumsum([0, *(file.texts.count(b"\0") for file in files)])[:-1]
        local = np.frombuffer(b"".join([file.numbers for file in files]), dtype="<u4")
        tokens = number[local + np.repeat(first, [len(file.numbers) // 4 for file in files])]
        counts = np.frombuffer(b"".join([file.counts for file in files]), dtype="<u4")
        texts = np.repeat(np.arange(self._n_texts, self._n_texts + len(counts), dtype=np.uint32), counts)
        self._n_texts += len(counts)

        counts = known.counts[tokens]
        words = known.flat[join_ranges((np.cumsum(known.counts) - known.counts)[tokens], counts)]
        texts = np.repeat(texts, counts)
        kept = np.flatnonzero((texts % _N_TEXTS == Field.SIGNATURE) | ~known.is_stop[words])
        self._found.append(Postings(known.number_words(words[kept], self._words), texts[kept]))

    def postings(self) -> Postings:
        """Those of all files, which it drops."""
        found, self._found = self._found, []
        return _joined(found)


_MOST_DIVIDED: Final = 100_000
"""How many tokens are remembered with their words: some 20 MB. Files of one tree have most of theirs in common."""


class _Divided:
    """Tokens with their words, each of which was divided once.

    counts: by token, how many words it has. flat: the words of all tokens, token by token, by numbers of this object. is_stop: of
    each word, whether it is a common one.
    """

    def __init__(self) -> None:
        self._tokens, self._words = InternTable(), InternTable()
        self.counts = np.empty(0, dtype=np.int64)
        self.flat = np.empty(0, dtype=np.uint32)
        self.is_stop = np.empty(0, dtype=bool)
        self._numbers = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._tokens)

    def number(self, blob: bytes) -> U32:
        """The number of each token of a blob, with a NUL byte behind each; new ones are divided."""
        n_tokens, n_words = len(self._tokens), len(self._words)
        numbers = self._tokens.number_blob(blob)
        fresh = self._tokens.since(n_tokens)
        divided = [some or [token] for token, some in zip(fresh, words_of_each(fresh), strict=True)]
        flat = self._words.number([word for some in divided for word in some])
        self.counts = np.concatenate((self.counts, np.array([len(some) for some in divided], dtype=np.int64)))
        self.flat = np.concatenate((self.flat, flat))
        words = self._words.since(n_words)
        self.is_stop = np.concatenate((self.is_stop, np.array([word in STOP_WORDS for word in words], dtype=bool)))
        self._numbers = np.concatenate((self._numbers, np.full(len(words), -1, dtype=np.int64)))
        return numbers

    def number_words(self, words: U32, table: InternTable) -> U32:
        """Words as their numbers in a table, always the same one, to which only those that occur are added."""
        is_new = np.zeros(len(self._numbers), dtype=bool)
        is_new[words] = True
        is_new &= self._numbers < 0
        new = np.flatnonzero(is_new)
        if len(new):
            texts = self._words.since(0)
            self._numbers[new] = table.number([texts[number] for number in new.tolist()])
        return self._numbers[words].astype(np.uint32)


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
