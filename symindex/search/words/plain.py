"""Plain words: rows that hold all of them; where these are few, rows that hold some, and the answer
says so."""

from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import I64
from symindex.index.columns.integer_columns import distinct
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag
from symindex.search.answer.filters import PartFilter
from symindex.search.match.names import BAND_TOLERANCE, BANDS, POINTS, Tier
from symindex.search.names.hits import PartHits, RowHits, Selection
from symindex.search.names.rank import rank
from symindex.search.names.weakness import by_words
from symindex.search.words.bm25f import Scores, count_live, mean_lengths, score_words
from symindex.search.words.kept import find_kept_word
from symindex.search.words.meaning import Meaning
from symindex.search.words.misspelt import likely_words
from symindex.search.words.occurrences import Counter, Occurrences, places_of_names
from symindex.search.words.order import BEST, Question, WordHits, bound_of, diversified
from symindex.search.words.terms import with_misspelt
from symindex.search.words.weights import (
    FEW,
    FUSED,
    ONE_LETTER,
    SHORTEST_BEGINNING,
    reciprocal,
)
from symindex.text.escaping import shorten
from symindex.text.words import STOP_WORDS, deciding, stem, words_of

_TEST: Final = "test"
"""The stem of a word that asks for tests."""

_MOST_LIKELY: Final = 100
"""So many words of one distance, of those that symbols hold, are compared by how many do."""

_LONGEST_TOLD: Final = 40
"""The most characters of a word that are repeated."""


def question_of(texts: Sequence[str]) -> Question:
    """What the words of a query ask for. Common English words decide only where there are no
    others."""
    divided = [words_of(text) for text in texts]
    words = [word for some in divided for word in some]
    runs = [
        "".join(words[at : at + length])
        for length in (1, 2, 3)
        for at in range(len(words) - length + 1)
    ]
    names = dict.fromkeys(sorted({*runs} - STOP_WORDS), False)
    identifiers = [some for some in divided if len(some) > 1]
    names |= dict.fromkeys(map("".join, identifiers), True)
    return Question(
        tuple(dict.fromkeys(deciding(words))),
        tuple(word for some in identifiers for word in some),
        names,
    )


class Word(NamedTuple):
    """A word of the question. meaning: what counts as it. found: where that stands, part by part.
    frequency: in how many symbols. instead: the word that was taken for it, where it stands
    nowhere."""

    text: str
    meaning: Meaning
    found: list[Occurrences]
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
    """The hits of a query of plain words. typos: whether words that stand nowhere may be misspelt.
    some: whether rows that hold only some of the words will do where few hold all. edits: at most
    so many in a word. forced: any word may be misspelt."""
    question = question_of(texts)
    parts = [chosen.part for chosen in filters]
    lengths = mean_lengths(parts)
    counters = [Counter(part.index, lengths) for part in parts]
    words = [find_meant(parts, counters, word, typos, edits) for word in question.words]
    if forced:
        words = [_with_others(parts, counters, word, edits) for word in words]
    scored = score_words(
        parts,
        [word.found for word in words],
        [ONE_LETTER if len(word.text) == 1 else 1.0 for word in words],
    )
    for chosen, scores in zip(filters, scored, strict=True):
        names = chosen.index.names_squashed(
            "".join(word for text in texts for word in words_of(text))
        )
        scores.exact[places_of_names(chosen.index, np.array(names, dtype=np.int64))[0]] = True
    found = [[word.found[number].places for word in words] for number in range(len(parts))]
    places = [_holding_all(*each) for each in zip(filters, scored, found, strict=True)]
    notices = [
        f"no symbol holds {_told(word.text)}: {_told(word.instead)} was searched for"
        for word in words
        if word.instead
    ]
    n_all = sum(map(len, places))
    whole = None
    if some and n_all < FEW and len(words) > 1:
        whole = _with_definitions(
            filters,
            [
                chosen.index.row_at[at].astype(np.int64)
                for chosen, at in zip(filters, places, strict=True)
            ],
        )
        places = [_holding_some(*each) for each in zip(filters, found, strict=True)]
        if sum(map(len, places)) > n_all:
            notices.append(_some_words(words, n_all))
    bound = bound_of(scored, places)
    hits = [
        WordHits.of(chosen, question, scores, at, bound)
        for chosen, scores, at in zip(filters, scored, places, strict=True)
    ]
    weakness = by_words(whole, any(word.instead for word in words))
    return Selection(
        diversified(hits, whole, _TEST in map(stem, question.words)),
        notices=tuple(notices),
        weakness=weakness,
    )


def _with_others(
    parts: Sequence[Part], counters: Sequence[Counter], word: Word, edits: int | None
) -> Word:
    """A word and those near to it, unless it is one of these already."""
    if word.instead:
        return word
    found = with_misspelt(parts, counters, word.found, word.text, edits)
    return word._replace(found=found, frequency=sum(map(count_live, parts, found)))


