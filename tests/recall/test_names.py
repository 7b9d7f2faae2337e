"""Names in answers to questions: which search for names a question implies, what is related to a
hit, and the texts that ids lead to, with lookups that a test answers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from symindex.errors import RequestError, StorageError, SymindexError
from symindex.protocol.explore import SymbolRequest
from symindex.protocol.freshness import Freshness
from symindex.protocol.hierarchy import Direction, RelatedItem
from symindex.protocol.recall import TextHit, TextRequest, TextSection
from symindex.protocol.search import SearchItem, SearchRequest
from symindex.recall import neighbours as neighbours_module
from symindex.recall import recall as recall_module
from symindex.recall.chunks import vectors
from symindex.recall.chunks.chunk_hits import WordsOfQuestion
from symindex.recall.chunks.matchers import Matches
from symindex.recall.chunks.question import read_question
from symindex.recall.chunks.rank import ChunkText
from symindex.recall.chunks.symbol_lookup import NameHit
from symindex.recall.content import commit_dates
from symindex.recall.name_search import as_search, name_hit
from symindex.recall.recalled_text import as_symbol, hit_of


def searched(most: int = 7, **request: Any) -> SearchRequest | None:
    return as_search("query", TextRequest(queries=["query"], **request), most)


IMPLIED: list[tuple[dict[str, Any], dict[str, Any] | None]] = [
    ({}, {"max_items": 7, "kinds": [], "languages": UNSET, "fuzzy": UNSET, "filters": UNSET}),
    ({"language": ["py"]}, {"languages": ["py"], "max_items": 7}),
    ({"types": ["class", "METHOD"]}, {"kinds": ["class", "method"]}), ({"types": ["class", "task"]}, {"kinds": ["class"]}),
    ({"types": ["class", "Symbol"]}, {"kinds": None}), ({"types": ["symbol"]}, {"kinds": None}), ({"types": ["task"]}, None),
    ({"content_type": "prose"}, None), ({"content_type": "code"}, {"max_items": 7}), ({"status": ["done"]}, None),
    ({"category": ["a"]}, None), ({"assignee": "a"}, None), ({"project": "a"}, None), ({"source_id": "a"}, None),
    ({"source": "a"}, {"max_items": 500}), ({"source_name": "a"}, {"max_items": 500}), ({"by_entity": True}, {"max_items": 500}),
    ({"by_entity": True, "include_graph": False}, None), ({"include_graph": False}, {"max_items": 7}),
    ({"use_enhanced": False}, {"max_items": 500, "fuzzy": False}), ({"since": "1970-01-02"}, {"filters": {"date_from": "1970-01-02T00:00:00+00:00"}}),
]  # fmt: skip


@pytest.mark.parametrize(("request_fields", "implied"), IMPLIED)
def test_the_search_for_names_that_a_question_implies(
    request_fields: dict[str, Any], implied: dict[str, Any] | None
) -> None:
    request = searched(**request_fields)
    if implied is None:
        assert request is None
    else:
        assert request is not None and request.query == "query"
        assert {name: getattr(request, name) for name in implied} == implied


def item(**more: Any) -> SearchItem:
    fields = {
        "name": "run", "kind": "method", "container": None, "file_path": "a.py", "line": 3, "id": "a.py#run", "score": 0.5,
        "signature": "def run()", "doc": "Runs.", "language": "python", "match": None,
    }  # fmt: skip
    return SimpleNamespace(**{**fields, **more})  # type: ignore[return-value]


def test_a_row_of_a_search_as_a_hit() -> None:
    name = name_hit(item(container="A.B"))
    hit = name.hit
    assert (name.key, name.is_exact) == (("symbol", "a.py#A.B.run"), False)
    assert name.texts == ("run", "A.B", "a.py", "def run()", "Runs.")
    assert (hit.id, hit.type, hit.title, hit.source, hit.line) == (
        "a.py#run",
        "method",
        "A.B.run",
        "a.py",
        3,
    )
    assert (hit.content, hit.score, hit.content_type, hit.added) == (
        "def run()\nRuns.",
        0.5,
        "code",
        "",
    )
    assert (hit.result_origin, hit.metadata) == ("symbol", {"language": "python"})
    bare = name_hit(item(signature=None, doc=None, language=None, score=None, match="typo"))
    assert (bare.hit.content, bare.hit.score, bare.hit.title) == ("", 0.0, "run")
    assert bare.hit.metadata == {"match": "typo"} and bare.texts == ("run", "", "a.py", "", "")
    for score, is_exact in ((0.9999, False), (1.0, True)):
        assert name_hit(item(score=score)).is_exact is is_exact
    assert len(name_hit(item(doc="d" * 5_000)).hit.content) < 5_000


# Neighbours

related: Any = neighbours_module.related
neighbours: Any = neighbours_module.neighbours


def hit(name: str, source: str = "a.py", origin: str = "symbol", **more: Any) -> TextHit:
    fields = {"id": f"{source}#{name}", "title": name, "content": "", "line": 1, "score": 0.0}
    return TextHit(
        source=source, content_type="code", added="", type="symbol", result_origin=origin, **{**fields, **more}
    )  # fmt: skip


class Names:
    """A `SymbolLookup` over a few symbols."""

    def __init__(
        self, *symbols: str, callers: Sequence[Any] = (), callees: Sequence[Any] = ()
    ) -> None:
        self.symbols = [hit(*symbol.split("@")[:2]) for symbol in symbols]
        self.called, self.asked = {"callers": callers, "callees": callees}, list[Any]()
        self.sections: dict[str, list[TextHit]] = {}

    def named(self, request: SearchRequest) -> list[NameHit]:
        self.asked.append(request)
        if request.query == "bad(":
            raise RequestError("not a query")
        if request.query.endswith("."):
            symbols = [symbol for symbol in self.symbols if symbol.title.startswith(request.query)]
        else:
            symbols = [
                symbol
                for symbol in self.symbols
                if symbol.title.rpartition(".")[2].startswith(request.query)
            ]
        rows = [
            NameHit(
                ("symbol", symbol.id), symbol, symbol.title.rpartition(".")[2] == request.query, ()
            )
            for symbol in symbols
        ]
        return rows[: request.max_items]

    def calls(
        self, symbol_id: str, direction: Direction, most: int, seconds: float
    ) -> list[RelatedItem]:
        self.asked.append((symbol_id, direction, most, seconds))
        if self.called[direction] == "fails":
            raise StorageError("damaged")
        return list(self.called[direction])[:most]

    def ask(self, request: TextRequest) -> list[TextSection]:
        self.asked.append(request)
        items = self.sections.get(request.within, [])
        return [TextSection(query="", items=items, total=len(items), has_more=False)]


def relations(names: Names, of: TextHit) -> list[tuple[str, str]]:
    return [(neighbour.relation, neighbour.hit.title) for neighbour in related(names, of)]


def test_siblings_are_three_others_of_the_container() -> None:
    names = Names("A.a", "A.b", "A.c", "A.d", "A.e")
    assert relations(names, hit("A.b")) == [("same container", f"A.{letter}") for letter in "acd"]
    request = names.asked[0]
    assert (request.query, request.paths, request.max_items) == ("A.", ["/a.py"], 4)
    assert relations(Names("a", "b"), hit("a")) == []
    names = Names("A.a@x[1]*.py")
    relations(names, hit("A.b", "x[1]*{a}?!\\.py"))
    assert names.asked[0].paths == [r"/x\[1\]\*\{a\}\?\!\\.py"]


def caller(name: str, at: str = "b.py:7", **more: Any) -> RelatedItem:
    fields = {
        "id": f"b.py#{name}",
        "name": name,
        "at": at,
        "file_path": "c.py",
        "line": 9,
        "text": f"{name}()",
    }
    return SimpleNamespace(**{**fields, **more})  # type: ignore[return-value]


def test_callers_are_where_they_call() -> None:
    names = Names(callers=[caller("one"), caller("two", at="x"), caller("none", id=""), caller("self", id="a.py#a"), caller("three", at=":x")])  # fmt: skip
    hits = [
        neighbour.hit for neighbour in related(names, hit("a")) if neighbour.relation == "caller"
    ]
    assert [(hit.title, hit.source, hit.line, hit.content) for hit in hits] == [
        ("one", "b.py", 7, "one()"), ("two", "c.py", 9, "two()"), ("three", "c.py", 9, "three()"),
    ]  # fmt: skip
    assert {(hit.type, hit.content_type, hit.result_origin) for hit in hits} == {
        ("symbol", "code", "symbol")
    }
    assert ("a.py#a", "callers", 10, 2.0) in names.asked
    assert relations(Names(callers="fails"), hit("a")) == []


def test_callees_are_where_they_are_defined_except_those_in_tests() -> None:
    calls = [
        caller("run"),
        caller("gone", id="", file_path="", line=0),
        caller("a", id="a.py#a"),
        caller("check", file_path="tests/test_a.py"),
    ]
    names = Names(callees=calls)
    hits = [neighbour.hit for neighbour in related(names, hit("a"))]
    assert [(hit.title, hit.source, hit.line) for hit in hits] == [("run", "c.py", 9)]
    assert ("a.py#a", "callees", 10, 2.0) in names.asked
    of_test = relations(names, hit("b", "tests/test_b.py"))
    assert of_test == [("callee", "run"), ("callee", "a"), ("callee", "check")]
    assert relations(Names(callees="fails"), hit("a")) == []


def test_the_symbols_that_a_text_links_to_or_mentions() -> None:
    text = "See `Plain` and A.run and x::stop(), but not word; snake_case, camelCase, call(x), `ab`, `abc`"
    names = Names(
        "Plain", "run", "stop", "word", "snake_case", "camelCase", "call", "ab", "abc", "linked"
    )

    def mentioned(content: str, **more: Any) -> list[str]:
        return [
            title
            for relation, title in relations(
                names, hit("t", origin="document", content=content, **more)
            )
            if relation == "mentions"
        ]

    assert mentioned("`Plain` word snake_case camelCase call(x) `ab` `abc`") == [
        "Plain",
        "snake_case",
        "camelCase",
        "call",
        "abc",
    ]
    assert mentioned(text)[0] == "Plain"
    assert mentioned("", metadata={"links": ["a.py#linked", "nothing", 7]}) == ["linked"]
    assert mentioned("run_ A.b bad( `Plain`") == ["Plain"]
    # Five are shown, and twenty candidates looked up.
    five = Names(*(f"name{n}" for n in range(7)))
    hits = relations(
        five, hit("t", origin="note", content=" ".join(f"name{n}()" for n in range(7)))
    )
    assert [title for _, title in hits] == [f"name{n}" for n in range(5)] and len(five.asked) == 5
    for n_others, expected in ((19, ["Plain"]), (20, [])):
        assert mentioned(" ".join(f"gone{n}()" for n in range(n_others)) + " `Plain`") == expected
    assert (
        mentioned(" " * 19_993 + "`Plain`") == ["Plain"]
        and mentioned(" " * 19_994 + "`Plain`") == []
    )


def test_texts_about_a_symbol_contain_its_name_or_link_to_it() -> None:
    names = Names()
    names.sections = {
        "text": [
            hit("x", origin="document", content="about \x02run\x02 here"), hit("run it", origin="document"),
            hit("y", origin="document", content="running"), hit("run", origin="symbol"),
        ],
        "notes": [hit("n", origin="note", metadata={"links": ["a.py#A.run"]}), hit("m", origin="note", metadata={"links": None})],
    }  # fmt: skip
    from symindex.text.snippets import MARK

    names.sections["text"][0].content = f"about {MARK}run{MARK} here"
    mentions = [
        neighbour
        for neighbour in related(names, hit("A.run"))
        if neighbour.relation in ("mentioned in", "note")
    ]
    assert [(mention.relation, mention.hit.title) for mention in mentions] == [
        ("mentioned in", "x"),
        ("mentioned in", "run it"),
        ("note", "n"),
    ]
    assert mentions[0].hit.content == "about run here"
    asked = [request for request in names.asked if isinstance(request, TextRequest)]
    assert [(request.queries, request.within, request.limit) for request in asked] == [
        (["run"], "text", 5),
        (["run"], "notes", 5),
    ]


def test_neighbours_of_hits_are_unique_and_not_the_hits_themselves() -> None:
    names = Names("A.a", "A.b", "A.c", callers=[caller("one")], callees=[caller("one")])
    hits = [hit("A.a"), hit("A.b")]
    name_hits = neighbours(names, hits, 9)
    assert [name.hit.title for name in name_hits] == ["A.c", "one"]
    assert {name.hit.result_origin for name in name_hits} == {"graph"}
    assert [name.key for name in name_hits] == [("symbol", "a.py#A.c"), ("symbol", "b.py#one")]
    assert [name.hit.title for name in neighbours(names, hits, 1)] == ["A.c"]
    assert {("a.py#A.a", way, 10, 0.5) for way in ("callers", "callees")} <= {
        one for one in names.asked if isinstance(one, tuple)
    }


# Texts by their ids


class Root:
    def __init__(self, name: str) -> None:
        self.name, self.is_answering = name, False

    @contextmanager
    def answering(self) -> Iterator[None]:
        self.is_answering = True
        yield
        self.is_answering = False

    def _found(self, kind: str, wanted: object, *there: object) -> TextHit | None:
        assert self.is_answering
        return hit(f"{self.name} {kind} {wanted}") if wanted in there else None

    def note(self, number: int) -> TextHit | None:
        return self._found("note", number, 3)

    def chunk(self, number: int, prefix: str) -> TextHit | None:
        return self._found(f"chunk of {prefix}", number, 3)

    def memory(self, memory_id: str) -> TextHit | None:
        return self._found("memory", memory_id, "memory:a")

    def entity(self, item_id: str, snapshot: object, prefix: str) -> TextHit | None:
        if item_id == "fails":
            raise StorageError("damaged")
        return self._found("entity", item_id, "id", "chunk:x", "note:" + "1" * 19)


TEXT_IDS = {
    "note:3": "one note 3", "note:4": None, "two/note:3": None, "chunk:3": None, "one/chunk:3": "one chunk of one/ 3",
    "two/chunk:3": "two chunk of two/ 3", "memory:a": "one memory memory:a", "memory:b": None, "id": "one entity id", "other": None,
    "": None, "a#id": None, "fails": None, "chunk:x": "one entity chunk:x", "note:" + "1" * 19: f"one entity note:{'1' * 19}",
    "note:" + "1" * 18: None,
}  # fmt: skip


@pytest.mark.parametrize("text_id", TEXT_IDS)
def test_the_text_that_an_id_means(text_id: str) -> None:
    roots: Any = SimpleNamespace(
        recalled=lambda: iter([(Root("one"), None, "one/"), (Root("two"), None, "two/")])
    )
    hit = hit_of(roots, text_id)
    assert (hit.title if hit is not None else None) == TEXT_IDS[text_id]


def test_a_chunk_of_a_single_root_has_no_prefix() -> None:
    roots: Any = SimpleNamespace(recalled=lambda: iter([(Root("one"), None, "")]))
    hit = hit_of(roots, "chunk:3")
    assert hit is not None and hit.title == "one chunk of  3"


def test_a_text_as_a_symbol_is_cut_to_the_tokens_of_the_request() -> None:
    text = hit("title", content="line one\nline two\n\n", line=5, id="chunk:1")
    whole = as_symbol(text, SymbolRequest(symbol="chunk:1", max_tokens=0))
    symbol = whole.symbol
    assert symbol is not None and whole.notices is UNSET and whole.total == 1
    assert (symbol.code, symbol.is_whole, symbol.name, symbol.kind) == (
        "line one\nline two\n",
        True,
        "title",
        "item",
    )
    assert (symbol.range.start_line, symbol.range.end_line) == (5, 6)
    assert (symbol.code_start_line, symbol.code_end_line, symbol.line) == (5, 6, 5)
    assert (symbol.hidden_members, symbol.hidden_siblings, symbol.more_lines) == (0, 0, "")
    cut = as_symbol(
        hit("t", content="word word\n" * 50, id="chunk:1"), SymbolRequest(symbol="x", max_tokens=10)
    )
    assert cut.symbol is not None and not cut.symbol.is_whole and cut.symbol.code.count("\n") < 50
    assert cut.symbol.range.end_line == 50 and cut.symbol.code_end_line == cut.symbol.code.count(
        "\n"
    )
    assert cut.notices == ["chunk:1 is cut: request it with more max_tokens"]


@pytest.mark.parametrize(
    ("kind", "content_type", "origin"),
    [("section", "prose", "document"), ("item", "prose", "document"), ("class", "code", "symbol")],
)
def test_a_symbol_that_others_are_related_to_is_a_hit(
    kind: str, content_type: str, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    detail = SimpleNamespace(id="a.py#A.b", kind=kind, file_path="a.py", line=3)
    lookups = SimpleNamespace(symbol=lambda symbol, freshness: SimpleNamespace(symbol=detail))
    roots: Any = SimpleNamespace(
        recalled=lambda: iter([]), bring_up_to_date=lambda *_: None, lookups=lookups
    )
    monkeypatch.setattr(
        recall_module, "RootSymbols", lambda *_: SimpleNamespace(whole=lambda _: "text")
    )
    monkeypatch.setattr(neighbours_module, "related", lambda *_: [])
    hit, others = recall_module.related(roots, "a.py#A.b", Freshness()) or (None, None)
    assert others == [] and hit == TextHit(
        id="a.py#A.b", type=kind, title="A.b", source="a.py", line=3, content="text", score=0.0, added="",
        content_type=content_type, result_origin=origin,
    )  # fmt: skip


# Words of a question in a text


def test_the_word_of_the_question_that_a_word_of_a_text_means() -> None:
    question = read_question("caching limits of io")
    matches = Matches([], [], [], [], {"limts": "limited"}, [], {})
    word_of = WordsOfQuestion(question, matches).__getitem__
    meant = {
        "cache": "caching", "Cached": "caching", "limit": "limits", "unlimited": "limits", "io": "io", "radio": "", "cat": "", "": "",
        "cacheLimit": "caching", "Größe": "", "caché": "caching", "im": "",
    }  # fmt: skip
    meanings = {word: word_of(word) for word in meant}
    assert meanings["limit"] in ("limits", "limited")
    assert {word: meanings[word].replace("limited", "limits") for word in meant} == meant
    assert {word: word_of(word) for word in meant} == meanings  # from the cache


# Meaning


class Model:
    """Embeds a text as two numbers: whether it has an `a` or a `b`."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: list[str]) -> Any:
        self.texts += texts
        return np.array([[float("a" in text), float("b" in text) / 2] for text in texts])


