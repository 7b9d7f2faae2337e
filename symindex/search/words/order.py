"""Ranks the hits of a query in words: turns scores of BM25F into points.

The score of each row is adjusted in these passes.

1. Own score: times the share of the question that the row contains, the share of its name that the
  question covers, and priors of its kind and flags, which put tests and generated code last.
2. Evidence: the other rows of its file that match, words of the question in the file's name, and
  words anywhere in the file add to it.
3. Head: for the best rows of the best files, adds how often the name is used by other files.
4. Diversity: of the first ten rows at most two are of one file; further rows of that file follow.
5. Tail: the other rows keep their order after the head, and rows below a bound come last.
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
    IN_FILE,
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
"""Best score before an exact match, to which points are scaled: 1.0 is reserved for names that are
the query."""

_TYPE: Final = 0
"""The value of KindRow.quality for types."""


class QuestionWords(msgspec.Struct, frozen=True):
    """The words of a question.

    words: those that decide, folded, in order and each once. identifiers: the words of those texts
    that have several, such as `parseHttp`. names: what a name that is one to three consecutive
    words of the question may be, without separators; True if they were written as one. whole: all
    of its words as one name.
    """

    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    names: dict[str, bool]
    whole: str


class WordHits(msgspec.Struct, frozen=True):
    """The hits in one part, in the order of their places.

    rows: their numbers. own: the own score of each. evidence: what the file of each adds. files:
    the files with hits, in order. edges: where the hits of each file begin, and the end of all.
    behind, behind_scores: the rows below the bound, which follow by their scores alone.
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
        cls,
        chosen: PartFilter,
        question: QuestionWords,
        scores: Scores,
        places: I64,
        in_file: F64 | None = None,
        bound: float = 0.0,
    ) -> "WordHits":
        """Returns the hits at some places, which are in order and pass the filter. in_file: by
        file, the share of the question that is anywhere in it. bound: hits with lower scores go to
        `behind`."""
        index = chosen.index
        is_behind = scores.scores[places] < bound if bound else np.zeros(len(places), dtype=bool)
        distant, places = places[is_behind], places[~is_behind]
        rows = index.row_at[places].astype(np.int64)
        own_scores = scores.scores[places] * ((1 - ALL_WORDS) + ALL_WORDS * scores.held[places])
        own_scores *= _name_factors(index, question, scores, places, rows)
        own_scores *= _priors(index)[index.traits[rows]]
        of_file = np.searchsorted(index.file_first, places, side="right") - 1
        first = first_of_each(of_file)
        files, edges = of_file[first], np.append(first, len(places))
        evidence = _evidence(index, question, own_scores, files, edges)
        if in_file is not None:
            evidence += np.repeat((IN_FILE * in_file[files]).astype(np.float32), np.diff(edges))
        own_scores[scores.exact[places]] += EXACT
        return cls(
            chosen,
            rows,
            own_scores,
            evidence,
            files,
            edges,
            index.row_at[distant].astype(np.int64),
            scores.scores[distant],
        )

    def own_points(self) -> RowHits:
        """Returns hits whose points depend only on their own score."""
        return RowHits(self.chosen, self.rows, _to_points(self.own))


def _to_points(value: Numbers) -> I32:
    points: I32 = np.clip(np.rint(value / (1 + value) * (POINTS * BEST)), 1, None).astype(np.int32)
    return points


def _priors(index: Index) -> F32:
    """Returns the factor of the score, by number in `traits_of`."""
    cached = index.memo.get(_PRIORS)
    if cached is None:
        cached = np.ones(len(index.columns.traits_of), dtype=np.float32)
        for number, traits in enumerate(index.columns.traits_of):
            cached[number] = KIND_PRIORS[KINDS[KIND_OF_CODE[traits & 255]].quality]
            cached[number] *= math.prod(
                factor for flags, factor in FLAG_PRIORS if traits >> 8 & flags.value
            )
        index.memo[_PRIORS] = cached
    return cached


_PRIORS: Final = ("words", "priors")