def find_meant(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    text: str,
    typos: bool,
    edits: int | None = None,
) -> Word:
    """Where a word stands: itself, its forms, and words that begin with it; else words that hold
    it; else what it may be a misspelling of."""
    word = _look_for(parts, counters, text, Meaning.of(text))
    if not word.frequency and len(text) >= SHORTEST_BEGINNING:
        word = _look_for(parts, counters, text, Meaning((), text, inside=True))
    for others in likely_words(parts, text, edits) if typos and not word.frequency else ():
        likely = (_look_for(parts, counters, text, Meaning((other,)), other) for other in others)
        held = [*islice((each for each in likely if each.frequency), _MOST_LIKELY)]
        if held:
            return max(held, key=lambda each: each.frequency)
    return word


def _look_for(
    parts: Sequence[Part],
    counters: Sequence[Counter],
    text: str,
    meaning: Meaning,
    instead: str = "",
) -> Word:
    found = [find_kept_word(counter, meaning) for counter in counters]
    return Word(text, meaning, found, sum(map(count_live, parts, found)), instead)


def _holding_all(chosen: PartFilter, scores: Scores, found: Sequence[I64]) -> I64:
    """The places of the symbols that pass the filter and hold all words. found: by word, where it
    stands."""
    fewest = min(found, key=len)
    return passing(chosen, fewest[scores.n_held[fewest] == len(found)])


def _with_definitions(filters: Sequence[PartFilter], whole: list[I64]) -> list[I64]:
    """By part, rows and the definitions of what these only declare: what is said at a declaration
    is said of its definition."""
    declared: set[tuple[str, str]] = set()
    for chosen, rows in zip(filters, whole, strict=True):
        index = chosen.index
        declares = (
            rows[[bool(index.flags_of(row) & SymbolFlag.DECLARATION) for row in rows.tolist()]]
            if len(rows)
            else rows
        )
        names = index.names.take(index.name_of(declares))
        declared.update(
            zip(
                names,
                index.containers.take(index.container_of(declares).astype(np.int64)),
                strict=True,
            )
        )
    found = []
    for chosen, rows in zip(filters, whole, strict=True):
        index, some = chosen.index, [rows]
        for name, container in declared:
            number = index.find_name(name)
            of_name = index.rows_of_names(
                np.array([number] if number is not None else [], dtype=np.int64)
            )
            containers = index.containers.take(index.container_of(of_name).astype(np.int64))
            some.append(
                of_name[[each == container for each in containers]] if len(of_name) else of_name
            )
        found.append(np.unique(np.concatenate(some)))
    return found


def _holding_some(chosen: PartFilter, found: Sequence[I64]) -> I64:
    return passing(chosen, distinct(np.concatenate(found), chosen.index.n_symbols))


def passing(chosen: PartFilter, places: I64) -> I64:
    return (
        places
        if chosen.lets_all
        else places[chosen.keeps(chosen.index.row_at[places].astype(np.int64))]
    )


def _some_words(words: Sequence[Word], n_all: int) -> str:
    missing = [_told(word.text) for word in words if not word.frequency]
    if missing:
        return (
            f"{len(words) - len(missing)} of {len(words)} words: no symbol holds"
            f" {', '.join(missing)}"
        )
    held = (
        "no symbol holds"
        if not n_all
        else "1 symbol holds"
        if n_all == 1
        else f"{n_all} symbols hold"
    )
    every = "both words" if len(words) == 2 else f"all {len(words)} words"
    return f"{held} {every}; {'the others hold' if n_all else 'these hold'} some of them"


def _told(word: str) -> str:
    return f'"{shorten(word, _LONGEST_TOLD)}"'


_EXACT: Final = round((BANDS[Tier.EXACT][0] - BAND_TOLERANCE) * POINTS)
"""From these points on, a hit has the very name."""


def fuse(one: Selection, other: Selection) -> list[PartHits]:
    """The hits of both selections, of the same parts. Only the best of each are compared, and the
    rest follow. In the first selection, what has the very name that was asked for stays before all
    others."""
    values: dict[int, float] = {}
    for selection in (one, other):
        for place, row in enumerate(rank(selection, FUSED).rows.tolist()):
            values[row] = values.get(row, 0.0) + reciprocal(place)
    scale = POINTS * BEST / (2 * reciprocal(0))
    return [
        _of_part(hits, more, values, scale) for hits, more in zip(one.hits, other.hits, strict=True)
    ]


def _of_part(one: PartHits, other: PartHits, values: dict[int, float], scale: float) -> RowHits:
    (rows, points), (more, _) = one.everything(), other.everything()
    every: I64 = np.union1d(rows, more).astype(np.int64)
    base = one.chosen.part.base
    fused = np.array([values.get(base + row, 0.0) for row in every.tolist()])
    new = np.clip(np.rint(fused * scale), 1, None).astype(np.int32)
    is_exact = points >= _EXACT
    new[np.searchsorted(every, rows[is_exact])] = np.maximum(points[is_exact], round(POINTS * BEST))
    return RowHits(one.chosen, every, new)
