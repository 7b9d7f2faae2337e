"""Finds where a word of a query occurs: which symbols contain it, in which fields, and what that
counts.

Symbols are numbered by their places here, because the symbols of a file, of a container and of a
block of texts have consecutive places.
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

FIELDS: Final[dict[str, tuple[Field, ...]]] = {
    "name": (),
    "container": (Field.CONTAINER,),
    "path": (Field.FOLDER, Field.BASE),
    "signature": (Field.SIGNATURE,),
    "doc": (Field.SUMMARY, Field.DOC),
    "content": TEXTS,
}
"""The fields of queries that contain words, and the stored fields of each. Names are stored
separately."""

ANY: Final = ("name", "container", "path", "content")
"""The fields that are searched for a word if the query names none."""

WITHOUT_PATH: Final = ("name", "container", "content")
"""The same fields without the path, which says little about a row: for words that must match whole,
and for words near the searched one."""


class Lengths(msgspec.Struct, frozen=True):
    """Mean numbers of words in a snapshot: in a name, and in a signature and doc together."""

    name: float
    text: float


_NONE: Final[I64] = np.empty(0, dtype=np.int64)


class Occurrences(msgspec.Struct, frozen=True):
    """Where a word occurs in one part of a snapshot.

    places: the symbols that contain the word, in order. counts: what the word counts for each
    symbol, the weighted sum of BM25F. in_name: whether the name contains it in full. exact: the
    symbols whose whole name it is, if these were searched for.
    """

    places: I64
    counts: F32
    in_name: Mask
    exact: I64 = _NONE


class Counter:
    """Adds up what a word counts for the symbols of an index, field by field.

    One counter serves all words of a query in turn, because its arrays are as long as the index,
    and making them takes longer than most words do. texts: the texts of sections and items, if they
    may be read from their files.
    """

    def __init__(self, index: Index, lengths: Lengths, texts: TextsInFiles | None = None) -> None:
        self.index = index
        self.lengths = lengths
        self.texts = texts
        self._counts: F32 = np.zeros(index.n_symbols, dtype=np.float32)
        self._in_name: Mask = np.zeros(index.n_symbols, dtype=bool)
        self._added: list[I64] = []

    def result(self) -> Occurrences:
        """Returns where the word occurs, and resets the counter for the next word."""
        places = distinct(np.concatenate([_NONE, *self._added]), self.index.n_symbols)
        result = Occurrences(places, self._counts[places], self._in_name[places])
        self._counts[places] = 0
        self._in_name[places] = False
        self._added.clear()
        return result

    def add_names(self, names: I64, share: float) -> None:
        """Adds names that contain the word; each is given once. share: the factor for words that do
        not count in full."""
        if not len(names):
            return
        words = self.index.words.counts[names]
        relative = np.maximum(words, 1) / np.float32(self.lengths.name)
        weights = (share * NAME / (1 - NAME_B + NAME_B * relative)).astype(np.float32)
        places, counts = places_of_names(self.index, names)
        self._counts[places] += of_items(
            self.index, "name", places, np.repeat(weights, counts), share
        )
        self._added.append(places)
        if share == 1.0:
            self._in_name[places] = True

    def add(self, field: Field, listed: I64, share: float) -> None:
        """Adds what the posting lists of a field contain: places, or numbers of containers, folders
        or files, perhaps repeatedly."""
        if len(listed):
            places = places_of(self.index, field, listed)
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
        """What a word counts in a text, by the length of the text."""
        relative = np.arange(256) / np.float32(self.lengths.text)
        return (1 / (1 - TEXT_B + TEXT_B * relative)).astype(np.float32)


def find_word(counter: Counter, meaning: Meaning, fields: Iterable[str] = ANY) -> Occurrences:
    """Returns where a word occurs in some fields.

    Passes: the names, in full and then by their beginnings; signatures by the names of their
    symbols, which are not stored again among the words of signatures; then the posting lists of the
    other fields.
    """
    index = counter.index
    stored = [field for name in fields for field in FIELDS[name]]
    of_text = (
        tuple(fields) == _TEXT
    )  # in an item this is only its text, not its title or description
    if "name" in fields:
        of_names = in_names(index, meaning)
        names = names_with(index, of_names.full, meaning.is_full)
        counter.add_names(names, 1.0)
        less = np.concatenate(
            (names_with(index, of_names.less, meaning.is_less), _beginning_with(index, meaning))
        )
        counter.add_names(without(distinct(less, len(index.names)), names), BEGINNING)
        if Field.SIGNATURE in stored and len(index.columns.item_places):
            # An item's title that is its name also counts as a title. The name of a symbol is not
            # among the words of its own signature.
            counter.add(Field.SIGNATURE, only_items(index, signatures_with(index, names)), 1.0)
    elif Field.SIGNATURE in stored:
        of_names = in_names(index, meaning)
        for numbers, matches, share in (
            (of_names.full, meaning.is_full, 1.0),
            (of_names.less, meaning.is_less, BEGINNING),
        ):
            listed = signatures_with(index, names_with(index, numbers, matches))
            counter.add(Field.SIGNATURE, no_items(index, listed) if of_text else listed, share)
    if stored:
        of_texts = in_texts(index, meaning)
        for numbers_of_words, share in ((of_texts.full, 1.0), (of_texts.less, BEGINNING)):
            check_wanted()
            for field, listed in index.text_words.numbers(numbers_of_words, stored).items():
                counter.add(
                    field,
                    no_items(index, listed) if of_text and field != Field.DOC else listed,
                    share,
                )
    return counter.result()


_TEXT: Final = ("content",)


def names_with(index: Index, numbers: I64, matches: Callable[[str], bool]) -> I64:
    """Returns the numbers of the names that contain one of some words, in order.

    numbers: the words, in `Index.words`. matches: whether a word is one of them; used for the words
    of odd names.
    """
    names_found = index.words.names_with(numbers)
    odd = {name for word, names in index.odd_words.items() if matches(word) for name in names}
    if odd:
        names_found = np.union1d(names_found, np.array(sorted(odd), dtype=np.int64)).astype(
            np.int64
        )
    return names_found


def _beginning_with(index: Index, meaning: Meaning) -> I64:
    """Returns the names that begin with a word, whatever separates their own words: `parsehttp` is
    the beginning of `parse_http_request`."""
    return (
        np.arange(*index.squashed_range(meaning.part))
        if meaning.part and not meaning.inside
        else _NONE
    )


def places_of_names(index: Index, names: I64) -> tuple[I64, I64]:
    """Returns the places of all symbols of some names, name by name, and the number of places of
    each."""
    first = index.name_first[names].astype(np.int64)
    counts = index.name_first[names + 1] - first
    return index.place[join_ranges(first, counts)].astype(np.int64), counts


def signatures_with(index: Index, names: I64) -> I64:
    """Returns the places of the symbols whose signatures contain one of these names. Nearly all
    signatures contain the name of their symbol, which is not stored among their words
    (`extract/word_lists`)."""
    places = places_of_names(index, names)[0]
    marker = index.text_words.find(ODD_SIGNATURE)
    if marker is None or not len(places):
        return places
    is_odd = index.text_words.marked(np.array([marker]), Field.SIGNATURE)
    return places[~is_odd[places]]


def places_of(index: Index, field: Field, listed: I64) -> I64:
    """Returns the places of the symbols in the lists of a field, each once."""
    if field in TEXTS:
        return listed if (listed[1:] > listed[:-1]).all() else distinct(listed, index.n_symbols)
    limit = {
        Field.CONTAINER: len(index.containers),
        Field.FOLDER: len(index.folders),
        Field.BASE: index.n_files,
    }[field]
    is_listed = np.zeros(limit, dtype=bool)
    is_listed[listed] = True
    if field is Field.CONTAINER:
        return index.container_runs.where(np.flatnonzero(is_listed))
    files = np.flatnonzero(is_listed if field is Field.BASE else is_listed[index.folder_of])
    first = index.file_first[files].astype(np.int64)
    return join_ranges(first, index.file_first[files + 1] - first)