def _name_factors(
    index: Index, question: QuestionWords, scores: Scores, places: I64, rows: I64
) -> F32:
    factors = np.ones(len(places), dtype=np.float32)
    with_words_in_name = np.flatnonzero(scores.n_in_name[places])
    if len(with_words_in_name):
        n_words = np.maximum(index.words.counts[index.name_of(rows[with_words_in_name])], 1)
        factors[with_words_in_name] += np.float32(COVERED_NAME) * np.minimum(
            scores.n_in_name[places[with_words_in_name]] / n_words, 1
        ).astype(np.float32)
    for as_one in (False, True):
        written = [name for name, is_one in question.names.items() if is_one == as_one]
        if written and len(names := index.any_squashed(written)):
            is_whole = np.zeros(index.n_symbols, dtype=bool)
            is_whole[places_of_names(index, names)[0]] = True
            named_so = np.flatnonzero(is_whole[places])
            is_type = _qualities(index)[index.traits[rows[named_so]]] == _TYPE
            bonus = WHOLE_IDENTIFIER if as_one else WHOLE_NAME_OF_OTHERS
            # A name that is one minor word of many is not what the question is about.
            factors[named_so] *= (
                1
                + np.where(is_type, np.float32(WHOLE_NAME), np.float32(bonus))
                * scores.held[places[named_so]]
            )
    return factors


def _qualities(index: Index) -> I64:
    return np.array(
        [KINDS[KIND_OF_CODE[traits & 255]].quality for traits in index.columns.traits_of],
        dtype=np.int64,
    )


def _evidence(
    index: Index, question: QuestionWords, own_scores: F32, files: I64, edges: I64
) -> F32:
    """Returns, for each hit, what its file adds."""
    if not len(files):
        return np.zeros(0, dtype=np.float32)
    sums = np.add.reduceat(own_scores.astype(np.float64) ** EVIDENCE_POWER, edges[:-1])
    file_named = _file_name_shares(index, question)[files]
    evidence = (
        sums ** (1 / EVIDENCE_POWER) * (1 + FILE_NAME * file_named) + FILE_NAME_ALONE * file_named
    )
    return np.repeat((EVIDENCE * evidence).astype(np.float32), np.diff(edges))


def _file_name_shares(index: Index, question: QuestionWords) -> F64:
    """Returns, by file, how much its name and the question have in common, from 0 to 1."""
    words = index.text_words
    lengths = _base_lengths(index)
    n_named = np.zeros(index.n_files)
    question_words = dict.fromkeys((*question.words, *question.identifiers))
    for word in question_words:
        root = stem(word)
        numbers = {*words.stemming_to(root)}
        if len(root) >= 3:
            numbers.update(words.beginning_with(root))
            numbers.update(
                number
                for end in range(3, len(word))
                if (number := words.find(word[:end])) is not None
            )
        n_named[words.marked(np.array(sorted(numbers), dtype=np.int64), Field.BASE)] += 1
    return np.minimum(n_named / lengths, 1) / 2 + n_named / (2 * max(len(question_words), 1))


def _base_lengths(index: Index) -> I64:
    """Returns, by file, the number of words in its name, without the extension."""
    cached = index.memo.get(_BASE_LENGTHS)
    if cached is None:
        listed = index.text_words.all_in(Field.BASE)[1]
        cached = index.memo[_BASE_LENGTHS] = np.maximum(
            np.bincount(listed, minlength=index.n_files) - 1, 1
        )
    return cached


_BASE_LENGTHS: Final = ("words", "base lengths")


def _are_copies(index: Index) -> Mask:
    """Returns, by number in `traits_of`, whether it is a test or a copy."""
    copies = (SymbolFlag.TEST | SymbolFlag.GENERATED | SymbolFlag.VENDORED).value
    return np.array([bool(traits >> 8 & copies) for traits in index.columns.traits_of], dtype=bool)


