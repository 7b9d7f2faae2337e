"""The sources of added content and of a tree: which of them a request selects, how they are ordered
and shown, and how the database replaces them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symindex.errors import RequestError
from symindex.files.access.followed import FileIdentity
from symindex.protocol.recall import TextRequest
from symindex.recall.chunk_index.build_chunks import Chunk, build_chunks
from symindex.recall.chunk_index.chunk_columns import open_chunks
from symindex.recall.chunks.collection import Shown, iso
from symindex.recall.chunks.read_request import is_about_text, read_text_request
from symindex.recall.content.content_store import ContentStore, Followed, Source, StoredChunk
from symindex.recall.content.source_table import (
    ITEM_ID,
    Sources,
    SourceTable,
    date_of,
    ids_of,
    is_document,
    is_item_source,
    named_in,
    order_of_label,
    passes,
)


def source(label: str, n_chunks: int = 1, first: int = 1, **more: Any) -> Source:
    fields = {
        "origin": label,
        "path": "",
        "digest": f"digest of {label}",
        "size": 1,
        "mtime_ns": 0,
        "added_ms": 1_000,
    }
    return Source(label=label, first=first, last=first + n_chunks - 1, **{**fields, **more})


@pytest.fixture
def store(tmp_path: Path) -> Iterable[ContentStore]:
    store = ContentStore(tmp_path / "content")
    yield store
    store.database.close()


def chunks(*texts: str, title: str = "") -> list[StoredChunk]:
    return [StoredChunk(title, text, number, False) for number, text in enumerate(texts, 1)]


def showing(number: int, source: Source, chunk: StoredChunk) -> Shown:
    return Shown(
        f"id:{number}",
        chunk.title,
        chunk.text,
        source.label,
        chunk.line,
        chunk.is_code,
        source.when_ms,
    )


def collection(store: ContentStore, **request: Any) -> Sources:
    table = SourceTable(store.sources())
    text_request = TextRequest(queries=["x"], **request)
    return Sources(store, table, text_request, lambda source: source.label, showing, [])


def selected(store: ContentStore, **request: Any) -> list[int]:
    sources = collection(store, **request)
    (index,) = sources.indexes()
    return index.ids[sources.selected(index)].tolist()


# Filters

FACTS: dict[str, Any] = {
    "type": "Task",
    "item_type": "note",
    "language": ["Go", "C"],
    "status": "Done",
    "project": 7,
}

PASSES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    (FACTS, {}, True), (FACTS, {"types": ["task"]}, True), (FACTS, {"types": ["NOTE"]}, True), (FACTS, {"types": ["x", "note"]}, True),
    (FACTS, {"types": ["x"]}, False), (FACTS, {"types": ["document"]}, False), (FACTS, {"language": ["c"]}, True),
    (FACTS, {"language": ["py"]}, False), (FACTS, {"status": ["done"]}, True), (FACTS, {"status": ["todo"]}, False),
    (FACTS, {"project": "7"}, True), (FACTS, {"project": "8"}, False), (FACTS, {"assignee": "a"}, False), (FACTS, {"category": ["a"]}, False),
    (FACTS, {"types": ["task"], "status": ["todo"]}, False), ({}, {"types": ["document"]}, True), ({}, {"types": ["task"]}, False),
    ({"type": "readme"}, {"types": ["Document"]}, True), ({"type": "readme"}, {"types": ["readme"]}, True),
    ({"languages": "go"}, {"language": ["go"]}, True), ({"lang": "go"}, {"language": ["Go"]}, True), ({"category": "a"}, {"category": ["A"]}, True),
    ({"assignee": "Ada"}, {"assignee": "ada"}, True), ({"form": "document"}, {"types": ["document"]}, True),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "request_fields", "is_selected"), PASSES)
def test_metadata_pass_filters(
    facts: dict[str, Any], request_fields: dict[str, Any], is_selected: bool
) -> None:
    assert passes(facts, TextRequest(queries=["x"], **request_fields)) is is_selected


def test_which_sources_are_documents_and_which_items() -> None:
    kinds: list[tuple[dict[str, Any], bool, bool]] = [
        ({}, True, False), ({"type": "doc"}, True, False), ({"type": "adr"}, True, False), ({"type": "task"}, False, True),
        ({"type": "task", "item_type": "task"}, False, True),
    ]  # fmt: skip
    for facts, document, item in kinds:
        example = source("a", facts=facts)
        assert (is_document(example), is_item_source(example)) == (document, item), facts


DATES = [
    ({"date": "2026-05-31"}, 1_780_185_600_000), ({"date": "soon", "updated": "1970-01-02"}, 86_400_000),
    ({"created": "1970-01-02", "modified": "1970-01-03"}, 2 * 86_400_000), ({"lastmod": "1970-01-02"}, 86_400_000),
    ({"last_updated": "1970-01-02"}, 86_400_000), ({"other": "1970-01-02"}, 0), ({}, 0), ({"date": "0000-99-99"}, 0),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "time_ms"), DATES)
def test_the_date_that_metadata_give(facts: dict[str, Any], time_ms: int) -> None:
    assert date_of(facts) == time_ms


def test_ids_and_names_in_metadata() -> None:
    assert ids_of({}) == [] and ids_of({"id": 7}) == ["7"]
    assert ids_of({"id": "a", ITEM_ID: "b", "item_type": "task"}) == ["a", "task:b"]
    assert ids_of({ITEM_ID: "b", "item_type": "task"}) == ["task:b"]
    facts: dict[str, Any] = {
        "id": "a",
        "type": "t",
        "title": "t",
        "project": "p",
        "owners": ["x", 1],
        "status": "s",
        "language": "l",
    }
    assert named_in(facts) == {"p", "x", "1"}


def test_parts_of_a_file_are_in_their_order() -> None:
    labels = ["a\0002", "a\00010", "a", "b", "a\0", "a\0x"]
    assert sorted(labels, key=order_of_label) == ["a", "a\0", "a\0x", "a\0002", "a\00010", "b"]


# Tables

SIZES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=6)


@settings(max_examples=30, deadline=None)
@given(SIZES, st.lists(st.booleans(), min_size=6, max_size=6))
def test_chunks_belong_to_the_sources_with_their_numbers(
    sizes: list[tuple[int, int]], chosen: list[bool]
) -> None:
    """Between sources are numbers of sources that were deleted."""
    sources, number = [], 1
    for place, (gap, n_chunks) in enumerate(sizes):
        number += gap
        facts = {"type": "task"} if chosen[place] else {}
        sources.append(source(f"{9 - place}", n_chunks, number, facts=facts))
        number += n_chunks
    index = open_chunks(
        build_chunks(Chunk(chunk_number, "", "") for chunk_number in range(1, number + 2))
    )
    table = SourceTable(sources[::-1])
    owners = [
        next((owner for owner in sources if owner.first <= chunk_number <= owner.last), None)
        for chunk_number in range(1, number + 2)
    ]
    assert table.sources == [source for source in sources if source.n_chunks]
    assert table.mask(index).tolist() == [owner is not None for owner in owners]
    assert table.mask(index, is_document).tolist() == [
        owner is not None and not owner.facts for owner in owners
    ]
    for chunk_number, owner in enumerate(owners, 1):
        if owner is not None:
            assert table.of(chunk_number) == owner
    groups = table.groups(index).tolist()
    for chunk_number, owner in enumerate(owners, 1):
        if owner is not None:
            assert groups[chunk_number - 1] == (owner.first if owner.facts else chunk_number)
    places = np.array(
        [place for place, owner in enumerate(owners) if owner is not None], dtype=np.int64
    )
    if len(places):
        order = table.order(index, places)
        labels = [(owners[place].label, place) for place in places.tolist()]
        assert [labels[position] for position in np.argsort(order).tolist()] == sorted(labels)


# The collection


def test_the_filters_of_a_request_select_sources(store: ContentStore) -> None:
    facts: list[dict[str, Any]] = [
        {}, {"type": "task", "source": "Tracker"}, {"type": "rule", "item_type": "rule"}, {"type": "readme", "date": "x"},
    ]  # fmt: skip
    for number, source_facts in enumerate(facts):
        store.replace(
            source(f"Label {number}", facts=source_facts, time_ms=86_400_000 * number), chunks("x")
        )
    assert selected(store) == [1, 2, 3, 4]
    assert selected(store, source="LABEL 1") == [2] == selected(store, source="tracker")
    assert selected(store, source="label", source_name="3") == [4]
    assert selected(store, source="label", source_name="none") == []
    assert (
        selected(store, source_id="Label 1")
        == [2]
        == selected(store, source_id="digest of Label 1")
    )
    assert (
        selected(store, source_id="tracker") == [2] and selected(store, source_id="label 1") == []
    )
    # The first source has no date of its own, so the one of its addition counts.
    assert selected(store, since="1970-01-03") == [3, 4] and selected(
        store, since="1970-01-04"
    ) == [4]
    assert selected(store, types=["document"]) == [1, 4]
    assert selected(store, by_entity=True) == [1, 2, 3, 4]
    assert selected(store, by_entity=True, include_documents=False) == [2, 3]
    assert selected(store, by_entity=True, include_graph=False) == [1, 4]
    assert collection(store, types=["document"]).listed() == [4, 1]
    sources = collection(store)
    (index,) = sources.indexes()
    assert sources.documents(index).tolist() == [True, False, False, True]
    assert sources.types() == {"task", "rule", "readme"} and not sources.is_empty
    assert not sources.hidden(index).any() and sources.live(index).all()
    assert sources.listed() == [4, 3, 2, 1]  # the newest first


def test_code_and_prose_are_told_apart(store: ContentStore) -> None:
    store.replace(source("a"), [StoredChunk("", "x", 1, True), StoredChunk("", "y", 2, False)])
    store.replace(source("b"), [StoredChunk("", "z", 1, True)])
    assert selected(store, content_type="code") == [1, 3]
    assert selected(store, content_type="prose") == [2]
    assert selected(store, content_type="code", source="b") == [3]


def test_an_item_is_shown_whole_where_entities_are_requested(store: ContentStore) -> None:
    item = {"type": "task", "id": "t-1", "project": "p"}
    store.replace(
        source("a", facts=item),
        [StoredChunk("One > Two", "\nfirst\n\n", 3, True), StoredChunk("x", "second", 9, False)],
    )
    store.replace(
        source("b", facts={"type": "task", "title": "Named"}), chunks("text", title="Other")
    )
    store.replace(source("c", facts={"project": "p"}), chunks("a document"))
    plain, whole = collection(store), collection(store, by_entity=True)
    assert plain.shown(2)[:6] == ("id:2", "x", "second", "a", 9, False)
    assert whole.shown(2)[:6] == ("id:1", "One", "first\n\nsecond", "a", 3, True)
    assert whole.shown(3)[:3] == ("id:3", "Named", "text") and whole.shown(4)[:3] == (
        "id:4",
        "",
        "a document",
    )
    assert plain.find("t-1") == whole.shown(1) and plain.find("none") is None
    assert [shown.label for shown in plain.naming("p")] == ["a"] and plain.naming("t-1") == []
    assert plain.find_chunk(2) == plain.shown(2)
    assert plain.find_chunk(0) is None is plain.find_chunk(5)
    (index,) = whole.indexes()
    assert whole.groups(index).tolist() == [1, 1, 3, 4]
    # A chunk that is gone meanwhile has no text.
    with store.database.writing() as connection:
        connection.execute("DELETE FROM chunk WHERE id = 2")
    assert plain.shown(2)[:4] == ("id:2", "", "", "a") and whole.shown(1).text == "first"


def test_an_item_is_found_by_its_place(store: ContentStore) -> None:
    store.replace(source("a.md\0000", facts={"type": "task"}, origin="a.md"), chunks("text"))
    table = SourceTable(store.sources())

    def show(number: int, source: Source, chunk: StoredChunk) -> Shown:
        return showing(number, source, chunk)._replace(id=f"{source.origin}:{chunk.line}")

    request = TextRequest(queries=["x"])
    sources = Sources(store, table, request, lambda source: source.origin, show, [])
    assert sources.find("a.md:1") is not None and sources.find("a.md:2") is None is sources.find(
        "b.md:1"
    )


# The database


def test_a_source_is_replaced_as_a_whole(store: ContentStore) -> None:
    first = store.replace(source("a"), chunks("one", "two"))
    assert (first.first, first.last, first.n_chunks) == (1, 2, 2)
    other = store.replace(source("b"), chunks("three"))
    again = store.replace(source("a", facts={"x": 1}), chunks("four"))
    assert (other.first, again.first, again.last) == (3, 4, 4)
    assert [source.label for source in store.sources()] == ["a", "b"]
    assert store.sources()[0].facts == {"x": 1}
    texts = [store.chunk(again, number).text for number in range(1, 6)]
    assert texts == ["", "", "three", "four", ""]
    assert [*store.chunks_after(0)] == [Chunk(3, "", "three"), Chunk(4, "", "four")]
    assert [*store.chunks_after(3)] == [Chunk(4, "", "four")] and store.n_after(3) == 1
    titled = store.replace(source("t"), chunks("text", title="A title"))
    assert [*store.chunks_after(4)] == [Chunk(5, "A title", "text")]
    assert store.chunk(titled, 5) == StoredChunk("A title", "text", 1, False) and store.forget("t")
    assert (titled.first, titled.last) == (5, 5)
    empty = store.replace(source("a"), [])
    assert (empty.first, empty.last, empty.n_chunks) == (6, 5, 0)
    assert store.forget("b") and not store.forget("b") and [*store.chunks_after(0)] == []
    later = store.replace(source("c"), chunks("five"))
    assert later.first == 6  # numbers are never used again

    def failing() -> Iterable[StoredChunk]:
        yield from chunks("six")
        raise RequestError("not text")

    with pytest.raises(RequestError):
        store.replace(source("c"), failing())
    assert [chunk.text for chunk in store.chunks_after(0)] == ["five"]


def test_the_record_of_a_followed_file(store: ContentStore, tmp_path: Path) -> None:
    assert store.followed() == {}
    (tmp_path / "x").write_text("")
    one, two = (FileIdentity(*(number for _ in FileIdentity._fields)) for number in (1, 2))
    kept = store.replace(source("a"), [], one)
    store.replace(source("b"), [])
    assert store.followed() == {"a": Followed(one)}
    store.note_unchanged(kept, two)
    assert store.followed() == {"a": Followed(two)}
    assert (store.sources()[0].mtime_ns, store.sources()[0].size) == (two.mtime_ns, two.size)
    store.note_given_up(kept, Followed(one, two, "why"))
    assert store.followed() == {"a": Followed(one, two, "why")}
    store.forget("a")
    assert store.followed() == {}


ROWS = [
    ("first", 0, False), ("last", 0, True), ("last", -1, False), ("time_ms", -62_135_596_800_000, True),
    ("time_ms", -62_135_596_800_001, False), ("added_ms", 253_402_300_799_999, True), ("added_ms", 253_402_300_800_000, False),
    ("size", "x", False), ("facts", "[]", False), ("facts", '{"a": 1}', True), ("facts", "{", False),
]  # fmt: skip


@pytest.mark.parametrize(("column", "value", "is_valid"), ROWS)
def test_a_row_that_cannot_be_is_left_out_and_named(
    column: str, value: object, is_valid: bool, store: ContentStore
) -> None:
    store.replace(source("a"), chunks("one"))
    store.replace(source("b"), chunks("two"))
    with store.database.writing() as connection:
        connection.execute(f"UPDATE source SET {column} = ? WHERE label = 'a'", (value,))
    assert [source.label for source in store.sources()] == ["a", "b"][not is_valid :]
    notices = store.database.take_notices()
    assert notices == [] if is_valid else notices[0].startswith(f"the source 'a' is left out: its row in {store.database.path} is not valid; add")  # fmt: skip


# Requests


@pytest.mark.parametrize(
    ("given", "is_about"),
    [({"query": "x"}, False), ({"in": "text"}, True), ({"within": "notes"}, True), ({"in": "names", "source": "x"}, False),
     ({"source": "x"}, True), ({"source": None}, False), ({"sort": "timeline"}, True), ({"sort": "score"}, False),
     ({"in": "names", "sort": "timeline"}, True), ({"use_enhanced": False}, True), ({"in": "all", "within": "names"}, True)],
)  # fmt: skip
def test_whether_a_search_asks_for_more_than_names(given: dict[str, Any], is_about: bool) -> None:
    assert is_about_text(given) is is_about


def test_one_text_may_replace_a_list() -> None:
    given = {"queries": "a, b", "types": "x, ,y ", "language": "go,", "status": ["a,b"], "contentType": "code", "within": "text", "source": None}  # fmt: skip
    request = read_text_request(given)
    assert (request.queries, request.types, request.language, request.status) == (["a, b"], ["x", "y"], ["go"], ["a,b"])  # fmt: skip
    assert (request.content_type, request.within, request.source) == (
        "code",
        "text",
        TextRequest(queries=[]).source,
    )
    assert read_text_request(msgspec.json.encode(given)) == request


WRONG: list[tuple[Any, str]] = [
    (b"{", "the request is not JSON: "), (b"[1]", "the request is [1]: expected an object with queries"),
    (b"[" + b"1," * 30 + b"1]", "the request is [" + "1, " * 13 + "…: expected an object with queries"),
    ({}, "the request: give a query, or several as queries"), ({"queries": 7}, "the request: Expected"),
    ({"queries": "x", "n" * 101: 1}, f"unknown field of a request {'n' * 100!r}: expected one of"),
    ({"queries": "x", "\ud800": 1}, "field of a request"), ({"queries": [{"\ud800": 1}]}, "the request: "),
]  # fmt: skip


@pytest.mark.parametrize(("given", "words"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_request_is_explained(given: Any, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_text_request(given)
    assert words in str(caught.value)


def test_times_are_written_to_the_second() -> None:
    assert iso(0) == "1970-01-01T00:00:00+00:00" and iso(1_999) == "1970-01-01T00:00:01+00:00"
