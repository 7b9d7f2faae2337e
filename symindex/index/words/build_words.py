"""Builds the columns of `index/words/text_words` from the tokens of newly read files and from older
indexes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from symindex.extract.word_lists import TEXT_FIELDS, PackedTokens
from symindex.index.columns.arrays import I64, U32, U64
from symindex.index.columns.integer_columns import join_ranges, pack, pack_small, portions
from symindex.index.columns.strings import InternTable, pack_texts, plain_order
from symindex.index.scratch import Column, Scratch
from symindex.index.words.postings import LOW, first_of_each, pack_keys
from symindex.index.words.text_words import FOUR_TIMES, TWICE, Field, pack_lengths
from symindex.text.words import ASKING_WORDS, STOP_WORDS, whole_of, words_of_each

_N_TEXTS: Final = len(TEXT_FIELDS)
"""Number of texts of a symbol. In Field they are the first, in the same order."""

LONGEST: Final = 255
"""Most words that the length of a text counts."""


class Postings(NamedTuple):
    """Words in the texts of symbols, in no order, perhaps with duplicates.

    words: numbers in an intern table. texts: _N_TEXTS * symbol + field; the caller numbers the
    symbols.
    """

    words: U32
    texts: U32


class PostingSource(Protocol):
    """Postings that are read a range of words at a time."""

    def add_words(self, table: InternTable) -> None:
        """Adds those of its words to the table that are not there yet. Called once, first."""

    def counts(self, n_words: int) -> I64:
        """Returns the number of postings of each word of the intern table, which has `n_words`."""

    def between(self, ranks: U32, low: int, high: int) -> Iterator[Postings]:
        """Yields, part by part, the postings of the words whose ranks are from `low` to `high`,
        without `high`. Their words are ranks. ranks: word of the intern table -> its position in
        the sorted table."""


class PostingParts:
    """Postings part by part, as a PostingSource. words, texts: of the parts, which can be read
    several times."""

    def __init__(self, words: Iterable[U32], texts: Iterable[U32]) -> None:
        self._words = words
        self._texts = texts

    def add_words(self, table: InternTable) -> None:
        """See `PostingSource`: they were added before."""

    def counts(self, n_words: int) -> I64:
        """See `PostingSource`."""
        counts = np.zeros(n_words, dtype=np.int64)
        for words in self._words:
            counts += np.bincount(words, minlength=n_words)
        return counts

    def between(self, ranks: U32, low: int, high: int) -> Iterator[Postings]:
        """See `PostingSource`."""
        for words, texts in zip(self._words, self._texts, strict=True):
            of_words = ranks[words]
            selected = np.flatnonzero((of_words >= low) & (of_words < high))
            yield Postings(of_words[selected], texts[selected])


class TokenCollector:
    """Takes the tokens of files in their order, splits them into words, and numbers these in a
    table. scratch: stores the postings. is_prose: whether the texts are those of sections and
    items."""

    def __init__(self, words: InternTable, scratch: Scratch, is_prose: bool = False) -> None:
        self._words = words
        self._is_prose = is_prose
        self._divided = _SplitTokens(is_prose)
        self._found_words, self._found_texts = Column(scratch), Column(scratch)
        self._n_texts = 0

    def add(self, files: Sequence[PackedTokens]) -> None:
        """Adds the tokens of files, whose symbols follow those of the files before. Common English
        words of docs are left out: they distinguish nothing, and are a third of all."""
        if len(self._divided) > _MOST_SPLIT_TOKENS:
            self._divided = _SplitTokens(self._is_prose)
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
        """Returns the postings of all files. Nothing can be added afterwards."""
        self._divided = _SplitTokens(self._is_prose)
        return PostingParts(self._found_words, self._found_texts)


_MOST_SPLIT_TOKENS: Final = 100_000
"""Most tokens that are cached with their words: some 20 MB. The files of a tree have most tokens in
common."""


class _SplitTokens:
    """A cache of tokens, each split into words once.

    counts: by token, its number of words. flat: the words of all tokens, token by token, by numbers
    of this object. is_stop: by word, whether it is a common one, which is not stored. is_prose:
    whether a token of several words is a word, too, and common words of programs are stored.
    """

    def __init__(self, is_prose: bool) -> None:
        self._is_prose = is_prose
        self._stop_words = ASKING_WORDS if is_prose else STOP_WORDS
        self._tokens, self._words = InternTable(), InternTable()
        self.counts = np.empty(0, dtype=np.int64)
        self.flat = np.empty(0, dtype=np.uint32)
        self.is_stop = np.empty(0, dtype=bool)
        self._numbers = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._tokens)

    def number(self, blob: bytes) -> U32:
        """Returns the number of each token of a blob in which a NUL byte ends each token; splits
        new ones."""
        n_tokens, n_words = len(self._tokens), len(self._words)
        numbers = self._tokens.number_blob(blob)
        fresh = self._tokens.since(n_tokens)
        divided = [
            words_of_token or [token]
            for token, words_of_token in zip(fresh, words_of_each(fresh), strict=True)
        ]
        if self._is_prose:
            divided = [
                [*dict.fromkeys((*words_of_token, *filter(None, [whole_of(token)])))]
                for token, words_of_token in zip(fresh, divided, strict=True)
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
            (self.is_stop, np.array([word in self._stop_words for word in words], dtype=bool))
        )
        self._numbers = np.concatenate((self._numbers, np.full(len(words), -1, dtype=np.int64)))
        return numbers

    def number_words(self, words: U32, table: InternTable) -> U32:
        """Translates words to their numbers in a table, always the same one, to which only the
        words that occur are added."""
        is_new = np.zeros(len(self._numbers), dtype=bool)
        is_new[words] = True
        is_new &= self._numbers < 0
        new = np.flatnonzero(is_new)
        if len(new):
            texts = self._words.since(0)
            self._numbers[new] = table.number([texts[number] for number in new.tolist()])
        return self._numbers[words].astype(np.uint32)


def word_columns(
    words: InternTable,
    texts: Iterable[tuple[PostingSource, U32]],
    tables: Mapping[Field, Sequence[str]],
    n_symbols: int,
    is_prose: bool = False,
) -> dict[str, Any]:
    """Returns the columns of words. texts: postings, with the place of each symbol. tables: the
    texts of the other fields, in order. is_prose: whether repeated postings count."""
    postings = [
        _FieldPostings(text_postings, _N_TEXTS, Field.SIGNATURE, place)
        for text_postings, place in texts
    ]
    for source in postings:
        source.postings.add_words(words)
    for field, table in tables.items():
        parts = [_divided(words, table, first) for first in range(0, len(table), _TEXTS_AT_ONCE)]
        postings.append(
            _FieldPostings(
                PostingParts([part.words for part in parts], [part.texts for part in parts]),
                1,
                field,
                np.arange(len(table), dtype=np.uint32),
            )
        )
    keys = _keys(postings, words.sort(plain_order))
    if not is_prose:
        return {**_columns(words, keys, n_symbols), "content_lengths": memoryview(b"")}
    lengths = np.zeros(n_symbols, dtype=np.int64)
    columns = _columns(words, (_with_repeats(of_words, lengths) for of_words in keys), n_symbols)
    return {**columns, "content_lengths": pack_lengths(lengths)}


_TEXTS_AT_ONCE: Final = 1 << 14
"""Texts at a time, which limits the memory for their words as Python objects."""


def _divided(words: InternTable, table: Sequence[str], first: int) -> Postings:
    """Returns the words of _TEXTS_AT_ONCE texts of a table, from `first` on."""
    divided = words_of_each(table[first : first + _TEXTS_AT_ONCE])
    numbers = words.number([word for words_of_text in divided for word in words_of_text])
    owners = np.arange(first, first + len(divided), dtype=np.uint32)
    return Postings(numbers, np.repeat(owners, [len(words_of_text) for words_of_text in divided]))


class _FieldPostings(NamedTuple):
    """Postings whose texts are n_fields * owner + field - first. place: owner -> its number in the
    index."""

    postings: PostingSource
    n_fields: int
    first: Field
    place: U32


_MOST_KEYS: Final = 3 << 20
"""Most keys of eight bytes at a time, which limits the memory: the postings are read once for each
such range of words."""


def _keys(sources: Sequence[_FieldPostings], ranks: U32) -> Iterator[U64]:
    """Yields the keys (`postings.pack_keys`) of one range of words after the other. ranks: word ->
    its position in the sorted table.

    First pass: count the postings of each word, to cut ranges of words with at most _MOST_KEYS
    postings. Second pass, once per range: collect the keys of its words from all postings.
    """
    counts = np.zeros(len(ranks), dtype=np.int64)
    for source in sources:
        counts += source.postings.counts(len(ranks))
    counts = counts[np.argsort(ranks)]
    for low, high in portions(counts, _MOST_KEYS):
        keys = np.empty(int(counts[low:high].sum()), dtype=np.uint64)
        end = 0
        for source in sources:
            for part in source.postings.between(ranks, low, high):
                owners, fields = np.divmod(part.texts, np.uint32(source.n_fields))
                lists = part.words * np.uint32(len(Field)) + fields + np.uint32(source.first)
                start, end = end, end + len(lists)
                keys[start:end] = lists.astype(np.uint64) << LOW | source.place[owners]
        yield keys


def _with_repeats(keys: U64, lengths: I64) -> U64:
    """Returns the distinct keys, with keys of REPEATED and OFTEN for those of DOC that occur
    several times. lengths: by place, to which the number of words of DOC is added."""
    keys.sort()
    first = first_of_each(keys)
    counts = np.diff(np.append(first, len(keys)))
    distinct = keys[first]
    is_doc = (distinct >> LOW) % np.uint64(len(Field)) == Field.DOC
    places, counts_in_doc = distinct[is_doc].astype(np.uint32), counts[is_doc]
    np.add.at(lengths, places, _COUNTED[np.minimum(counts_in_doc, FOUR_TIMES)])
    more = [
        distinct[is_doc & (counts >= least)] + (np.uint64(field - Field.DOC) << LOW)
        for field, least in ((Field.REPEATED, TWICE), (Field.OFTEN, FOUR_TIMES))
    ]
    return np.concatenate((distinct, *more))


_COUNTED: Final = np.array([0, 1, TWICE, TWICE, FOUR_TIMES])
"""What a word adds to the length of a text, by its count: as much as an older index knows of it."""


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
