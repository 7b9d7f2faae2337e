"""Where a word of a query stands: which symbols of an index hold it, in which fields, and what that
counts.

Symbols are numbered by their places here, because those of a file, a container and a block of texts
stand side by side.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec
import numpy as np

from symindex.cancellation import check_wanted
from symindex.extract.word_lists import ODD_SIGNATURE
from symindex.index.columns.arrays import F32, I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import distinct, join_ranges, without
from symindex.index.snapshot import TextsInFiles
from symindex.index.words.text_words import Field
from symindex.search.words.item_weights import ITEM_FIELDS, no_items, of_items, only_items
from symindex.search.words.meaning import Meaning, in_names, in_texts
from symindex.search.words.weights import BEGINNING, FIELD_WEIGHTS, NAME, NAME_B, TEXT_B
from symindex.text.made_once import made_once

TEXTS: Final = (Field.SIGNATURE, Field.SUMMARY, Field.DOC)

FIELDS: Final = {
    "name": (),
    "container": (Field.CONTAINER,),
    "path": (Field.FOLDER, Field.BASE),
    "signature": (Field.SIGNATURE,),
    "doc": (Field.SUMMARY, Field.DOC),
    "content": TEXTS,
}
"""The fields of queries that hold words, and what stores these; names have their own."""

ANY: Final = ("name", "container", "path", "content")
"""The fields of a word for which none is named."""

SAID: Final = ("name", "container", "content")
"""These fields without the path, which says nothing about a row: for words that must be whole, or
are near to others."""


class Lengths(msgspec.Struct, frozen=True):
    """The mean numbers of words in a snapshot: of a name, and of a signature and doc together."""

    name: float
    text: float


_NONE: Final[I64] = np.empty(0, dtype=np.int64)


class Occurrences(msgspec.Struct, frozen=True):
    """places: of the symbols that hold a word, in order. counts: what that counts for each, the
    weighted sum of BM25F. in_name: whether the name has it in full. exact: the places of those
    whose very name it is, where that was looked for."""

    places: I64
    counts: F32
    in_name: Mask
    exact: I64 = _NONE


class Counter:
    """Adds up what a word counts for the symbols of an index, field by field. One serves all words
    of a query, one after the other: its arrays are as long as the index, and to make them takes
    longer than most words do. texts: of the sections and items, where they may be read."""

    def __init__(self, index: Index, lengths: Lengths, texts: TextsInFiles | None = None) -> None:
        self.index = index
        self.lengths = lengths
        self.texts = texts
        self._counts: F32 = np.zeros(index.n_symbols, dtype=np.float32)
        self._in_name: Mask = np.zeros(index.n_symbols, dtype=bool)
        self._added: list[I64] = []

    def result(self) -> Occurrences:
        """Where the word stands; the next one may follow."""
        places = distinct(np.concatenate([_NONE, *self._added]), self.index.n_symbols)
        result = Occurrences(places, self._counts[places], self._in_name[places])
        self._counts[places] = 0
        self._in_name[places] = False
        self._added.clear()
        return result

    def add_names(self, names: I64, share: float) -> None:
        """Names that have the word, given once each. share: what it counts there, of what it would
        in full."""
        if not len(names):
            return
        words = self.index.words.counts[names]
        relative = np.maximum(words, 1) / np.float32(self.lengths.name)
        weights = (share * NAME / (1 - NAME_B + NAME_B * relative)).astype(np.float32)
        places, many = places_of_names(self.index, names)
        self._counts[places] += of_items(
            self.index, "name", places, np.repeat(weights, many), share
        )
        self._added.append(places)
        if share == 1.0:
            self._in_name[places] = True

    def add(self, field: Field, held: I64, share: float) -> None:
        """What the posting lists of a field hold: places, or numbers of containers, folders or
        files, perhaps several times."""
        if len(held):
            places = places_of(self.index, field, held)
            weight = np.float32(share * FIELD_WEIGHTS[field])
            self._added.append(places)
            if field in TEXTS:
                counts = (weight * self._by_length)[self.index.u8("text_lengths")[places]]
            else:
                counts = np.full(len(places), weight)
            if field in ITEM_FIELDS:
                counts = of_items(self.index, ITEM_FIELDS[field], places, counts, share)
            self._counts[places] += counts

    @made_once
    def _by_length(self) -> F32:
        """By the length of a text: what a word counts in it."""
        relative = np.arange(256) / np.float32(self.lengths.text)
        return (1 / (1 - TEXT_B + TEXT_B * relative)).astype(np.float32)


def find_word(counter: Counter, meaning: Meaning, fields: Iterable[str] = ANY) -> Occurrences:
    """Where a word stands in some fields."""
    index = counter.index
    stored = [field for name in fields for field in FIELDS[name]]
    of_text = (
        tuple(fields) == _TEXT
    )  # which of an item is its text alone, not its title or its description
    if "name" in fields:
        of_names = in_names(index, meaning)
        names = names_with(index, of_names.full, meaning.is_full)
        counter.add_names(names, 1.0)
        less = np.concatenate(
            (names_with(index, of_names.less, meaning.is_less), _beginning_with(index, meaning))
        )
        counter.add_names(without(distinct(less, len(index.names)), names), BEGINNING)
        if Field.SIGNATURE in stored and len(index.columns.item_places):
            # A title that is the name counts as a title, too; of symbols the name is no word of its
            # own signature.
            counter.add(Field.SIGNATURE, only_items(index, signatures_with(index, names)), 1.0)
    elif Field.SIGNATURE in stored:
        of_names = in_names(index, meaning)
        for numbers, matches, share in (
            (of_names.full, meaning.is_full, 1.0),
            (of_names.less, meaning.is_less, BEGINNING),
        ):
            held = signatures_with(index, names_with(index, numbers, matches))
            counter.add(Field.SIGNATURE, no_items(index, held) if of_text else held, share)
    if stored:
        of_texts = in_texts(index, meaning)
        for some, share in ((of_texts.full, 1.0), (of_texts.less, BEGINNING)):
            check_wanted()
            for field, held in index.text_words.numbers(some, stored).items():
                counter.add(
                    field, no_items(index, held) if of_text and field != Field.DOC else held, share
                )
    return counter.result()


_TEXT: Final = ("content",)


def names_with(index: Index, numbers: I64, matches: Callable[[str], bool]) -> I64:
    """The numbers of the names that have one of some words, in order. numbers: of the words in
    `Index.words`. matches: whether a word is one of them, asked for those of odd names."""
    found = index.words.names_with(numbers)
    odd = {name for word, names in index.odd_words.items() if matches(word) for name in names}
    if odd:
        found = np.union1d(found, np.array(sorted(odd), dtype=np.int64)).astype(np.int64)
    return found


def _beginning_with(index: Index, meaning: Meaning) -> I64:
    """The names that begin with a word, whatever separates theirs: `parsehttp` is the beginning of
    `parse_http_request`."""
    return (
        np.arange(*index.squashed_range(meaning.part))
        if meaning.part and not meaning.inside
        else _NONE
    )


def places_of_names(index: Index, names: I64) -> tuple[I64, I64]:
    """The places of all symbols of some names, name by name, and how many each has."""
    first = index.name_first[names].astype(np.int64)
    many = index.name_first[names + 1] - first
    return index.place[join_ranges(first, many)].astype(np.int64), many


def signatures_with(index: Index, names: I64) -> I64:
    """The places of the symbols whose signatures hold one of these names. Nearly all hold their
    own, and it is not among their words (`extract/word_lists`)."""
    places = places_of_names(index, names)[0]
    marker = index.text_words.find(ODD_SIGNATURE)
    if marker is None or not len(places):
        return places
    is_odd = index.text_words.marked(np.array([marker]), Field.SIGNATURE)
    return places[~is_odd[places]]


def places_of(index: Index, field: Field, held: I64) -> I64:
    """The places of the symbols of what a field's lists hold, each once."""
    if field in TEXTS:
        return held if (held[1:] > held[:-1]).all() else distinct(held, index.n_symbols)
    limit = {
        Field.CONTAINER: len(index.containers),
        Field.FOLDER: len(index.folders),
        Field.BASE: index.n_files,
    }[field]
    wanted = np.zeros(limit, dtype=bool)
    wanted[held] = True
    if field is Field.CONTAINER:
        return index.container_runs.where(np.flatnonzero(wanted))
    files = np.flatnonzero(wanted if field is Field.BASE else wanted[index.folder_of])
    first = index.file_first[files].astype(np.int64)
    return join_ranges(first, index.file_first[files + 1] - first)
