"""A question in words against chunks: two matchers, fused and reranked; typos; segments."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symindex.errors import DamagedIndexError
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunks.matchers import Segment, match
from symindex.recall.chunks.question import MOST_CHARACTERS, read_question
from symindex.recall.chunks.rank import ChunkText, rank
from symindex.text.word_tables import is_common

TEXTS = {
    1: ("Caching", "Responses are cached for an hour. The cache is shared by all workers."),
    2: ("Hooks > useEffect", "Return a function from useEffect to clean up after it."),
    3: (
        "Rate limits",
        "The client retries after rate_limit seconds. A rate of 5 and no limit on size.",
    ),
    4: ("Options", "With --dry-run nothing is written. A dry season, a long run."),
    5: ("Errors", "E1234 means that the disk is full. Since v2.3.1 it is told sooner."),
    6: ("Loops", "A while loop ends where its condition fails; use a for loop to count."),
    7: ("Far", "The rate is high. " + "Filler words stand here. " * 30 + "A limit is low."),
}


def ask(
    query: str, texts: dict[int, tuple[str, str]] = TEXTS, divided: int = 0
) -> tuple[list[int], dict[str, str], list[str]]:
    chunks = [Chunk(number, *text) for number, text in texts.items()]
    parts = [chunks[:divided], chunks[divided:]] if divided else [chunks]
    segments = [Segment(open_chunks(build_chunks(part))) for part in parts]
    question = read_question(query)
    matches = match(segments, question)

    def text_of(segment: int, place: int) -> ChunkText:
        return ChunkText(*texts[int(segments[segment].chunks.ids[place])])

    ranking = rank(matches, question, text_of, 50)
    assert all(0 < row.score <= 1 for row in ranking.best)
    assert [row.score for row in ranking.best] == sorted(
        (row.score for row in ranking.best), reverse=True
    ) or matches.exact
    return (
        [int(segments[row.segment].chunks.ids[row.place]) for row in ranking.best],
        matches.instead,
        matches.missing,
    )


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("caching", 1), ("caches", 1), ("useEff", 2), ("useEffect", 2), ("clean up effects", 2), ("rate_limit", 3),
        ("rate limit", 3),
        ("--dry-run", 4), ("dry run", 4), ("E1234", 5), ("v2.3.1", 5), ("while", 6),
        ("for loop", 6), ("disk full", 5),
    ],
)  # fmt: skip
def test_the_first_hit(query: str, first: int) -> None:
    assert ask(query)[0][0] == first
    assert ask(query, divided=4)[0] == ask(query)[0]  # several segments give the same scores


def test_words_near_each_other_come_before_those_far_apart() -> None:
    numbers = ask("rate limit")[0]
    assert numbers.index(3) < numbers.index(7)


def test_a_misspelt_word_is_corrected_and_reported() -> None:
    numbers, instead, _ = ask("cahcing responses")
    assert (numbers[0], instead) == (1, {"cahcing": "caching"})
    assert ask("retreis")[1] == {"retreis": "retries"}
    assert ask("qqqqqqqqqqqqqqqq")[0] == [] and ask("qqqqqqqqqqqqqqqq")[2] == ["qqqqqqqqqqqqqqqq"]


def test_only_the_word_that_occurs_nowhere_is_corrected() -> None:
    assert ask("cache respnses")[1] == {"respnses": "responses"}


@pytest.mark.parametrize(
    "word", ["last", "skills", "active", "open", "prompt", "blockers", "user", "decide"]
)
def test_a_common_word_is_not_corrected(word: str) -> None:
    texts = {
        1: ("List", "A list of smiles."),
        2: ("Skins", "An actor opens the prompts."),
        3: ("Blocks", "It blocked users."),
    }
    _, instead, missing = ask(word, texts)
    assert not instead and set(missing) <= {word}


def test_a_word_that_occurs_in_names_is_not_corrected() -> None:
    segments = [Segment(open_chunks(build_chunks([Chunk(1, "Blocking", "The blocker.")])))]
    question = read_question("blokker")
    assert match(segments, question).instead == {"blokker": "blocker"}
    assert match(segments, question, known={"blokker"}).instead == {}


def test_the_table_of_common_words_holds_no_misspellings() -> None:
    assert not [
        word
        for word in ["direcive", "recieve", "authetication", "seperate", "occured", "teh", "lenght"]
        if is_common(word)
    ]
    assert is_common("smiles") or is_common("lists")


def test_plain_words_are_found_as_words_alone() -> None:
    segments = [
        Segment(open_chunks(build_chunks(Chunk(number, *text) for number, text in TEXTS.items())))
    ]
    for query, n_found in (("cache", 1), ("retr", 0), ("retreis", 0), ("retry", 1)):
        question = read_question(query)
        matches = match(segments, question, with_parts=False)
        assert (
            rank(matches, question, lambda _, place: ChunkText(*[*TEXTS.values()][place]), 9).total
            == n_found
        )


def test_question_words_decide_nothing() -> None:
    assert read_question("what does a while loop do").words == ("while", "loop", "do")
    assert read_question("what is it").words == ("what", "is", "it")
    assert read_question("get use test run add").words == ("get", "use", "test", "run", "add")
    assert read_question("x " * MOST_CHARACTERS).is_cut


def test_words_of_two_letters_and_of_other_scripts_are_found() -> None:
    texts = {1: ("テスト", "これはテストです"), 2: ("io", "An io loop"), 3: ("Größe", "Die Größe")}
    assert [ask(query, texts)[0][0] for query in ("テスト", "io", "größe", "GROSSE")] == [
        1,
        2,
        3,
        3,
    ]


def test_only_live_chunks_count() -> None:
    index = open_chunks(build_chunks(Chunk(number, *text) for number, text in TEXTS.items()))
    live = np.ones(len(index), dtype=bool)
    live[0] = False
    question = read_question("cache")
    assert (
        rank(
            match([Segment(index, live)], question), question, lambda *_: ChunkText("", ""), 9
        ).total
        == 0
    )


def test_columns_that_do_not_fit_together_are_refused() -> None:
    import msgspec

    columns = build_chunks([Chunk(1, "a", "b c")])
    for field in columns.__struct_fields__:
        with pytest.raises(DamagedIndexError):
            broken = msgspec.structs.replace(
                columns, **{field: memoryview(bytes(getattr(columns, field)) + b"\x01" * 8)}
            )
            open_chunks(broken).texts  # noqa: B018


@pytest.mark.nightly
@given(
    st.dictionaries(
        st.integers(1, 10**6), st.tuples(st.text(max_size=40), st.text(max_size=200)), max_size=6
    ),
    st.text(max_size=80),
)
def test_any_texts_and_any_question(texts: dict[int, tuple[str, str]], query: str) -> None:
    ask(query, dict(sorted(texts.items())))
