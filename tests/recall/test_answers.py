"""Answers over collections that a test makes: pages and totals, the timeline, lists, copies, weak
matches, other sessions, neighbours, and every notice."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.recall import TextHit, TextRequest, TextResponse, TextSection
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunk_index.chunk_index import ChunkIndex
from symindex.recall.chunks import answer as answer_module
from symindex.recall.chunks import vectors
from symindex.recall.chunks.answer import NOTHING_YET, USAGE_HINT, answer
from symindex.recall.chunks.collection import Shown
from symindex.recall.chunks.symbol_lookup import NameHit, NamesFound
from symindex.recall.chunks.vectors import MISSING
from symindex.render.prose import render_text_search

DAY = 86_400_000


class Texts:
    """A collection of texts, one chunk each.

    hidden, unselected, dead: texts that are hidden by their session, that the filters leave out, or
    that are gone. groups: number of the item of each text.
    """

    def __init__(
        self, *texts: str, origin: str = "document", times: Sequence[int] = (), hidden: Sequence[str] = (),
        unselected: Sequence[str] = (), dead: Sequence[str] = (), groups: Sequence[int] = (), name: str = "", **shown: Any,
    ) -> None:  # fmt: skip
        self.origin, self.notices, self._texts, self._shown = origin, list[str](), texts, shown
        self.name = name or origin
        self._times = times or [0] * len(texts)
        self._masks = {
            name: np.array([text in some for text in texts], dtype=bool)
            for name, some in (("hidden", hidden), ("unselected", unselected), ("dead", dead))
        }
        self._groups = np.array(groups or range(len(texts)), dtype=np.int64)
        self._index = open_chunks(
            build_chunks(Chunk(number, *self._split(text)) for number, text in enumerate(texts, 1))
        )
        self.is_empty = not texts

    @staticmethod
    def _split(text: str) -> tuple[str, str]:
        title, colon, rest = text.partition(": ")
        return (title, rest) if colon else ("", text)

    def indexes(self) -> list[ChunkIndex]:
        return [self._index] if self._texts else []

    def live(self, _: ChunkIndex) -> Any:
        return ~self._masks["dead"]

    def selected(self, _: ChunkIndex) -> Any:
        return ~(self._masks["hidden"] | self._masks["unselected"])

    def hidden(self, _: ChunkIndex) -> Any:
        return self._masks["hidden"]

    def groups(self, _: ChunkIndex) -> Any:
        return self._groups

    def order(self, _: ChunkIndex, places: Any) -> Any:
        return places

    def digests(self, index: ChunkIndex, places: Any) -> list[str]:
        """Each text is that of a file."""
        return [self._texts[place] for place in places.tolist()]

    def documents(self, index: ChunkIndex) -> Any:
        return np.full(len(index), self.origin == "document")

    def types(self) -> set[str]:
        return {"recipe"}

    def shown(self, number: int) -> Shown:
        title, text = self._split(self._texts[number - 1])
        fields = {
            "facts": {"type": "t", "own": number, "\0x": 1},
            "type": self.origin,
            "is_document": self.origin == "document",
        }
        return Shown(
            f"{self.name}:{number}",
            title,
            text,
            f"label {number}",
            number,
            False,
            self._times[number - 1],
            **{**fields, **self._shown},
        )

    def listed(self) -> list[int]:
        return [number for number, is_in in enumerate(self.selected(self._index), 1) if is_in]


def symbol(name: str, score: float = 0.5, is_exact: bool = False) -> NameHit:
    hit = TextHit(
        id=f"a.py#{name}", type="function", title=name, source="a.py", line=1, content="", score=score, content_type="code", added="", result_origin="symbol",
    )  # fmt: skip
    return NameHit(("symbol", hit.id), hit, is_exact, (name, "", "a.py", "", ""))


class Names:
    def __init__(
        self,
        *symbols: NameHit,
        total: int = 0,
        notice: str = "",
        near: Sequence[NameHit] = (),
        error: str = "",
    ) -> None:
        self.found = NamesFound(symbols, total or len(symbols), notice)
        self.near, self.error, self.asked = near, error, list[Any]()

    def find(self, *arguments: Any) -> NamesFound:
        self.asked.append(arguments)
        if self.error:
            raise RequestError(self.error)
        return self.found

    def neighbours(self, hits: Sequence[TextHit], most: int) -> Sequence[NameHit]:
        self.asked.append(([hit.id for hit in hits], most))
        return self.near

    def whole(self, symbol_id: str) -> str:
        return f"whole {symbol_id}" if symbol_id != "a.py#empty" else ""


def ask(
    *collections: Texts, query: str = "alpha", names: Names | None = None, **request: Any
) -> TextResponse:
    return answer(TextRequest(queries=[query], **request), collections, names)  # type: ignore[arg-type]


def section(*collections: Texts, **more: Any) -> TextSection:
    return ask(*collections, **more).sections[0]


def ids(section: TextSection) -> list[str]:
    return [hit.id for hit in section.items]


def said(section: TextSection) -> list[str]:
    return [] if section.notices is UNSET else section.notices


def test_pages_have_totals_and_say_where_they_end() -> None:
    texts = Texts(*(f"alpha {'x ' * number}" for number in range(5)), "other")
    for offset, n_items, more in ((0, 2, True), (2, 2, True), (4, 1, False), (3, 2, False)):
        page = section(texts, limit=2, offset=offset)
        assert (len(page.items), page.total, page.has_more) == (n_items, 5, more)
    assert said(section(texts, limit=2, offset=5)) == [
        "offset 5 is past the end: there are 5 results"
    ]
    assert said(section(Texts("alpha"), offset=1)) == [
        "offset 1 is past the end: there is 1 result"
    ]
    assert said(section(Texts("other"), offset=1)) == ['"alpha" occurs nowhere']


def test_an_answer_counts_its_rows_by_origin() -> None:
    note, other = Texts("alpha note", origin="note"), Texts("alpha beta", "beta")
    near = symbol("near")
    near.hit.result_origin = "graph"
    response = ask(other, note, names=Names(symbol("alpha"), near=[near]))
    assert (
        response.total,
        response.symbol_count,
        response.document_count,
        response.note_count,
    ) == (3, 1, 1, 1)
    assert (
        response.graph_count == 1
        and response.usage_hint == USAGE_HINT
        and response.notices is UNSET
    )
    assert ask(other, include_content=True).usage_hint == ""
    other.notices = ["a notice"]
    assert ask(other).notices == ["a notice"]
    assert ask(Texts()).notices == [NOTHING_YET] and ask(Texts(), names=Names()).notices is UNSET
    assert ask(Texts(), other).notices == ["a notice"]


def test_which_questions_are_compared_by_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def nearness(question: str, texts: Sequence[Any]) -> Any:
        asked.append(question)
        return np.zeros(len(texts))

    monkeypatch.setattr(vectors, "nearness", nearness)
    for has_model in (False, True):
        monkeypatch.setattr(vectors, "has_model", lambda has_model=has_model: has_model)
        for wanted in (None, True, False):
            response = ask(Texts("alpha beta"), query="alpha beta", vectors=wanted)
            assert response.notices == ([MISSING] if wanted and not has_model else UNSET)
            assert asked == (["alpha beta"] if has_model and wanted is not False else [])
            asked.clear()
            ask(Texts("alpha beta"), query="alpha beta", vectors=wanted, use_enhanced=False)
            for query in ("alpha", "the alpha", "alpha_beta", "alpha.beta", "gamma delta"):
                ask(Texts("alpha beta"), query=query, vectors=wanted)
            named = Names(symbol("beta", is_exact=True))
            ask(Texts("alpha beta"), query="alpha beta", vectors=wanted, names=named)
            assert asked == []  # not for one word, a name, or what nothing matches


def test_a_fault_of_the_model_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def nearness(question: str, texts: Sequence[Any]) -> Any:
        raise RequestError("m: is no model")

    texts = Texts("alpha beta", "alpha and more of it, then beta", "alpha alpha")
    monkeypatch.setattr(vectors, "has_model", lambda: True)
    alone = ask(texts, query="alpha beta", vectors=False)
    monkeypatch.setattr(vectors, "nearness", nearness)
    response = ask(texts, query="alpha beta")
    assert response.sections == alone.sections and alone.notices is UNSET
    assert response.notices == ["m: is no model; answered by words alone"]


def test_what_a_hit_shows() -> None:
    (hit,) = section(Texts("Title: alpha beta", times=[1_000], stale=True, url="https://a")).items
    assert (hit.id, hit.title, hit.source, hit.line, hit.type) == (
        "document:1",
        "Title",
        "label 1",
        1,
        "document",
    )
    assert (hit.content, hit.added, hit.stale, hit.url) == (
        "alpha beta",
        "1970-01-01T00:00:01+00:00",
        True,
        "https://a",
    )
    assert hit.metadata == {"own": 1} and hit.is_document and hit.result_origin == "document"
    long = "alpha " + "x " * 5_000
    assert section(Texts(long), include_content=True).items[0].content == long
    assert len(section(Texts(long)).items[0].content) < 5_000


def test_names_are_searched_where_the_request_says_so() -> None:
    names = Names(symbol("alpha"), total=7)
    assert section(Texts("alpha"), names=names).total == 8
    assert [arguments[3:] for arguments in names.asked if len(arguments) == 4] == [(100,)]
    # One more than the page needs, in hundreds.
    for limit, n_asked in ((50, 200), (49, 100)):
        names.asked.clear()
        section(Texts("alpha"), names=names, limit=limit, offset=50)
        assert names.asked[0][3] == n_asked
    for request in ({"within": "notes"}, {"sort": "timeline"}):
        assert ids(section(Texts("alpha"), names=names, **request)) == ["document:1"]
    failing = Names(error="not a query")
    assert ids(section(Texts("alpha"), names=failing)) == ["document:1"]
    refused = section(Texts("alpha"), names=failing, within="names")
    assert (refused.error, refused.items, refused.total) == ("not a query", [], 0)


def test_a_hit_with_its_whole_content() -> None:
    names = Names(symbol("alpha"), symbol("empty"))
    hits = section(Texts("alpha"), names=names, include_content=True).items
    contents = {hit.id: hit.content for hit in hits}
    assert contents == {"a.py#alpha": "whole a.py#alpha", "a.py#empty": "", "document:1": "alpha"}


def test_questions_without_words_are_refused() -> None:
    texts = Texts("alpha")
    assert (
        section(texts, query=" ").error
        == "the query is empty: give 2 to 4 words to search for, or types to list"
    )
    assert (
        section(texts, query="->").error
        == "the query is without words: give 2 to 4 words to search for, or types to list"
    )
    assert section(texts, query="->", types=["task"]).error.startswith("the query is without words")  # type: ignore[union-attr]


def test_filters_alone_list_what_they_select_newest_first() -> None:
    texts = Texts(
        "one", "two", "three", "four", times=[DAY, 3 * DAY, 2 * DAY, 3 * DAY], unselected=["four"]
    )
    copies = Texts("two", "five", origin="note", times=[9 * DAY, 0])
    page = section(texts, copies, query=" ", source="x", limit=2)
    assert ids(page) == ["document:2", "document:3"] and (
        page.total,
        page.has_more,
        page.n_documents,
    ) == (4, True, 3)
    assert not section(texts, copies, query="", source="x", limit=9).has_more
    page = section(texts, copies, query="", source="x", limit=2, offset=2)
    assert ids(page) == ["document:1", "note:2"] and not page.has_more
    assert {hit.score for hit in page.items} == {0.0}
    assert said(section(texts, copies, query="", source="x", offset=4)) == [
        "offset 4 is past the end: there are 4 results"
    ]


def test_a_text_that_an_earlier_collection_has_counts_once() -> None:
    first, second = (
        Texts("alpha beta", "alpha gamma"),
        Texts("alpha gamma", "alpha delta", "alpha bet4", name="second"),
    )
    page = section(first, second)
    assert page.total == 4 and [hit.content for hit in page.items].count("alpha gamma") == 1
    note = Texts("alpha beta", origin="note")
    assert section(first, note).total == 3  # a note is no copy of a document
    # The earlier one counts only where it matches itself.
    assert section(Texts("alpha", unselected=["alpha"]), Texts("alpha")).total == 1


PARTIAL: list[tuple[str, list[str], dict[str, Any], bool]] = [
    ("alpha beta", ["alpha", "beta"], {}, True),
    ("alpha beta", ["alpha", "some betas and alpha"], {}, False),  # a form of the word
    ("alpha", ["other"], {}, False),  # one word is contained or not
    ("alpha beta", ["alphabet beta"], {}, True),  # only inside another word
    ("alpha bteta", ["alpha beta"], {}, False),  # what was searched instead
    ("alpha nowhere", ["alpha beta"], {}, True),
    ("alpha beta", ["alpha beta", "alpha"], {"unselected": ["alpha beta"]}, True),
    ("alpha beta", ["alpha beta", "alpha"], {"dead": ["alpha beta"]}, True),
]


@pytest.mark.parametrize(("query", "texts", "more", "is_partial"), PARTIAL)
def test_an_answer_says_if_nothing_contains_all_the_words(
    query: str, texts: list[str], more: dict[str, Any], is_partial: bool
) -> None:
    page = section(Texts(*texts, **more), query=query)
    assert (page.is_partial is True) == is_partial
    response = ask(Texts(*texts, **more), query=query)
    count = f"Found {len(page.items)} result" if page.items else "Found 0 results"
    if is_partial:
        count = f"Nothing contains all the words (showing the nearest {len(page.items)})"
    assert count in render_text_search(response)


def test_symbols_and_phrasings_may_contain_all_the_words() -> None:
    texts = Texts("alpha", "beta", "gamma delta")
    names = Names(symbol("alpha_beta"))
    assert section(texts, query="alpha beta", names=names).is_partial is UNSET
    names.found = names.found._replace(is_partial=True)
    assert section(texts, query="alpha beta", names=names).is_partial is True
    asked = section(texts, query="alpha beta", phrasings=["gamma delta"])
    assert asked.is_partial is UNSET
    asked = section(texts, query="alpha beta", phrasings=["alpha gamma"])
    assert asked.is_partial is True


def test_where_entities_are_requested_items_count_once_and_weak_ones_not() -> None:
    texts = Texts(
        "alpha beta gamma",
        "alpha beta",
        "alpha",
        "beta",
        "x",
        "y",
        "z",
        groups=[0, 0, 1, 2, 3, 4, 5],
    )
    page = section(texts, query="alpha beta gamma", by_entity=True)
    assert ids(page) == ["document:1"] and (page.total, page.n_documents) == (1, 1)
    assert section(texts, query="alpha beta gamma").total == 4
    names = Names(symbol("alpha_beta_gamma"), symbol("beta"), symbol("other", is_exact=True))
    page = section(texts, query="alpha beta gamma", by_entity=True, names=names)
    assert {"a.py#alpha_beta_gamma", "a.py#other"} <= {*ids(page)} and "a.py#beta" not in ids(page)
    assert page.total == 3
    with pytest.raises(RequestError, match="unknown type 'nothing': expected one of"):
        section(texts, by_entity=True, types=["nothing"])
    for word in ("Recipe", "NOTE", "symbol", "class", "task"):
        section(texts, by_entity=True, types=[word])


def test_a_timeline_has_good_matches_before_weak_ones_newest_first() -> None:
    texts = Texts(
        "alpha beta", "alpha", "beta alpha", "alpha beta x", times=[DAY, 9 * DAY, 3 * DAY, 3 * DAY]
    )
    whole = section(texts, query="alpha beta", sort="timeline")
    assert ids(whole) == ["document:4", "document:3", "document:1", "document:2"]
    assert (whole.total, whole.has_more) == (4, False)
    page = section(texts, query="alpha beta", sort="timeline", limit=2, offset=1)
    assert ids(page) == ids(whole)[1:3] and page.has_more
    last = section(texts, query="alpha beta", sort="timeline", limit=2, offset=2)
    assert ids(last) == ids(whole)[2:] and not last.has_more
    assert ids(section(texts, query="latest alpha beta", sort="timeline")) == ids(whole)


def test_a_note_whose_category_the_question_names_comes_first_in_a_timeline() -> None:
    class Plans(Texts):
        def shown(self, number: int) -> Shown:
            return super().shown(number)._replace(label="plan b" if number == 1 else "plan c")

    def order(origin: str, query: str) -> list[int]:
        texts = Plans("alpha one", "alpha two", origin=origin, times=[DAY, 5 * DAY])
        return [int(text_id[-1]) for text_id in ids(section(texts, query=query, sort="timeline"))]

    assert order("note", "alpha plans b") == [1, 2]
    assert order("note", "alpha plan") == [2, 1]  # not all of the category
    assert order("document", "alpha plans b") == [2, 1]


def test_only_so_many_are_dated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_module, "MOST_DATED", 2)
    for n, notices in (
        (2, []),
        (3, ["only the best 2 of 3 matches are sorted by date: give more words or a filter"]),
    ):
        page = section(Texts(*(f"alpha {number}" for number in range(n))), sort="timeline")
        assert (len(page.items), page.total, said(page)) == (2, n, notices)


def test_the_notes_of_the_session_come_first_among_equals_of_a_page() -> None:
    class Sessions(Texts):
        def shown(self, number: int) -> Shown:
            return (
                super().shown(number)._replace(facts={"session": "one" if number == 3 else "two"})
            )

    notes = Sessions("alpha", "alpha", "alpha", origin="note")
    assert ids(section(notes)) == ["note:1", "note:2", "note:3"]
    assert ids(section(notes, session="one")) == ["note:3", "note:1", "note:2"]
    assert ids(section(notes, session="two")) == ["note:1", "note:2", "note:3"]


def test_hidden_notes_of_other_sessions_are_counted() -> None:
    def notices(*texts: str, hidden: Sequence[str], **more: Any) -> list[str]:
        return said(
            section(Texts(*texts, origin="note", hidden=hidden, **more), query="alpha beta")
        )

    assert notices("alpha beta", "x", hidden=["alpha beta"]) == [
        '1 note of another session matches: sort "timeline" shows it'
    ]
    assert notices("alpha beta", "beta alpha", "y", hidden=["alpha beta", "beta alpha"]) == [
        '2 notes of other sessions match: sort "timeline" shows them',
    ]  # fmt: skip
    # What matches worse than 0.6 of the best does not count, nor what is gone.
    assert notices("alpha beta", "alpha", "y", hidden=["alpha"]) == []
    assert notices("x", "alpha beta", hidden=["x"]) == []


def test_filters_that_hide_all_matches_are_named() -> None:
    hidden = Texts("alpha", "alpha b", "c", unselected=["alpha", "alpha b"])
    notices = said(section(hidden, source="x"))
    assert notices[-1] == "the filters hide all 2 matches (source): leave out some of them"
    one = Texts("alpha", "c", unselected=["alpha"])
    assert (
        said(section(one, source="x", content_type="prose"))[-1]
        == "the filters hide the only match (source, content type): leave out some of them"
    )
    assert not any("hide" in notice for notice in said(section(one)))
    assert not any(
        "hide" in notice for notice in said(section(Texts("alpha", dead=["alpha"]), source="x"))
    )
    assert not any(
        "hide" in notice
        for notice in said(section(Texts("alpha", "alpha x", unselected=["alpha"]), source="x"))
    )


def test_words_that_occur_nowhere_are_named_unless_a_name_is_the_question() -> None:
    texts = Texts("alpha")
    long = "q" * 41
    assert said(section(texts, query=f"alpha {long}")) == [f'"{long[:40]}…" occurs nowhere']
    assert said(section(texts, query="alhpa")) == ['"alhpa" occurs nowhere: searched for "alpha"']
    assert said(section(texts, query="alpha zzzz", names=Names(symbol("zzzz")))) == []
    assert said(section(texts, query="alpha zzzz", names=Names(symbol("other")))) == [
        '"zzzz" occurs nowhere'
    ]
    assert said(section(texts, query="zzzz", names=Names(symbol("other", is_exact=True)))) == []
    cut = Names(symbol("other"), notice="only the best")
    assert said(section(texts, query="alpha zzzz", names=cut)) == ["only the best"]


def test_neighbours_follow_the_hits_where_there_is_room() -> None:
    near = [symbol("near"), symbol("alpha"), symbol("far")]
    texts = Texts(*(f"alpha {'x ' * number}" for number in range(4)))

    def found(**more: Any) -> tuple[list[str], Names]:
        names = Names(symbol("alpha"), near=near)
        return ids(section(texts, names=names, **more)), names

    every, names = found()
    assert every[-2:] == ["a.py#near", "a.py#far"] and len(every) == 7
    assert names.asked[-1] == (every[:3], 50)
    hits = section(texts, names=Names(symbol("alpha"), near=near)).items
    assert hits[-1].score == round(hits[-3].score * 0.8, 4) == hits[-2].score
    assert found(limit=6)[0] == every[:6] and found(limit=5)[0] == every[:5]
    assert found(limit=2, offset=4)[0] == [every[4], "a.py#near"]
    for request in (
        {"include_graph": False},
        {"use_enhanced": False},
        {"within": "text"},
        {"source": "label"},
        {"by_entity": True},
    ):
        assert "a.py#near" not in found(**request)[0], request
    exact = Names(symbol("alpha", is_exact=True), near=near)
    assert "a.py#near" not in ids(section(texts, names=exact))
    assert ids(section(Texts("other"), names=Names(near=near))) == []


def test_old_hits_count_less_where_the_request_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_module.time, "time_ns", lambda: 5_000 * DAY * 1_000_000)
    texts = Texts("alpha", "alpha x", times=[DAY, 4_999 * DAY])
    assert ids(section(texts)) == ["document:1", "document:2"]
    assert ids(section(texts, boost_recent=True)) == ["document:2", "document:1"]


def test_questions_after_the_time_are_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100.0, 110.0, 110.1])
    monkeypatch.setattr(answer_module.time, "monotonic", lambda: next(times))
    response = answer(TextRequest(queries=["alpha", "beta"]), [Texts("alpha beta")])
    assert [section.total for section in response.sections] == [1, 0] and response.total == 1
    assert response.sections[1].error == "not answered within 10 s: ask for fewer at once"
