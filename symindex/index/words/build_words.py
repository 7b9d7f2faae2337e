"""Builds the columns of `index/words/text_words`: from the tokens of files that were read, and from
what older indexes hold."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from symindex.extract.word_lists import TEXT_FIELDS, PackedTokens
from symindex.index.columns.arrays import U32, U64, Mask, Numbers
from symindex.index.columns.integer_columns import join_ranges, pack, pack_small
from symindex.index.columns.strings import InternTable, pack_texts, plain_order
from symindex.index.scratch import Column, Scratch
from symindex.index.words.postings import LOW, pack_keys
from symindex.index.words.text_words import Field, TextWords
from symindex.text.words import STOP_WORDS, words_of_each

_N_TEXTS: Final = len(TEXT_FIELDS)
"""Texts of a symbol; Field numbers them first, in the same order."""

LONGEST: Final = 255
"""Texts of more words count as equally long."""


class Postings(NamedTuple):
    """Which words stand in the texts of some symbols, in no order, the same perhaps several times.

    words: numbers in an intern table. texts: _N_TEXTS times the number of a symbol, which whoever
    gives them knows, plus the field.
    """

    words: U32
    texts: U32


class PostingParts:
    """Postings part by part, which may be read several times. words, texts: of the parts. total:
    how many they are in all."""

    def __init__(self, words: Iterable[U32], texts: Iterable[U32], total: int) -> None:
        self._words, self._texts, self.total = words, texts, total

    def __iter__(self) -> Iterator[Postings]:
        return map(Postings, self._words, self._texts)


class TokenCollector:
    """Takes the tokens of files in their order, and divides them into words, which it numbers in a
    table. scratch: where it keeps what it has found."""

    def __init__(self, words: InternTable, scratch: Scratch) -> None:
        self._words = words
        self._divided = _SplitTokens()
        self._found_words, self._found_texts = Column(scratch), Column(scratch)
        self._n_texts = 0

    def add(self, files: Sequence[PackedTokens]) -> None:
        """The tokens of some files, whose symbols follow those of the files before. Common English
        words of docs are left out: they decide nothing, and are a third of all."""
        if len(self._divided) > _MOST_SPLIT_TOKENS:
            self._divided = _SplitTokens()
        split = self._divided
        number = split.number(b"".join([file.texts for file in files]))
        first = np.cumsum([0, *(file.texts.count(b"\0") for file in files)])[:-1]
        local = np.frombuffer(b"".join([file.numbers for file in files]), dtype="<u4")
        tokens = number[local + np.repeat(first, [len(file.numbers) // 4 for file in files])]
        counts = np.frombuffer(b"".join([file.counts for file in files]), dtype="<u4")
        texts = np.repeat(
            np.arange(self._n_texts, self._n_texts + len(counts), dtype=np.uint32), counts
        )
        self._n_texts += len(counts)

        counts = split.counts[tokens]
        words = split.flat[join_ranges((np.cumsum(split.counts) - split.counts)[tokens], counts)]
        texts = np.repeat(texts, counts)
        selected = np.flatnonzero((texts % _N_TEXTS == Field.SIGNATURE) | ~split.is_stop[words])
        self._found_words.add(split.number_words(words[selected], self._words))
        self._found_texts.add(texts[selected])

    def postings(self) -> PostingParts:
        """Those of all files. Nothing can be added afterwards."""
        self._divided = _SplitTokens()
        return PostingParts(self._found_words, self._found_texts, len(self._found_words))


_MOST_SPLIT_TOKENS: Final = 100_000
"""How many tokens are remembered with their words: some 20 MB. Files of one tree have most of
theirs in common."""


class _SplitTokens:
    """Tokens with their words, each of which was divided once.

    counts: by token, how many words it has. flat: the words of all tokens, token by token, by
    numbers of this object. is_stop: of each word, whether it is a common one.
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
        divided = [
            words_of_token or [token]
            for token, words_of_token in zip(fresh, words_of_each(fresh), strict=True)
        ]
        flat = self._words.number([word for words_of_token in divided for word in words_of_token])
        self.counts = np.concatenate(
            (
                self.counts,
                np.array([len(words_of_token) for words_of_token in divided], dtype=np.int64),
            )
        )
        self.flat = np.concatenate((self.flat, flat))
        words = self._words.since(n_words)
        self.is_stop = np.concatenate(
            (self.is_stop, np.array([word in STOP_WORDS for word in words], dtype=bool))
        )
        self._numbers = np.concatenate((self._numbers, np.full(len(words), -1, dtype=np.int64)))
        return numbers

    def number_words(self, words: U32, table: InternTable) -> U32:
        """Words as their numbers in a table, always the same one, to which only those that occur
        are added."""
        is_new = np.zeros(len(self._numbers), dtype=bool)
        is_new[words] = True
        is_new &= self._numbers < 0
        new = np.flatnonzero(is_new)
        if len(new):
            texts = self._words.since(0)
            self._numbers[new] = table.number([texts[number] for number in new.tolist()])
        return self._numbers[words].astype(np.uint32)