def test_the_nearest_piece_of_a_text_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    monkeypatch.setattr(vectors, "_model", lambda: model)
    far = "x" * 600 * 7 + "x" * 799
    texts = [
        ChunkText("T > t", far + "a"),
        ChunkText("", far + "xa"),
        ChunkText("", ""),
        ChunkText("", "b"),
        ChunkText("", "x" * 1_399 + "a"),
    ]
    assert vectors.nearness("ab", texts).tolist() == [1.0, 0.0, 0.0, 0.25, 1.0]
    assert model.texts[0] == "T   t. " + "x" * 800
    # Pieces of 800 characters begin every 600; a text has eight at most.
    assert [len(text) for text in model.texts[:8]] == [len("T   t. ") + 800] * 8
    assert vectors.nearness("c", texts).tolist() == [0.0] * 5
    assert vectors.nearness("a", []).tolist() == []


# Dates from git


@pytest.mark.parametrize(
    ("said", "dates"),
    [
        (b"", {}), (b"\x015\n\na.md\0b.md\0", {"a.md": 5_000, "b.md": 5_000}),
        (b"\x017\n\na.md\0\x015\n\na.md\0b.md\0", {"a.md": 7_000, "b.md": 5_000}), (b"\x01x\n\na.md\0\x012\n\nb\xff\0", {"b\udcff": 2_000}),
        (b"before\x013\n\na\0", {"a": 3_000}),
    ],
)  # fmt: skip
def test_the_newest_commit_of_a_file_counts(
    said: bytes, dates: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(commit_dates, "_ask", lambda *_: said)
    assert commit_dates.commit_dates(tmp_path) == dates


@pytest.mark.parametrize(
    ("said", "code", "is_late", "kept"),
    [(b"12345678", 0, False, True), (b"1", 1, False, False), (b"12345678", 1, False, True), (b"1234567", 1, False, False),
     (b"12345678", 1, True, False), (b"12345678", 0, True, True)],
)  # fmt: skip
def test_what_git_says_counts_if_it_ended_well_or_said_enough(
    said: bytes,
    code: int,
    is_late: bool,
    kept: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
) -> None:
    asked: list[Any] = []

    def ask(*arguments: Any) -> Any:
        asked.append(arguments)
        return SimpleNamespace(said=said, code=code, is_late=is_late)

    monkeypatch.setattr(commit_dates, "MOST_BYTES", 8)
    monkeypatch.setattr(commit_dates.GitReader, "of", lambda root: SimpleNamespace(ask=ask))
    assert commit_dates.head_of(tmp_path) == (said.decode() if kept else "")
    assert asked == [(("rev-parse", "--verify", "--quiet", "HEAD"), 8, 2.0, tmp_path)]

    def refuse(*_: Any) -> Any:
        raise RequestError("no git")

    for reader in (SimpleNamespace(ask=refuse), SimpleNamespace(ask=lambda *_: None)):
        monkeypatch.setattr(commit_dates.GitReader, "of", lambda root, reader=reader: reader)
        assert commit_dates.head_of(tmp_path) == ""
    assert issubclass(RequestError, SymindexError)
