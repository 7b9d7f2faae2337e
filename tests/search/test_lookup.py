"""Names in an index: slices, bulk scores and ranges find what comparing each name finds, with the
same points."""

import random
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symindex.extract.records import FileSymbols, Symbol
from symindex.index.build import build_index
from symindex.index.columns.columns import Index
from symindex.index.columns.name_bitmaps import SLICES, bits_of_name
from symindex.index.columns.strings import fold_texts
from symindex.index.snapshot import Snapshot
from symindex.protocol.kinds import SymbolKind
from symindex.search.answer.filters import Filter, PartFilter
from symindex.search.answer.text_scan import texts_containing
from symindex.search.language import qualifiers
from symindex.search.match import bulk, fuzzy, humps
from symindex.search.match.lookup import NameHits, join_hits, strong_tiers, weak_names
from symindex.search.match.names import POINTS, Needle, match_strong, match_subsequence, match_typo
from symindex.search.names.hits import TieredHits
from symindex.text.folding import fold
from tests.support.files import Maker
from tests.support.rows import pack_symbols

NAMES = st.text(st.sampled_from("abcXYZ_-019éßĳ $≠"), min_size=1, max_size=12)
WORDS = [
    "get",
    "set",
    "Query",
    "user",
    "HTTP",
    "parse",
    "Name",
    "file",
    "x",
    "2",
    "_",
    "id",
    "to",
    "String",
    "naïve",
    "Straße",
]


def file_of(symbols: list[Symbol]) -> FileSymbols:
    """Returns a file that contains the symbols."""
    return FileSymbols("a.py", 1, 1, language="python", symbols=pack_symbols(symbols))


def index_of(names: list[str]) -> Index:
    symbols = [
        Symbol(name, SymbolKind.CLASS, "", 0, 0, 1, 0, 0, 0, 1, i, 0, "", "")
        for i, name in enumerate(names)
    ]
    return build_index([file_of(symbols)])


def strong_names(index: Index, needle: Needle) -> NameHits:
    return join_hits(strong_tiers(index, needle))


def points(hits: NameHits, index: Index) -> dict[str, int]:
    return dict(zip(index.names.take(hits.numbers), hits.points.tolist(), strict=True))


def one_by_one(names: Sequence[str], score: Callable[[str, str], float]) -> dict[str, int]:
    scored = {name: round(POINTS * score(name, fold(name))) for name in names}
    return {name: score for name, score in scored.items() if score}


def strong_one_by_one(names: Sequence[str], text: str) -> dict[str, int]:
    needle = Needle(text)
    return one_by_one(names, lambda name, folded: match_strong(needle, name, folded))


def weak_one_by_one(names: Sequence[str], text: str) -> dict[str, int]:
    needle = Needle(text)
    return one_by_one(
        names,
        lambda name, folded: (
            match_typo(needle, name, folded) or match_subsequence(needle, name, folded)
        ),
    )


def check(names: list[str], text: str) -> None:
    index, needle = index_of(names), Needle(text)
    assert points(strong_names(index, needle), index) == strong_one_by_one(names, text)
    assert points(weak_names(index, needle), index) == weak_one_by_one(names, text)


def test_swapped_letters_with_an_insertion_are_three_edits() -> None:
    """Optimal string alignment counts three edits here; other distances count a swap and an
    insertion."""
    assert weak_one_by_one(["bxacdefgh"], "abcdefgh") == {}
    check(["bxacdefgh", "bacdefgh"], "abcdefgh")


@pytest.mark.slow
@settings(deadline=None)
@given(st.sets(NAMES, min_size=1, max_size=200), NAMES)
def test_any_names(names: set[str], text: str) -> None:
    check(sorted(names), text)


