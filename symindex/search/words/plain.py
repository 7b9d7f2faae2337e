"""Answers plain words: finds rows with all of the words and, if there are few, rows with some of
them, which a notice says."""

from collections.abc import Sequence
from itertools import islice, repeat
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.columns.integer_columns import distinct
from symindex.index.columns.rows import Rows
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag
from symindex.search.answer.filters import PartFilter
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.hits import PartHits, RowHits, Selection
from symindex.search.names.rank import rank
from symindex.search.names.weakness import by_words
from symindex.search.words.bm25f import (
    Scores,
    count_live,
    mean_lengths,
    score_words,
    shares_in_files,
)
from symindex.search.words.meaning import Meaning
from symindex.search.words.misspelt import likely_words
from symindex.search.words.occurrences import Counter, Occurrences, places_of_names
from symindex.search.words.order import BEST, QuestionWords, WordHits, bound_of, diversified
from symindex.search.words.terms import with_misspelt
from symindex.search.words.weights import (
    FEW,
    FUSED,
    ONE_LETTER,
    SHORTEST_BEGINNING,
    TOGETHER,
    reciprocal,
)
from symindex.search.words.word_cache import find_cached_word
from symindex.text.escaping import shorten
from symindex.text.words import STOP_WORDS, deciding, stem, words_of_each

_TEST: Final = "test"
"""The stem of a word that asks for tests."""

_MOST_LIKELY: Final = 100
"""Most near words of one distance, among those that occur, that are compared by how many symbols
contain them."""

_DECLARATION: Final = SymbolFlag.DECLARATION.value

_LONGEST_QUOTED: Final = 40
"""Longest word, in characters, that a notice repeats in full."""


def question_of(texts: Sequence[str]) -> QuestionWords:
    """Returns the words of a query by their roles. Common English words decide only if there are no
    others."""
    divided = words_of_each(texts)
    words = [word for words_of_text in divided for word in words_of_text]
    runs = [
        "".join(words[start : start + length])
        for length in (1, 2, 3)
        for start in range(len(words) - length + 1)
    ]
    names = dict.fromkeys(sorted({*runs} - STOP_WORDS), False)
    identifiers = [words_of_text for words_of_text in divided if len(words_of_text) > 1]
    names |= dict.fromkeys(map("".join, identifiers), True)
    return QuestionWords(
        tuple(dict.fromkeys(deciding(words))),
        tuple(word for words_of_text in identifiers for word in words_of_text),
        names,
        "".join(words),
    )


class Word(NamedTuple):
    """A word of a question. meaning: the words that count as it. occurrences: where these occur, by
    part. frequency: the number of symbols that contain them. instead: the word that replaced it, if
    it occurs nowhere."""

    text: str
    meaning: Meaning
    occurrences: list[Occurrences]
    frequency: int
    instead: str = ""