def diversified(
    hits: Sequence[WordHits],
    whole: Sequence[I64] | None = None,
    with_tests: bool = False,
    is_partial: bool = False,
) -> list[PartHits]:
    """Returns the hits with their points. The best rows of the best files come first, adjusted by
    how often their names are used; the others follow in their order.

    whole: by part, the rows that contain all words. They come before all others, except tests and
    copies, which never precede what they belong to. `None` if they do not: then tests and
    copies come last. with_tests: the question asks for tests, which then rank like other rows.
    is_partial: some rows contain only some of the words, so that none gets more than half the
    points.
    """
    heads = _heads(hits)
    points = heads.points
    last = int(points.min()) if len(points) else 0
    final: list[PartHits] = []
    for number, of_part in enumerate(hits):
        of_rest = _to_points(of_part.own + of_part.evidence).astype(np.float64) / POINTS * last
        new = np.maximum(of_rest, 1).astype(np.int32)
        new[heads.hit[heads.part == number]] = points[heads.part == number]
        distant_points = np.clip(of_part.behind_scores * _BEHIND, 1, None).astype(np.int32)
        rows = np.concatenate((of_part.rows, of_part.behind))
        every = np.concatenate((np.maximum(new, _BEHIND + 1), distant_points))
        index = of_part.chosen.index
        is_lifted = ~_are_copies(index)[index.traits[rows]] | with_tests
        if whole is not None:
            is_lifted &= np.isin(rows, whole[number])
        bands = 4 if is_partial else 2
        lift = np.where(is_lifted, np.int32(POINTS // bands), np.int32(0))
        every = np.maximum(every // bands, 1) + lift
        final.append(RowHits(of_part.chosen, rows, every))
    return final


_BEHIND: Final = 100
"""Most points of hits below the bound."""


def bound_of(scored: Sequence[Scores], places: Sequence[I64]) -> float:
    """Returns the score below which hits follow by their scores alone."""
    every = np.concatenate(
        [scores.scores[of_part] for scores, of_part in zip(scored, places, strict=True)]
    )
    if len(every) <= CONSIDERED:
        return 0.0
    bound = np.partition(every, len(every) - CONSIDERED)[len(every) - CONSIDERED]
    if np.count_nonzero(every >= bound) > 2 * CONSIDERED and (above := every[every > bound]).size:
        bound = above.min()
    return float(bound)


class _Heads(msgspec.Struct, frozen=True):
    """The best rows of some files, as columns. part: the number of the part. hit: the number of the
    hit in it. points: what the row is worth."""

    part: I64
    hit: I64
    points: I32


def _heads(hits: Sequence[WordHits]) -> _Heads:
    columns = [
        _heads_of_part(number, of_part, files)
        for number, (of_part, files) in enumerate(zip(hits, _best_files(hits), strict=True))
    ]
    part, hit, file, own_scores, evidence = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    names = [""] * len(part)
    numbers: list[dict[str, int]] = []
    for number, of_part in enumerate(hits):
        in_part = np.flatnonzero(part == number)
        index = of_part.chosen.index
        of_names = index.name_of(of_part.rows[hit[in_part]])
        texts = index.names.take(of_names)
        numbers.append(dict(zip(texts, of_names.tolist(), strict=True)))
        for place, name in zip(in_part.tolist(), texts, strict=True):
            names[place] = name
    distinct = list(dict.fromkeys(names))
    used = dict(
        zip(
            distinct,
            usage([of_part.chosen.part for of_part in hits], distinct, numbers).tolist(),
            strict=True,
        )
    )
    value = own_scores * (1 + USED * np.array([used[name] for name in names])) + evidence
    order = np.lexsort((-value, file, part))
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (part[order][1:] != part[order][:-1]) | (file[order][1:] != file[order][:-1])
    starts = np.flatnonzero(is_first)
    nth = np.empty(len(order), dtype=np.int64)
    nth[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return _Heads(part, hit, _head_points(value, nth))


def _head_points(value: F64, nth: I64) -> I32:
    """Returns the points of rows from what they are worth. nth: how many better rows the row's file
    has.

    The first rows come from many files, and further rows of these files follow.
    """
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
    """Returns, by part, which of its files with hits are among the best."""
    columns = []
    for number, of_part in enumerate(hits):
        files, value = of_part.files, of_part.own + of_part.evidence
        best = (
            np.maximum.reduceat(value, of_part.edges[:-1])
            if len(files)
            else np.zeros(0, np.float32)
        )
        columns.append(
            (
                np.full(len(files), number),
                np.arange(len(files)),
                best,
                of_part.chosen.part.file_order[files],
            )
        )
    part, file_number, best, places = (
        np.concatenate(column) for column in zip(*columns, strict=True)
    )
    chosen = np.lexsort((places, -best))[:RANKED_FILES]
    return [np.sort(file_number[chosen[part[chosen] == number]]) for number in range(len(hits))]


def _heads_of_part(number: int, hits: WordHits, files: I64) -> tuple[I64, I64, I64, F32, F32]:
    """Returns the first rows of some files as columns: part, hit, file, own score, evidence."""
    counts = hits.edges[files + 1] - hits.edges[files]
    hit, file = join_ranges(hits.edges[files], counts), np.repeat(files, counts)
    order = np.lexsort((-hits.own[hit], file))
    best = np.sort(order[join_ranges(np.cumsum(counts) - counts, np.minimum(counts, MOST_OF_FILE))])
    hit = hit[best]
    return np.full(len(hit), number), hit, file[best], hits.own[hit], hits.evidence[hit]