@pytest.fixture(params=["few", "many"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `many`, the methods for very many names run on all names, which also come in several
    pieces."""
    if request.param == "many":
        for module, limit in ((bulk, "FEW"), (humps, "FEW"), (bulk, "MANY"), (fuzzy, "_MANY")):
            monkeypatch.setattr(module, limit, 0)
        for module, limit in ((bulk, "AT_ONCE"), (fuzzy, "_COMPARED")):
            monkeypatch.setattr(module, limit, 100)


class Sample(NamedTuple):
    """Names, and the matches of each needle by comparing one name at a time."""

    names: list[str]
    strong: dict[str, dict[str, int]]
    weak: dict[str, dict[str, int]]


@cache
def sample(seed: int) -> Sample:
    """Cached for both methods, since comparing each name is the slowest step."""
    rng = random.Random(seed)

    def name() -> str:
        words = [rng.choice(WORDS) for _ in range(rng.randint(1, 5))]
        return rng.choice(["", "_", "-"]).join(
            rng.choice([str.lower, str.capitalize, str.upper, str])(word)  # type: ignore[operator]
            for word in words
        )

    names, texts = sorted({name() for _ in range(1500)}), set()
    for _ in range(15):
        text = rng.choice(names)
        start = rng.randrange(len(text))
        texts.add(
            rng.choice([text, text[start : start + rng.randint(1, 6)], rng.choice(WORDS)]) or "get"
        )
    return Sample(
        names,
        {text: strong_one_by_one(names, text) for text in texts},
        {text: weak_one_by_one(names, text) for text in texts},
    )


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("seed", range(20))
def test_many_names(seed: int) -> None:
    """There are enough names for every bulk method to run."""
    names, strong, weak = sample(seed)
    index = index_of(names)
    for text in strong:
        needle = Needle(text)
        assert points(strong_names(index, needle), index) == strong[text]
        assert points(weak_names(index, needle), index) == weak[text]


@pytest.mark.nightly
@settings(deadline=None)
@given(
    st.lists(st.tuples(NAMES, st.booleans()), min_size=1, max_size=200),
    NAMES,
    st.booleans(),
    st.integers(1, 50),
)
def test_the_best_of_filtered_rows(
    names: list[tuple[str, bool]], text: str, is_filtered: bool, count: int
) -> None:
    """The best hits equal those of scoring every row: the lists of matches have no name in common,
    and each list is better than the next."""
    symbols = [
        Symbol(
            name,
            SymbolKind.CLASS if is_class else SymbolKind.METHOD,
            "",
            0,
            0,
            1,
            0,
            0,
            0,
            1,
            i,
            0,
            "",
            "",
        )
        for i, (name, is_class) in enumerate(names)
    ]
    index = build_index([file_of(symbols)])
    chosen = PartFilter(Snapshot.of(index).parts[0], Filter(("class",) if is_filtered else ()))
    tiers = [tier for tier in strong_tiers(index, Needle(text)) if len(tier.numbers)]
    for better, worse in pairwise(tiers):
        assert better.points.min() > worse.points.max()
    hits = TieredHits(chosen, tiers)
    rows, scores = hits.everything()
    best_scores = {
        row: score
        for row, score in zip(*map(np.ndarray.tolist, hits.best(count)), strict=True)  # type: ignore[arg-type]
    }
    every = dict(zip(rows.tolist(), scores.tolist(), strict=True))
    least = sorted(every.values(), reverse=True)[:count][-1:] or [0]
    assert hits.total == len(rows) == len(every)
    assert {row: score for row, score in best_scores.items() if score >= least[0]} == {
        row: score for row, score in every.items() if score >= least[0]
    }


TWICE = [
    ("get", "GoEastTarget", "by its humps and inside"),
    ("get", "getGoodEggsTo", "by its beginning and its humps"),
    ("get", "getTarget", "by its beginning and inside"),
    ("get", "GetGoEastTarget", "in all ways"),
    ("g_t", "GroundTig_tag", "by its humps and inside, with a separator"),
]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize(
    ("text", "name", "how"),
    TWICE,
    ids=[how.replace(" ", "-").replace(",", "") for _, _, how in TWICE],
)
def test_a_name_that_matches_twice_is_found_once(
    text: str, name: str, how: str, make_workspace: Maker
) -> None:
    workspace = make_workspace({"a.py": f"{name} = 1\nother = 2\n"})
    for is_fuzzy in (False, True):
        response = workspace.search(text, fuzzy=is_fuzzy)
        assert ([item.name for item in response.items], response.total) == ([name], 1)
    index = workspace.source.indexed.snapshot.parts[0].index
    tiers = strong_tiers(index, Needle(text))
    assert sum(name in index.names.take(tier.numbers) for tier in tiers) == 1


CASES = [
    "BeanJar",
    "beanJar",
    "bean_jar",
    "BeanJarLid",
    "BeanJars",
    "BEANJAR",
    "Bean_Jar",
    "Bean-Jar2",
    "beanJars",
    "aBeanJar",
]
CAPITALS = [
    "HTMLHRElement",
    "HTMLhrElement",
    "THRead_Empty",
    "ATHRE",
    "tHRe",
    "MATH_RES",
    "WithHTMLRule",
    "theHtmlRe",
    "TH",
    "éTHRÉ",
]


@pytest.mark.sample(7)
@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize(
    "text",
    ["BeanJar", "beanjar", "bean_jar", "Bean_", "Bean-Jar", "BEAN", "_Bean", "THRE", "thre", "HRé"],
)
def test_cases_and_capitals(text: str) -> None:
    names = CASES + CAPITALS
    check(sorted(names), text)
    check(
        sorted(
            {
                *names,
                *(f"{name}{more}" for name in names for more in ("X", "x", "_x", "2", "_", "é")),
            }
        ),
        text,
    )


@pytest.mark.nightly
@given(st.lists(NAMES, min_size=1, max_size=80, unique=True))
def test_slices_are_the_bits_of_each_name(names: list[str]) -> None:
    index = index_of(names)
    bits = np.unpackbits(index.slices.bits.view(np.uint8), axis=1, bitorder="little")
    assert bits.shape[0] == SLICES
    for number, name in enumerate(index.names.all):
        assert (bits[:, number].astype(bool) == bits_of_name(name)).all()


@settings(deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=80, unique=True), NAMES, st.booleans())
def test_containers_that_may_match_a_qualifier(
    containers: list[str], text: str, is_all: bool
) -> None:
    """The filter keeps every container that a qualifier matches, for a few rows and for most."""
    symbols = [
        Symbol("x", SymbolKind.CLASS, container, 0, 0, 1, 0, 0, 0, 1, i, 0, "", "")
        for i, container in enumerate(containers)
    ]
    index = build_index([file_of(symbols)])
    needle = Needle(text)
    given = np.arange(0, len(index.containers), 1 if is_all else 5)
    may_match = set(
        qualifiers._Parts(index, (needle.text,))._that_may_match(index.containers, given).tolist()
    )
    for number in given.tolist():
        container = index.containers[number]
        assert number in may_match or not match_strong(needle, container, fold(container))


PROSE = st.text(st.sampled_from("abÀéßcx_ .(\n"), max_size=12)


@pytest.mark.nightly
@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.text("abcXé_", min_size=1, max_size=4), PROSE, PROSE), min_size=1, max_size=30
    ),
    PROSE,
    st.booleans(),
)
@example(
    [("X", "ba.a.a", "")], "a.a", False
)  # two overlapping matches, of which only the second begins a word
def test_prose(texts: list[tuple[str, str, str]], wanted: str, is_phrase: bool) -> None:
    """The scan finds what a comparison with each whole text finds, also if the name is part of the
    text."""
    folded = fold(wanted).encode()
    pattern = re.compile(
        re.escape(folded) if is_phrase else rb"(?<![0-9a-z_\x80-\xff])" + re.escape(folded)
    )
    symbols = [
        Symbol(
            name,
            SymbolKind.CLASS,
            "",
            0,
            0,
            1,
            0,
            0,
            0,
            1,
            i,
            0,
            f"{before}{name}{after}",
            f"{after}{name}{before}",
        )
        for i, (name, before, after) in enumerate(texts)
    ]
    index = build_index([file_of(symbols)])
    if folded:
        expected = [
            [pattern.search(fold(text).encode()) is not None for text in column]
            for column in zip(*((symbol.signature, symbol.doc) for symbol in symbols), strict=True)
        ]
        assert texts_containing(index, pattern, folded).tolist() == expected
        assert (
            texts_containing(index, re.compile(pattern.pattern + b"(?:)"), b"").tolist() == expected
        )


@pytest.mark.nightly
@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))))
def test_texts_are_folded_together_as_one_by_one(texts: list[str]) -> None:
    assert (
        fold_texts("".join(f"{text}\0" for text in texts).encode())
        == "".join(f"{fold(text)}\0" for text in texts).encode()
    )


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("text", ["getBk", "gBkTi", "BkGet", "getKt"])
def test_a_capital_and_a_consonant_leave_out_one_or_two_vowels(text: str) -> None:
    words = ("Bk", "Bak", "Book", "Boook", "Bek", "Block", "Bik", "Kit")
    names = [f"get{word}{rest}" for word in words for rest in ("", "Title", "Time")]
    check(names, text)
    found = {*strong_one_by_one(names, text)}
    expected = {"getBk": {"getBak", "getBook", "getBik"}, "gBkTi": {"getBakTitle", "getBookTime"}}
    assert found >= expected.get(text, set()) and "getBoook" not in found