def select_plain(
    filters: Sequence[PartFilter],
    texts: Sequence[str],
    typos: bool = True,
    some: bool = True,
    edits: int | None = None,
    forced: bool = False,
) -> Selection:
    """Returns the hits of a query of plain words.

    typos: whether words that occur nowhere may be misspelt. some: whether rows with some of the
    words are added if few have all. edits: most edits in a word. forced: whether any word may be
    misspelt.
    """
    question = question_of(texts)
    parts = [chosen.part for chosen in filters]
    lengths = mean_lengths(parts)
    counters = [Counter(part.index, lengths) for part in parts]
    words = [find_meant(parts, counters, word, typos, edits) for word in question.words]
    if forced:
        words = [_with_others(parts, counters, word, edits) for word in words]
    scored = score_words(
        parts,
        [word.occurrences for word in words],
        [ONE_LETTER if len(word.text) == 1 else 1.0 for word in words],
    )
    for chosen, scores in zip(filters, scored, strict=True):
        names = chosen.index.names_squashed(question.whole)
        scores.exact[places_of_names(chosen.index, np.array(names, dtype=np.int64))[0]] = True
    by_part = [[word.occurrences[number].places for word in words] for number in range(len(parts))]
    places = [_holding_all(*columns) for columns in zip(filters, scored, by_part, strict=True)]
    notices = [
        f"no symbol contains {_quoted(word.text)}: {_quoted(word.instead)} was searched for"
        for word in words
        if word.instead
    ]
    n_all = sum(map(len, places))
    complete = None
    if some and n_all < FEW and len(words) > 1:
        rows = [
            chosen.index.row_at[matching].astype(np.int64)
            for chosen, matching in zip(filters, places, strict=True)
        ]
        complete = _with_definitions(filters, rows)
        places = [_holding_some(*columns) for columns in zip(filters, by_part, strict=True)]
        if sum(map(len, places)) > n_all:
            notices.append(_some_words(words, n_all))
    return Selection(
        _ordered(filters, question, words, scored, places, complete),
        notices=tuple(notices),
        weakness=by_words(complete, any(word.instead for word in words)),
    )


def _ordered(
    filters: Sequence[PartFilter],
    question: QuestionWords,
    words: Sequence[Word],
    scored: Sequence[Scores],
    places: Sequence[I64],
    complete: Sequence[I64] | None,
) -> list[PartHits]:
    """Returns the hits at some places, by part, with their points. complete: the rows with all
    words, if others have only some of them."""
    bound = bound_of(scored, places)
    texts = [(word.instead or word.text, word.occurrences) for word in words]
    in_files = shares_in_files([chosen.part for chosen in filters], texts)
    hits = [
        WordHits.of(*of_part, bound)
        for of_part in zip(filters, repeat(question), scored, places, in_files)
    ]
    asks_for_tests = _TEST in map(stem, question.words)
    if complete is None or len(words) <= TOGETHER:
        return diversified(hits, complete, asks_for_tests)
    return diversified(hits, with_tests=asks_for_tests, is_partial=True)


def _with_others(
    parts: Sequence[Part], counters: Sequence[Counter], word: Word, edits: int | None
) -> Word:
    """Adds the words near a word to its occurrences, unless it was itself replaced."""
    if word.instead:
        return word
    occurrences = with_misspelt(parts, counters, word.occurrences, word.text, edits)
    return word._replace(
        occurrences=occurrences, frequency=sum(map(count_live, parts, occurrences))
    )


def find_meant(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    text: str,
    typos: bool,
    edits: int | None = None,
) -> Word:
    """Returns where a word occurs: itself, its forms, and words that begin with it; else words that
    contain it; else words of which it may be a misspelling."""
    word = _look_for(parts, counters, text, Meaning.of(text))
    if not word.frequency and len(text) >= SHORTEST_BEGINNING:
        word = _look_for(parts, counters, text, Meaning((), text, inside=True))
    for near_words in likely_words(parts, text, edits) if typos and not word.frequency else ():
        likely = (
            _look_for(parts, counters, text, Meaning((near_word,)), near_word)
            for near_word in near_words
        )
        occurring = [
            *islice((candidate for candidate in likely if candidate.frequency), _MOST_LIKELY)
        ]
        if occurring:
            return max(occurring, key=lambda candidate: candidate.frequency)
    return word


def _look_for(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    text: str,
    meaning: Meaning,
    instead: str = "",
) -> Word:
    occurrences = [find_cached_word(counter, meaning) for counter in counters]
    return Word(text, meaning, occurrences, sum(map(count_live, parts, occurrences)), instead)


def _holding_all(chosen: PartFilter, scores: Scores, by_word: Sequence[I64]) -> I64:
    """Returns the places of the symbols that pass the filter and contain all words. by_word: where
    each word occurs."""
    fewest = min(by_word, key=len)
    return passing(chosen, fewest[scores.n_held[fewest] == len(by_word)])


