"""Matches, shares and ranks of chunks against slow computations by the documented formulas."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.protocol.recall import TextHit
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunks import matchers as matchers_module
from symindex.recall.chunks import rank as rank_module
from symindex.recall.chunks.fusion import (
    Candidate,
    candidates_of,
    coverage,
    merge,
    recency,
)
from symindex.recall.chunks.matchers import Matches, Segment, match, shares_covered
from symindex.recall.chunks.question import Question, read_question, without_words_of_time
from symindex.recall.chunks.rank import NEAR, PHRASE, TITLED, ChunkText, nearness, rank
from symindex.recall.chunks.symbol_lookup import NameHit, words_in_symbols
from symindex.text.word_tables import synonyms_of
from symindex.text.words import divide, stem, tokens_of

Texts = Sequence[tuple[str, str]]

VOCABULARY = [
    "cache",
    "caching",
    "cached",
    "limit",
    "limits",
    "rate_limit",
    "rateLimit",
    "limiter",
    "error",
    "delete",
    "remove",
    "io",
    "E12",
]
TEXT = st.lists(st.sampled_from(VOCABULARY), max_size=6).map(" ".join)
TEXTS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5)
QUESTION = st.lists(
    st.sampled_from([*VOCABULARY, "limi", "ach", "err"]), min_size=1, max_size=3, unique=True
).map(" ".join)


def segment(texts: Texts, live: Sequence[bool] | None = None) -> Segment:
    chunks = (Chunk(number, *pair) for number, pair in enumerate(texts, 1))
    mask = None if live is None else np.array(live, dtype=bool)
    return Segment(open_chunks(build_chunks(chunks)), mask)


def words_in(text: str) -> list[str]:
    words: list[str] = []
    for token in map(divide, tokens_of(text)):
        words += dict.fromkeys((*filter(None, [token.whole]), *token.words))
    return words


def scored(
    texts: Texts, weights: dict[str, float], live: Sequence[bool], rare_as: set[str] | None = None
) -> tuple[list[float], float]:
    """BM25 of some words together, with a k1 of 0.9 and a b of 0.6, and for titles a weight of 5 and a b of
    0.3. The rarity is that of the words `rare_as`."""
    mean_title = max(sum(len(tokens_of(title)) for title, _ in texts) / max(len(texts), 1), 1)
    mean_text = max(sum(len(tokens_of(text)) for _, text in texts) / max(len(texts), 1), 1)
    counts = []
    for title, text in texts:
        norm_title = 0.7 + 0.3 * len(tokens_of(title)) / mean_title
        norm_text = 0.4 + 0.6 * len(tokens_of(text)) / mean_text
        counts.append(
            sum(
                weight * (5 * words_in(title).count(word) / norm_title + words_in(text).count(word) / norm_text)
                for word, weight in weights.items()
            )
        )  # fmt: skip
    holding = [
        count > 0 if rare_as is None else not rare_as.isdisjoint(words_in(f"{title} {text}"))
        for count, (title, text) in zip(counts, texts, strict=True)
    ]
    n_live, n_with = sum(live), sum(map(bool.__and__, holding, live))
    rarity = math.log(1 + (n_live - n_with + 0.5) / (n_with + 0.5))
    return [rarity * count * 1.9 / (count + 0.9) for count in counts], rarity


def expected_matches(
    texts: Texts, question: Question, with_parts: bool, live: Sequence[bool]
) -> tuple[list[float], list[float], list[int], dict[str, float]]:
    """The scores by stem and by part, the exact identifiers, and the rarity of each word."""
    vocabulary = sorted({word for pair in texts for text in pair for word in words_in(text)})
    by_stem, by_part = [0.0] * len(texts), [0.0] * len(texts)
    rarities: dict[str, float] = {}
    for word in question.words:
        own = [other for other in vocabulary if stem(other) == stem(word) and (other.isalpha() or other == stem(word))]  # fmt: skip
        synonyms = [
            other for synonym in synonyms_of(stem(word)) for other in vocabulary
            if stem(other) == synonym and other.isalpha()
        ] if with_parts else []  # fmt: skip
        if len(word) < 3:
            parts = {word: 1.0} if word in vocabulary else {}
        else:
            parts = {
                other: len(word) / len(other)
                for other in vocabulary
                if word in other and other.isalpha()
            }
        weights = {**dict.fromkeys(synonyms, 0.5), **dict.fromkeys(own, 1.0)}
        scores, rarity = scored(texts, weights, live, {*own} if own else None)
        by_stem = [*map(sum, zip(by_stem, scores, strict=True))]
        of_parts = rarity
        if with_parts:
            scores, of_parts = scored(texts, parts, live)
            by_part = [*map(sum, zip(by_part, scores, strict=True))]
        rarities[word] = rarity if weights else of_parts
    exact = [0] * len(texts)
    for identifier in question.identifiers:
        scores, _ = scored(texts, {identifier: 1.0}, live)
        by_stem = [*map(sum, zip(by_stem, scores, strict=True))]
        exact = [
            n + (identifier in words_in(f"{title} {text}"))
            for n, (title, text) in zip(exact, texts, strict=True)
        ]
    for column in (by_stem, by_part, exact):
        column[:] = [value if is_live else 0 for value, is_live in zip(column, live, strict=True)]  # type: ignore[misc]
    return by_stem, by_part, exact, rarities


@pytest.mark.nightly
@settings(max_examples=30, deadline=None)
@given(TEXTS, QUESTION, st.booleans(), st.integers(0, 5), st.data())
def test_matches_are_those_of_the_formula(
    texts: Texts, query: str, with_parts: bool, divided: int, data: st.DataObject
) -> None:
    live = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    question = read_question(query)
    segments = [segment(texts[:divided], live[:divided]), segment(texts[divided:], live[divided:])]
    # Words that occur nowhere are corrected, which other tests look at.
    matches = match(segments, question, with_parts, known={*question.words})
    if matches.instead:
        return
    by_stem, by_part, exact, rarities = expected_matches(texts, question, with_parts, live)
    assert np.concatenate(matches.by_stem).tolist() == pytest.approx(by_stem)
    assert np.concatenate(matches.by_part).tolist() == pytest.approx(by_part)
    assert np.concatenate(matches.exact).tolist() == exact
    assert matches.rarity == pytest.approx(rarities)
    whole = match([segment(texts, live)], question, with_parts, known={*question.words})
    assert np.concatenate(matches.by_stem).tolist() == pytest.approx(whole.by_stem[0].tolist())


@settings(max_examples=30, deadline=None)
@given(TEXTS, QUESTION, st.lists(st.integers(0, 2), min_size=5, max_size=5))
def test_the_share_that_a_chunk_covers_is_that_of_its_words(
    texts: Texts, query: str, grouped: list[int]
) -> None:
    """A word counts whole by its stem, half as a part of another or as a synonym."""
    question, segments = read_question(query), [segment(texts)]
    matches = match(segments, question, known={*question.words})
    if matches.instead:
        return
    groups = np.array(grouped[: len(texts)], dtype=np.int64)
    covered: list[dict[str, float]] = []
    for title, text in texts:
        words = words_in(f"{title} {text}")
        stems = {stem(word) for word in words if word.isalpha() or word == stem(word)}
        covered.append({})
        for word in question.words:
            is_part = any(len(word) >= 3 and word in other and other.isalpha() for other in words)
            is_part = is_part or (len(word) < 3 and word in words)
            is_synonym = not stems.isdisjoint(synonyms_of(stem(word)))
            covered[-1][word] = (
                1.0 if stem(word) in stems else 0.5 if is_part or is_synonym else 0.0
            )
    total = sum(matches.rarity.values())

    def share(parts: dict[str, float]) -> float:
        return sum(matches.rarity[word] * part for word, part in parts.items()) / total

    (alone,) = shares_covered(segments, question, matches)
    assert alone.tolist() == pytest.approx([*map(share, covered)])
    (together,) = shares_covered(segments, question, matches, [groups])
    for place, group in enumerate(groups.tolist()):
        members = [
            parts for parts, other in zip(covered, groups.tolist(), strict=True) if other == group
        ]
        joined = {word: max(parts[word] for parts in members) for word in question.words}
        assert together[place] == pytest.approx(share(joined))


def test_what_a_misspelt_word_means() -> None:
    texts = [("", "caching caching cabling"), ("", "cabling cachine"), ("Zebras", "xebra")]
    cases = {
        # Equally near: the more common, then the one with the first letter, then the last in order.
        "caling": "cabling", "zebrs": "zebras",
        "xqzjvw": None,
    }  # fmt: skip
    for word, other in cases.items():
        matches = match([segment(texts[:1]), segment(texts[1:])], read_question(word))
        assert matches.instead.get(word) == other, word
        assert matches.missing == ([] if other else [word])
        if other:
            n_found = sum((scores > 0).sum() for scores in matches.by_stem)
            assert n_found == sum(other in f"{title} {text}".lower() for title, text in texts)
    matches_of_known = match([segment(texts)], read_question("caling"), known={"caling"})
    assert matches_of_known.instead == {} and matches_of_known.missing == ["caling"]
    plain = match([segment(texts)], read_question("caling"), with_parts=False)
    assert plain.instead == {} and plain.missing == ["caling"]
    # Nothing is near enough: words with half of the trigrams in common are taken, by their share.
    for word, is_alike in (("abcdefghij", True), ("abcdefghijk", True), ("abcdefghijkl", False)):
        matches = match([segment([("", word)])], read_question("abcdefzzzz"))
        assert matches.missing == ["abcdefzzzz"] and bool(matches.by_part[0][0]) is is_alike, word
    nearer, farther = ("", "abcdefghij"), ("", "abcdefghijk")
    matches = match([segment([farther, nearer, ("", "x")])], read_question("abcdefzzzz"))
    assert matches.by_part[0][1] > matches.by_part[0][0] > 0 == matches.by_part[0][2]


def test_a_synonym_stands_for_a_word_that_occurs_nowhere() -> None:
    word = next(
        word for word in ("delete", "remove", "error", "create", "begin") if synonyms_of(stem(word))
    )
    other = synonyms_of(stem(word))[0]
    matches = match([segment([("", "nothing")]), segment([("", other)])], read_question(word))
    assert matches.instead == {word: other} and matches.by_stem[1][0] > 0 and matches.missing == []


def matches_of(*rows: tuple[float, float, int]) -> Matches:
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return Matches([columns[0]], [columns[1]], [columns[2]], [], {}, [], {})


def test_the_best_match_of_a_group_is_kept() -> None:
    matches = matches_of((1, 0, 0), (2, 0, 0), (0, 3, 0), (1, 1, 1), (5, 5, 0), (0, 0, 0))
    kept = matches.one_per_group([np.array([7, 7, 7, 8, 8, 9])])
    assert kept.by_stem[0].tolist() == [0, 0, 0, 1, 0, 0]
    assert kept.by_part[0].tolist() == [0, 0, 3, 1, 0, 0]
    assert kept.exact[0].tolist() == [0, 0, 0, 1, 0, 0]
    # Of equals, the first one; what matches nothing is not counted.
    twice = matches_of((1, 1, 0), (1, 1, 0)).one_per_group([np.array([0, 0])])
    assert twice.by_stem[0].tolist() == [1, 0]
    assert matches.count([np.array([True] * 6)]) == 5
    assert matches.count([np.array([True, False, True, False, False, True])]) == 2
    assert matches.of([0, 0]).count([np.ones(6, bool)] * 2) == 10


# Ranks


def ranked(
    texts: Texts, query: str, most: int = 50, **options: Any
) -> tuple[list[int], list[float], int]:
    question = read_question(query)
    matches = match([segment(texts)], question)
    ranking = rank(matches, question, lambda _, place: ChunkText(*texts[place]), most, **options)
    return (
        [row.place for row in ranking.best],
        [round(row.score, 4) for row in ranking.best],
        ranking.total,
    )


FILLER = "other words are in this text "


def test_equally_good_chunks_are_in_the_given_order() -> None:
    texts = [("", "cache")] * 4 + [("", "nothing")]
    assert ranked(texts, "cache")[0] == [0, 1, 2, 3]
    order: dict[str, Any] = {"order_of": lambda places: -places}
    places, scores, total = ranked(texts, "cache", **order)
    assert (places, total) == ([3, 2, 1, 0], 4) and len({*scores}) == 1
    assert ranked(texts, "cache", 2, **order) == ([3, 2], scores[:2], 4)


def test_chunks_beyond_those_that_are_read_follow_them(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [("", "cache limit " + FILLER * number) for number in range(5)] + [("", "nothing")]
    whole = ranked(texts, "cache limit")
    assert whole[0] == [0, 1, 2, 3, 4] and whole[1] == sorted(whole[1], reverse=True)
    monkeypatch.setattr(rank_module, "READ_AGAIN", 2)
    read: list[int] = []
    question = read_question("cache limit")

    def text_of(_: int, place: int) -> ChunkText:
        read.append(place)
        return ChunkText(*texts[place])

    matches = match([segment(texts)], question)
    ranking = rank(matches, question, text_of, 50)
    assert [row.place for row in ranking.best] == whole[0] and read == [0, 1]
    scores = [row.score for row in ranking.best]
    assert scores == sorted(scores, reverse=True) and min(scores) > 0
    assert [row.score for row in rank(matches, question, text_of, 1).best] == scores[:1]
    monkeypatch.setattr(rank_module, "FUSED", 1)
    assert rank(matches, question, text_of, 50).total == 5  # all are counted


def test_texts_are_read_in_the_order_in_which_they_are_stored() -> None:
    texts = [("", f"{FILLER * number}cache limit") for number in (2, 0, 1)]
    question, read = read_question("cache limit"), []

    def text_of(of_segment: int, place: int) -> ChunkText:
        read.append((of_segment, place))
        return ChunkText(*texts[place])

    matches = match([segment(texts), segment(texts[:1])], question)
    best = rank(matches, question, text_of, 50).best
    assert [(row.segment, row.place) for row in best] == [(0, 1), (0, 2), (0, 0), (1, 0)]
    assert read == [(0, 0), (0, 1), (0, 2), (1, 0)]


@pytest.mark.parametrize(("is_compared", "n_read"), [(False, 30), (True, 50)])
def test_the_best_30_texts_are_read_or_50_to_compare_meanings(
    is_compared: bool, n_read: int
) -> None:
    texts, read = [("", "cache limit")] * 60, []

    def text_of(_: int, place: int) -> ChunkText:
        read.append(place)
        return ChunkText(*texts[place])

    question = read_question("cache limit")
    meaning = (lambda chunks: np.zeros(len(chunks))) if is_compared else None
    ranking = rank(match([segment(texts)], question), question, text_of, 9, meaning)
    assert read == [*range(n_read)] and len(ranking.best) == 9 and ranking.total == 60


def test_a_weight_and_an_exact_identifier_decide_the_order() -> None:
    texts = [("", "rate limit"), ("", "rate_limit " + FILLER * 5)]
    assert ranked(texts, "rate_limit")[0] == [1, 0]
    question = read_question("rate limit")
    matches = match([segment(texts)], question)
    weights = [0.1, 1.0]
    ranking = rank(matches, question, lambda _, place: ChunkText(*texts[place], weights[place]), 9)
    assert [row.place for row in ranking.best] == [1, 0]
    assert ranked(texts, "rate limit")[0] == [0, 1]


def test_meaning_raises_the_nearest() -> None:
    texts = [("", "cache"), ("", "cache"), ("", "cache")]
    base = ranked(texts, "cache")[1]
    for near, order in (([0.0, 1.0, 0.5], [1, 2, 0]), ([0.0, 0.0, 0.0], [0, 1, 2])):
        places, scores, _ = ranked(texts, "cache", meaning=lambda chunks, near=near: np.array(near))
        assert places == order
        expected = [base[0] * (1 + 0.3 * near[place]) / 1.3 for place in order]
        assert scores == pytest.approx(expected, abs=2e-4)


BONUSES = [
    # The words of the question, a title, a text, and what is added: 0.6 for all words near each other, 0.4 for
    # adjacent ones, and 0.2 for words in the title.
    ("cache", "", "cache", 0.0), ("cache", "cache", "", 0.2), ("cache", "The caching layer", "", 0.2 / 3),
    ("cache limit", "", "cache limit", 1.0), ("cache limit", "", "limit cache", 0.6),
    ("cache limit", "", "cache and limit", 0.6 * 2 / 3), ("cache limit", "cache", "", 0.1),
    ("cache limit", "cache limit", "", 0.4 + 0.2), ("cache limit", "limit of cache", "", 0.2),
    ("cache limit", "cache", "limit", 0.1), ("cache limit", "cache", "cache limit", 1.1),
    ("cache limit rate", "", "cache limit", 2 / 3 * 0.6 + 0.4 / 2), ("cache limit rate", "", "cache limit rate", 1.0),
    ("cache limit rate", "", "rate cache limit", 0.6 + 0.4 / 2), ("cache limit", "", "nothing", 0.0),
    ("cache limit", "", "cache é limit", 0.6 * 2 / 3), ("cache limit", "", "é cache limit", 1.0),
    ("cache limit", "", "cache cache limit", 1.0), ("cache limit", "", "cacheLimit", 1.0),
    ("cache limit", "", "cache aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa limit", 0.6 * 2 / 7),
    ("cache limit", "", "recache limit", 0.0), ("cache limit", "", "cache_limit", 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("query", "title", "text", "bonus"), BONUSES)
def test_what_nearness_and_titles_add(query: str, title: str, text: str, bonus: float) -> None:
    factors = nearness([ChunkText(title, text)], read_question(query))
    assert factors.tolist() == pytest.approx([(1 + bonus) / (1 + NEAR + PHRASE + TITLED)])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), max_size=8))
def test_the_shortest_piece_with_all_words(steps: list[tuple[int, int]]) -> None:
    places, position = [], 0
    for step, word in steps:
        places.append((position := position + step, word))
    many = len({word for _, word in places})
    lengths = [
        last[0] - first[0] + 1
        for number, first in enumerate(places)
        for end, last in enumerate(places[number:], number)
        if len({word for _, word in places[number : end + 1]}) == many
    ]
    expected = (min(lengths), many) if lengths else (0, 0)
    assert rank_module._closest(places, many) == expected


# Fusion


ROUND = {"cache": 1.0, "limit": 3.0}
COVERED = [
    ("cache limit", ["cache", "limit"], 1.0), ("cache limit", ["the cache"], 0.25), ("cache limit", ["limits"], 0.75),
    ("cache limit", ["unlimited"], 0.375), ("cache limit", [""], 0.01), ("cache limit", [], 0.01),
    ("cache limit", ["x" * 20_000 + " limit"], 0.01), ("cache limit", ["x" * 19_994 + " limit"], 0.75),
    ("cache limit", ["unlimited", "limit"], 0.75), ("cache limit", ["limit", "unlimited"], 0.75), ("io cache", ["ratio"], 0.01),
    ("cache new", ["renewed"], 0.01), ("cache unknown", ["unknown"], 5 / 6), ("cache unknown", ["cached"], 1 / 6),
]  # fmt: skip


@pytest.mark.parametrize(("query", "texts", "share"), COVERED)
def test_what_texts_cover_of_a_question(query: str, texts: list[str], share: float) -> None:
    """A part of a word counts half, and words that no text has are rare."""
    assert coverage(texts, read_question(query), ROUND) == pytest.approx(share)


def hit(name: str, score: float = 0.0) -> TextHit:
    return TextHit(
        id=name, title=name, source="", line=1, content="", score=score, content_type="prose", added="", type="note",
        result_origin="note",
    )  # fmt: skip


def candidate(name: str, score: float = 1.0, **more: Any) -> Candidate:
    return Candidate((name,), score, lambda: hit(name), **more)


def merged(*lists: list[Candidate], most: int = 10) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in merge(lists, most, 100).hits()]


def test_lists_are_merged_by_score_and_keep_their_order() -> None:
    rows = [candidate("a", 0.2), candidate("b", 0.6), candidate("c", 0.5)]
    # The first counts as much as the second, which the order of the list puts behind it.
    assert merged(rows, [candidate("x", 0.55), candidate("y", 0.1)]) == [
        ("a", 0.6), ("b", 0.6), ("x", 0.55), ("c", 0.5), ("y", 0.1),
    ]  # fmt: skip
    assert merged(rows, [candidate("x", 0.6)])[2] == ("x", 0.6)  # equals: the first list first
    assert merged() == [] == merged([])


def test_exact_names_come_first_with_a_score_of_one() -> None:
    exact = candidate("x", 0.1, is_exact=True)
    assert merged([candidate("a", 0.9), exact], [candidate("b")]) == [
        ("x", 1.0), ("b", 0.9999), ("a", 0.9),
    ]  # fmt: skip
    # No score exceeds that of a hit before it, and none but an exact one is 1.
    assert merged([candidate("a", 9.0), candidate("b", 9.0)]) == [("a", 0.9999), ("b", 0.9999)]


DAY = 86_400_000


@pytest.mark.parametrize(
    ("time_ms", "now_ms", "weight"),
    [(0, 9 * DAY, 1.0), (9 * DAY, 8 * DAY, 1.0), (5, 5, 1.0), (5, 5 + 365 * DAY, math.exp(-1)), (5, 5 + 73 * DAY, math.exp(-0.2)),
     (5, 5 + 840 * DAY, math.exp(-840 / 365)), (5, 5 + 841 * DAY, 0.1), (5, 9_999 * DAY, 0.1)],
)  # fmt: skip
def test_the_weight_of_age(time_ms: int, now_ms: int, weight: float) -> None:
    assert recency(time_ms, now_ms) == pytest.approx(weight)


def test_a_symbol_is_a_candidate_by_its_name_signature_and_doc() -> None:
    name = NameHit(("symbol", "a"), hit("cache", 0.7), True, ("cache", "", "a.py", "limit", ""))
    question = read_question("cache limit")
    (candidate,) = candidates_of([name], question, ROUND)
    (near,) = nearness([ChunkText("cache", "limit\n")], question).tolist()
    assert (candidate.key, candidate.is_exact) == (("symbol", "a"), True)
    assert candidate.score == pytest.approx(near) and candidate.hit() is name.hit
    (partly,) = candidates_of(
        [name._replace(texts=("cache", "", "limit", "", "x"))], question, ROUND
    )
    assert partly.score < near / 2  # its path does not count
    assert candidates_of([], question, ROUND) == []
    # A path is not part of a symbol.
    assert words_in_symbols(question, [name]) == {"cache", "limit"}
    other = name._replace(texts=("x", "Limits", "cache", "", "rate"))
    assert words_in_symbols(question, [other]) == {"limit"}
    assert words_in_symbols(read_question("rates caching"), [other]) == {"rates"}


# Questions


@pytest.mark.parametrize(
    ("text", "words", "identifiers"),
    [
        ("what does rateLimit do", ("rate", "limit", "do"), ("ratelimit",)),
        ("the cache for it", ("cache", "for"), ()),
        ("what is the", ("what", "is", "the"), ()),
        ("cache cache Cache", ("cache",), ()),
        ("", (), ()),
        ("x_b x_b c-d", ("x", "b", "c", "d"), ("x_b", "c-d")),
    ],
)
def test_the_words_that_decide(
    text: str, words: tuple[str, ...], identifiers: tuple[str, ...]
) -> None:
    question = read_question(text)
    assert (question.words, question.identifiers, question.text) == (words, identifiers, text)
    assert not question.is_cut


def test_words_of_time_are_left_out_unless_there_are_no_others() -> None:
    for text, words in (("last cache", ("cache",)), ("latest recent", ("latest", "recent")), ("cache", ("cache",))):  # fmt: skip
        assert without_words_of_time(read_question(text)).words == words


def test_of_too_many_alike_words_the_most_similar_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchers_module, "MOST_WORDS", 1)
    for texts in (["abcdefghij", "abcdefghijk"], ["abcdefghijk", "abcdefghij"]):
        matches = match([segment([("", text) for text in texts])], read_question("abcdefzzzz"))
        scores = dict(zip(texts, matches.by_part[0].tolist(), strict=True))
        assert scores["abcdefghij"] > 0 == scores["abcdefghijk"]