def _number_used(
    words: InternTable, numbers: Numbers, limit: int, texts_of: Callable[[list[int]], Sequence[str]]
) -> U32:
    """Numbers as those of the intern table, to which only the texts that occur are added."""
    is_used = np.zeros(limit, dtype=bool)
    is_used[numbers] = True
    number = np.zeros(limit, dtype=np.uint32)
    number[is_used] = words.number(texts_of(np.flatnonzero(is_used).tolist()))
    translated: U32 = number[numbers]
    return translated


def kept_postings(index_words: TextWords, is_kept: Mask, words: InternTable) -> PostingParts:
    """What an older index holds of some symbols. is_kept: by place; the symbols are numbered in the
    order of their places."""
    number_of = np.cumsum(is_kept) - 1
    old, texts = [], []
    for field in list(Field)[:_N_TEXTS]:
        of_field, places = index_words.all_in(field)
        selected = is_kept[places]
        old.append(of_field[selected].astype(np.uint32))
        texts.append((number_of[places[selected]] * _N_TEXTS + field).astype(np.uint32))
    numbers = _number_used(
        words,
        np.concatenate(old),
        len(index_words),
        lambda used: index_words.table.take(np.array(used, dtype=np.int64)),
    )
    return PostingParts([numbers], [np.concatenate(texts)], len(numbers))


def word_columns(
    words: InternTable,
    texts: Iterable[tuple[PostingParts, U32]],
    tables: Mapping[Field, Sequence[str]],
    n_symbols: int,
) -> dict[str, Any]:
    """The columns of words. texts: with the place of each symbol. tables: the texts of each of the
    other fields, in order."""
    postings = [
        _FieldPostings(text_postings, _N_TEXTS, Field.SIGNATURE, place)
        for text_postings, place in texts
    ]
    for field, table in tables.items():
        divided = words_of_each(table)
        numbers = words.number([word for words_of_text in divided for word in words_of_text])
        every = np.arange(len(table), dtype=np.uint32)
        owners = np.repeat(every, [len(words_of_text) for words_of_text in divided])
        postings.append(
            _FieldPostings(PostingParts([numbers], [owners], len(numbers)), 1, field, every)
        )
    return _columns(words, _keys(postings, words.sort(plain_order)), n_symbols)


class _FieldPostings(NamedTuple):
    """Postings whose texts are n_fields times the number of what holds them, plus the field less
    the first one; place: by that number, the number in the index."""

    postings: PostingParts
    n_fields: int
    first: Field
    place: U32


_MOST_KEYS: Final = 3 << 20
"""Bounds the memory for keys, of eight bytes: the postings are read once for each so many."""


def _keys(sources: Sequence[_FieldPostings], ranks: U32) -> Iterator[U64]:
    """The keys (`postings.pack_keys`) of a range of words after the other. ranks: the order of the
    words."""
    counts = np.zeros(len(ranks), dtype=np.int64)
    for part in chain.from_iterable(source.postings for source in sources):
        counts += np.bincount(part.words, minlength=len(ranks))
    first = np.zeros(len(ranks) + 1, dtype=np.int64)
    np.cumsum(counts[np.argsort(ranks)], out=first[1:])
    low = 0
    while low < len(ranks):
        high = max(low + 1, int(np.searchsorted(first, first[low] + _MOST_KEYS, side="right")) - 1)
        keys = np.empty(first[high] - first[low], dtype=np.uint64)
        end = 0
        for source in sources:
            for part in source.postings:
                of_words = ranks[part.words]
                selected = np.flatnonzero((of_words >= low) & (of_words < high))
                owners, fields = np.divmod(part.texts[selected], np.uint32(source.n_fields))
                lists = (
                    of_words[selected] * np.uint32(len(Field)) + fields + np.uint32(source.first)
                )
                start, end = end, end + len(selected)
                keys[start:end] = lists.astype(np.uint64) << LOW | source.place[owners]
        yield keys
        low = high


def _columns(words: InternTable, keys: Iterable[U64], n_symbols: int) -> dict[str, Any]:
    word_fields = np.zeros(len(words.texts), dtype=np.uint8)
    lengths = np.zeros(n_symbols, dtype=np.uint32)
    sizes, data = [np.empty(0, dtype=np.int64)], []
    for packed in chain.from_iterable(map(pack_keys, keys)):
        of_word, fields = np.divmod(packed.lists, np.uint32(len(Field)))
        np.bitwise_or.at(word_fields, of_word, np.uint8(1) << fields.astype(np.uint8))
        np.add.at(
            lengths, packed.numbers[packed.of_list % np.uint32(len(Field)) < _N_TEXTS], np.uint32(1)
        )
        sizes.append(packed.sizes)
        data.append(packed.data)
    blob, text_sizes = pack_texts(words.texts)
    return {
        "text_word_blob": blob,
        "text_word_sizes": text_sizes,
        "word_fields": pack(word_fields, "<u1"),
        "posting_sizes": pack_small(np.concatenate(sizes)),
        "postings": memoryview(b"".join(data)),
        "text_lengths": pack(np.minimum(lengths, LONGEST), "<u1"),
    }