def _with_definitions(filters: Sequence[PartFilter], complete: list[I64]) -> list[I64]:
    """Adds, by part, the definitions of rows that are declarations: a comment on a declaration is
    about its definition."""
    declared: set[tuple[str, str]] = set()
    for chosen, rows in zip(filters, complete, strict=True):
        index = chosen.index
        traits_of = index.columns.traits_of
        declares = np.array([bool(t >> 8 & _DECLARATION) for t in traits_of], dtype=bool)
        declaring = rows[declares[index.traits[rows]]] if len(rows) else rows
        if len(declaring):
            columns = Rows(index, declaring)
            declared.update(zip(columns.names, columns.containers, strict=True))
    results = []
    for chosen, rows in zip(filters, complete, strict=True):
        index, row_lists = chosen.index, [rows]
        for name, container in declared:
            number = index.find_name(name)
            of_name = index.rows_of_names(
                np.array([number] if number is not None else [], dtype=np.int64)
            )
            containers = index.containers.take(index.container_of(of_name).astype(np.int64))
            row_lists.append(
                of_name[[text == container for text in containers]] if len(of_name) else of_name
            )
        results.append(np.unique(np.concatenate(row_lists)))
    return results


def _holding_some(chosen: PartFilter, by_word: Sequence[I64]) -> I64:
    return passing(chosen, distinct(np.concatenate(by_word), chosen.index.n_symbols))


def passing(chosen: PartFilter, places: I64) -> I64:
    return (
        places
        if chosen.lets_all
        else places[chosen.keeps(chosen.index.row_at[places].astype(np.int64))]
    )


def _some_words(words: Sequence[Word], n_all: int) -> str:
    missing = [_quoted(word.text) for word in words if not word.frequency]
    if missing:
        return (
            f"{len(words) - len(missing)} of {len(words)} words: no symbol contains"
            f" {', '.join(missing)}"
        )
    holders = (
        "no symbol contains"
        if not n_all
        else "1 symbol contains"
        if n_all == 1
        else f"{n_all} symbols contain"
    )
    every = "both words" if len(words) == 2 else f"all {len(words)} words"
    return f"{holders} {every}; {'the others contain' if n_all else 'these contain'} some of them"


def _quoted(word: str) -> str:
    return f'"{shorten(word, _LONGEST_QUOTED)}"'


_EXACT: Final = round((BANDS[Tier.EXACT][0] - BAND_TOLERANCE) * POINTS)
"""Fewest points of a hit whose name is exactly the query."""


def fuse(by_name: Selection, by_word: Selection) -> list[PartHits]:
    """Fuses two selections of the same parts by reciprocal rank. Only the best hits of each are
    compared, and the rest follow. Exact names of the first selection stay before all other hits."""
    values: dict[int, float] = {}
    for selection in (by_name, by_word):
        for place, row in enumerate(rank(selection, FUSED).rows.tolist()):
            values[row] = values.get(row, 0.0) + reciprocal(place)
    scale = POINTS * BEST / (2 * reciprocal(0))
    return [
        _of_part(hits, of_words, values, scale)
        for hits, of_words in zip(by_name.hits, by_word.hits, strict=True)
    ]


def _of_part(
    by_name: PartHits, by_word: PartHits, values: dict[int, float], scale: float
) -> RowHits:
    (rows, points), (word_rows, _) = by_name.everything(), by_word.everything()
    every: I64 = np.union1d(rows, word_rows).astype(np.int64)
    base = by_name.chosen.part.base
    fused = np.array([values.get(base + row, 0.0) for row in every.tolist()])
    new = np.clip(np.rint(fused * scale), 1, None).astype(np.int32)
    is_exact = points >= _EXACT
    new[np.searchsorted(every, rows[is_exact])] = np.maximum(points[is_exact], round(POINTS * BEST))
    return RowHits(by_name.chosen, every, new)
