"""The order of an answer in words: from the scores of BM25F to points.

What a symbol is worth beside its words (its kind, tests and generated code last), what its file
says (other symbols of it that answer, words of the question in its name), how much its name is
used; and an answer is diverse: each further symbol of a file comes later.
"""

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from symindex.index.columns.arrays import F32, F64, I32, I64, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.integer_columns import join_ranges
from symindex.index.words.postings import first_of_each
from symindex.index.words.text_words import Field
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag
from symindex.search.answer.filters import PartFilter
from symindex.search.match.names import POINTS
from symindex.search.names.hits import PartHits, RowHits
from symindex.search.names.usage import usage
from symindex.search.words.bm25f import Scores
from symindex.search.words.occurrences import places_of_names
from symindex.search.words.weights import (
    AGAIN,
    ALL_WORDS,
    CONSIDERED,
    COVERED_NAME,
    DIVERSE,
    EVIDENCE,
    EVIDENCE_POWER,
    EXACT,
    FILE_NAME,
    FILE_NAME_ALONE,
    FLAG_PRIORS,
    FURTHER,
    KIND_PRIORS,
    MOST_OF_FILE,
    RANKED_FILES,
    SHOWN_FIRST,
    USED,
    WHOLE_IDENTIFIER,
    WHOLE_NAME,
    WHOLE_NAME_OF_OTHERS,
)
from symindex.text.words import stem

BEST: Final = 0.99
"""Points are scaled by this: 1.0 is reserved for names that are the query."""

_TYPE: Final = 0
"""KindRow.quality of types."""


class Question(msgspec.Struct, frozen=True):
    """words: those that decide, folded, in order and each once. identifiers: the words of those
    that hold several, as `parseHttp` does. names: what a name may be that is a word of the question
    or several in a row, without separators; True for those that were written as one."""

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: dict[str, bool]


class WordHits(msgspec.Struct, frozen=True):
    """The hits in one part, in the order of their places.

    rows: numbers. own: what each is worth. evidence: what its file says. files: those that have
    hits, in order. edges: where the hits of each begin, and the end of all. behind, behind_scores:
    the rows of further hits, which follow by their scores alone.
    """

    chosen: PartFilter
    rows: I64
    own: F32
    evidence: F32
    files: I64
    edges: I64
    behind: I64
    behind_scores: F32

    @classmethod
    def of(
        cls, chosen: PartFilter, question: Question, scores: Scores, places: I64, bound: float = 0.0
    ) -> "WordHits":
        """The hits at some places, in order, which pass the filter. bound: those of lower scores
        are behind."""
        index = chosen.index
        is_behind = scores.scores[places] < bound if bound else np.zeros(len(places), dtype=bool)
        behind, places = places[is_behind], places[~is_behind]
        rows = index.row_at[places].astype(np.int64)
        own = scores.scores[places] * ((1 - ALL_WORDS) + ALL_WORDS * scores.held[places])
        own *= _name_factors(index, question, scores, places, rows)
        own *= _priors(index)[index.traits[rows]]
        of_file = np.searchsorted(index.file_first, places, side="right") - 1
        first = first_of_each(of_file)
        files, edges = of_file[first], np.append(first, len(places))
        evidence = _evidence(index, question, own, files, edges)
        own[scores.exact[places]] += EXACT
        return cls(
            chosen,
            rows,
            own,
            evidence,
            files,
            edges,
            index.row_at[behind].astype(np.int64),
            scores.scores[behind],
        )

    def own_points(self) -> RowHits:
        """Each by its own worth alone."""
        return RowHits(self.chosen, self.rows, _to_points(self.own))


def _to_points(value: Numbers) -> I32:
    points: I32 = np.clip(np.rint(value / (1 + value) * (POINTS * BEST)), 1, None).astype(np.int32)
    return points


def _priors(index: Index) -> F32:
    """By number in `traits_of`: what the score is multiplied by."""
    known = index.memo.get(_PRIORS)
    if known is None:
        known = np.ones(len(index.columns.traits_of), dtype=np.float32)
        for number, traits in enumerate(index.columns.traits_of):
            known[number] = KIND_PRIORS[KINDS[KIND_OF_CODE[traits & 255]].quality]
            known[number] *= math.prod(
                factor for flags, factor in FLAG_PRIORS if traits >> 8 & flags.value
            )
        index.memo[_PRIORS] = known
    return known


_PRIORS: Final = ("words", "priors")


def _name_factors(index: Index, question: Question, scores: Scores, places: I64, rows: I64) -> F32:
    factors = np.ones(len(places), dtype=np.float32)
    named = np.flatnonzero(scores.n_in_name[places])
    if len(named):
        n_words = np.maximum(index.words.counts[index.name_of(rows[named])], 1)
        factors[named] += np.float32(COVERED_NAME) * np.minimum(
            scores.n_in_name[places[named]] / n_words, 1
        ).astype(np.float32)
    for as_one in (False, True):
        names = {
            number
            for name, written in question.names.items()
            if written == as_one
            for number in index.names_squashed(name)
        }
        if names:
            is_whole = np.zeros(index.n_symbols, dtype=bool)
            is_whole[places_of_names(index, np.array(sorted(names), dtype=np.int64))[0]] = True
            whole = np.flatnonzero(is_whole[places])
            is_type = _qualities(index)[index.traits[rows[whole]]] == _TYPE
            others = WHOLE_IDENTIFIER if as_one else WHOLE_NAME_OF_OTHERS
            # A name that is one small word of many is none of what was asked for.
            factors[whole] *= (
                1
                + np.where(is_type, np.float32(WHOLE_NAME), np.float32(others))
                * scores.held[places[whole]]
            )
    return factors


def _qualities(index: Index) -> I64:
    return np.array(
        [KINDS[KIND_OF_CODE[traits & 255]].quality for traits in index.columns.traits_of],
        dtype=np.int64,
    )


def _evidence(index: Index, question: Question, own: F32, files: I64, edges: I64) -> F32:
    """For each hit, what its file says."""
    if not len(files):
        return np.zeros(0, dtype=np.float32)
    sums = np.add.reduceat(own.astype(np.float64) ** EVIDENCE_POWER, edges[:-1])
    named = _named(index, question)[files]
    evidence = sums ** (1 / EVIDENCE_POWER) * (1 + FILE_NAME * named) + FILE_NAME_ALONE * named
    return np.repeat((EVIDENCE * evidence).astype(np.float32), np.diff(edges))


def _named(index: Index, question: Question) -> F64:
    """By file: how much its name and the question have in common, 0 to 1."""
    words = index.text_words
    lengths = _base_lengths(index)
    named = np.zeros(index.n_files)
    asked = dict.fromkeys((*question.words, *question.identifiers))
    for word in asked:
        root = stem(word)
        numbers = {*words.stemming_to(root)}
        if len(root) >= 3:
            numbers.update(words.beginning_with(root))
            numbers.update(
                number
                for end in range(3, len(word))
                if (number := words.find(word[:end])) is not None
            )
        named[words.marked(np.array(sorted(numbers), dtype=np.int64), Field.BASE)] += 1
    return np.minimum(named / lengths, 1) / 2 + named / (2 * max(len(asked), 1))


def _base_lengths(index: Index) -> I64:
    """By file: how many words its name has, without the ending."""
    known = index.memo.get(_BASE_LENGTHS)
    if known is None:
        held = index.text_words.all_in(Field.BASE)[1]
        known = index.memo[_BASE_LENGTHS] = np.maximum(
            np.bincount(held, minlength=index.n_files) - 1, 1
        )
    return known


_BASE_LENGTHS: Final = ("words", "base lengths")


def _are_copies(index: Index) -> Mask:
    """By number in `traits_of`: whether it is a test or a copy."""
    copies = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value
    return np.array([bool(traits >> 8 & copies) for traits in index.columns.traits_of], dtype=bool)


def diversified(
    hits: Sequence[WordHits], whole: Sequence[I64] | None = None, with_tests: bool = False
) -> list[PartHits]:
    """The hits with their points. The best rows of the best files come first, and among these
    counts how much names are used; the others follow in their order. whole: by part, the rows that
    hold all words; they come before all others, but for tests and copies, which never bury what
    they are of. `None` where all rows do: then tests and copies come last. with_tests: the question
    asks for tests, which are as good as others then."""
    heads = _heads(hits)
    points = heads.points
    last = int(points.min()) if len(points) else 0
    final: list[PartHits] = []
    for number, of_part in enumerate(hits):
        of_rest = _to_points(of_part.own + of_part.evidence).astype(np.float64) / POINTS * last
        new = np.maximum(of_rest, 1).astype(np.int32)
        new[heads.hit[heads.part == number]] = points[heads.part == number]
        behind = np.clip(of_part.behind_scores * _BEHIND, 1, None).astype(np.int32)
        rows = np.concatenate((of_part.rows, of_part.behind))
        every = np.concatenate((np.maximum(new, _BEHIND + 1), behind))
        index = of_part.chosen.index
        is_lifted = ~_are_copies(index)[index.traits[rows]] | with_tests
        if whole is not None:
            is_lifted &= np.isin(rows, whole[number])
        every = np.maximum(every // 2, 1) + np.where(is_lifted, np.int32(POINTS // 2), np.int32(0))
        final.append(RowHits(of_part.chosen, rows, every))
    return final


_BEHIND: Final = 100
"""The most points of hits that are behind."""


def bound_of(scored: Sequence[Scores], places: Sequence[I64]) -> float:
    """The score below which hits are behind."""
    every = np.concatenate([scores.scores[at] for scores, at in zip(scored, places, strict=True)])
    if len(every) <= CONSIDERED:
        return 0.0
    bound = np.partition(every, len(every) - CONSIDERED)[len(every) - CONSIDERED]
    if np.count_nonzero(every >= bound) > 2 * CONSIDERED and (above := every[every > bound]).size:
        bound = above.min()
    return float(bound)


class _Heads(msgspec.Struct, frozen=True):
    """The best rows of some files. part, hit: the number of the part, and of the hit in it. points:
    what it is worth."""

    part: I64
    hit: I64
    points: I32


def _heads(hits: Sequence[WordHits]) -> _Heads:
    found = [
        _heads_of_part(number, of_part, files)
        for number, (of_part, files) in enumerate(zip(hits, _best_files(hits), strict=True))
    ]
    part, hit, file, own, evidence = (np.concatenate(column) for column in zip(*found, strict=True))
    names = [""] * len(part)
    numbers: list[dict[str, int]] = []
    for number, of_part in enumerate(hits):
        here = np.flatnonzero(part == number)
        index = of_part.chosen.index
        of_names = index.name_of(of_part.rows[hit[here]])
        texts = index.names.take(of_names)
        numbers.append(dict(zip(texts, of_names.tolist(), strict=True)))
        for place, name in zip(here.tolist(), texts, strict=True):
            names[place] = name
    distinct = list(dict.fromkeys(names))
    used = dict(
        zip(
            distinct,
            usage([of_part.chosen.part for of_part in hits], distinct, numbers).tolist(),
            strict=True,
        )
    )
    value = own * (1 + USED * np.array([used[name] for name in names])) + evidence
    order = np.lexsort((-value, file, part))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (part[order][1:] != part[order][:-1]) | (file[order][1:] != file[order][:-1])
    starts = np.flatnonzero(is_first)
    nth = np.empty(len(order), dtype=np.int64)
    nth[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return _Heads(part, hit, _head_points(value, nth))


def _head_points(value: F64, nth: I64) -> I32:
    """Points of rows by what they are worth. nth: how many better rows their files have. The first
    rows are of many files, and behind them come further rows of these."""
    diverse = value * np.where(nth, AGAIN, 1.0)
    diverse[nth >= SHOWN_FIRST] = 0
    points = _to_points(diverse)
    if len(value) > DIVERSE:
        least = np.partition(points, len(points) - DIVERSE)[len(points) - DIVERSE]
        later = points < least
        further = _to_points(value[later] * FURTHER ** nth[later]).astype(np.float64)
        points[later] = np.maximum(further / POINTS * int(least), 1)
    return points


def _best_files(hits: Sequence[WordHits]) -> list[I64]:
    """By part: which of the files with hits have the best."""
    found = []
    for number, of_part in enumerate(hits):
        files, value = of_part.files, of_part.own + of_part.evidence
        best = (
            np.maximum.reduceat(value, of_part.edges[:-1])
            if len(files)
            else np.zeros(0, np.float32)
        )
        found.append(
            (
                np.full(len(files), number),
                np.arange(len(files)),
                best,
                of_part.chosen.part.file_order[files],
            )
        )
    part, which, best, places = (np.concatenate(column) for column in zip(*found, strict=True))
    chosen = np.lexsort((places, -best))[:RANKED_FILES]
    return [np.sort(which[chosen[part[chosen] == number]]) for number in range(len(hits))]


def _heads_of_part(number: int, hits: WordHits, files: I64) -> tuple[I64, I64, I64, F32, F32]:
    """The first rows of some files: part, hit, file, own worth, evidence."""
    counts = hits.edges[files + 1] - hits.edges[files]
    hit, file = join_ranges(hits.edges[files], counts), np.repeat(files, counts)
    order = np.lexsort((-hits.own[hit], file))
    taken = np.sort(
        order[join_ranges(np.cumsum(counts) - counts, np.minimum(counts, MOST_OF_FILE))]
    )
    hit = hit[taken]
    return np.full(len(hit), number), hit, file[taken], hits.own[hit], hits.evidence[hit]
