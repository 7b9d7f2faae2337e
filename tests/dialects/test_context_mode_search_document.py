"""Tests each statement of the document of ctx_search: the matchers, the knowledge base, filters,
both sorts, limits, examples."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.dialect_client import (
    Answer,
    Arguments,
    Check,
    DialectServer,
    case,
    hides,
    refused,
    shows,
    shows_in_order,
    types_of,
)
from tests.support.dialect_knowledge import CATEGORIES, date, make_knowledge
from tests.support.dialect_world import World

CASUAL = {
    "CONTEXT_MODE_SEARCH_MAX_RESULTS_AFTER": "100000",
    "CONTEXT_MODE_SEARCH_BLOCK_AFTER": "100000",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_knowledge(tmp_path_factory.mktemp("ctx"), **CASUAL)


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[DialectServer]:
    with world.serve("context-mode") as server:
        yield server


def counts(pattern: str, number: int) -> Check:
    """The answer contains this number of different words that match a pattern."""

    def check(answer: Answer) -> None:
        assert len(set(re.findall(pattern, answer.plain))) == number, answer.plain

    return check


def shorter_than(characters: int) -> Check:
    def check(answer: Answer) -> None:
        assert len(answer.plain) < characters

    return check


def shows_by_date(*marks: str) -> Check:
    """The answer shows these marks, which are ordered by date, in this order or its reverse."""

    def check(answer: Answer) -> None:
        shows(*marks)(answer)
        places = [answer.plain.index(mark) for mark in marks]
        assert places in (sorted(places), sorted(places, reverse=True)), answer.plain

    return check


def says_source_is_unknown(answer: Answer) -> None:
    assert "no-such-label" in answer.text or "filter" in answer.text
    assert "NEXTMARK" not in answer.text and "Traceback" not in answer.text


def ask(*queries: str, **more: Any) -> dict[str, Any]:
    return {"queries": list(queries), **more}


ROOT = ask("root cause", "proposed fix", "test coverage", source="issue-#683")
DECIDED = ask("what did we decide about caching", source="decision", sort="timeline")
REACT = ask("useEffect cleanup pattern", source="react-docs", contentType="code", limit=5)
LATEST = ask("last user prompt", "active skills", "open blockers", sort="timeline")
BIRDS = ("OLDBIRD", "BEFOREBIRD", "NOWBIRD")
EXAMPLES = [
    case(
        "example: a batch in one source", ROOT, shows_in_order("ROOTMARK", "FIXMARK", "COVERMARK")
    ),
    case(
        "example: a batch has a section for each query",
        ROOT,
        shows_in_order("root cause", "proposed fix", "test coverage"),
    ),
    case(
        "example: a batch in one source shows no other",
        ROOT,
        hides("REACTPROSE", "NEXTMARK", "OLDBIRD"),
    ),
    case(
        "example: decisions by time", DECIDED, shows_by_date("OLDCACHE", "BEFORECACHE", "NOWCACHE")
    ),
    case("example: decisions alone", DECIDED, hides("STEMCACHED", "NOWBIRD")),
    case("example: code of one source", REACT, shows("REACTCODE"), hides("REACTPROSE")),
    case("example: the last prompt", LATEST, shows("NOWPROMPT")),
    case("example: active skills", LATEST, shows("NOWSKILLS")),
    case("example: open blockers", LATEST, shows("NOWBLOCKER")),
    case(
        "example: a section for each query",
        LATEST,
        shows_in_order("last user prompt", "active skills", "open blockers"),
    ),
]
MATCHERS = [
    case("stemming: caching finds cached", ask("caching", source="handbook", limit=5), shows("STEMCACHED")),
    case("stemming: caching finds caches", ask("caching", source="handbook", limit=5), shows("STEMCACHES")),
    case("stemming: caching finds cach", ask("caching", source="handbook", limit=5), shows("STEMCACH.")),
    case("trigrams: useEff finds useEffect", ask("useEff"), shows("useEffect")),
    case("trigrams: a part inside a word", ask("mellifl", source="handbook"), shows("WHOLEWORD", "PARTWORD")),
    case("fusion: what both matchers find comes first", ask("mellifluous", limit=5), shows_in_order("WHOLEWORD", "PARTWORD")),
    case("proximity: near words come first", ask("zeppelin hangar", limit=5), shows_in_order("NEARWORDS", "FARWORDS")),
    case("title weighs more than content", ask("quagga", limit=5), shows_in_order("INTITLE", "INBODY")),
    case("typo: a transposition", ask("heliogarph"), shows("NOONMARK")),
    case("typo: distance 1 up to 4 letters", ask("yurr"), shows("YURTMARK")),
    case("typo: distance 2 up to 12 letters", ask("helyogrph"), shows("NOONMARK")),
    case("typo: distance 3 beyond", ask("thermregulatn"), shows("THERMOMARK")),
    case("typo: beside a word that is known", ask("useEffct cleanup", source="react-docs"), shows("useEffect")),
    case("typo: none in a known word", ask("skills", source="handbook", limit=10), shows("SKILLMARK"), hides("SMILEMARK")),
    case("typo: last is not list", ask("last", source="handbook", limit=10), shows("LASTMARK"), hides("LISTMARK")),
    case("windows: the match is shown", ask("heliograph", limit=1), shows("NOONMARK")),
    case("windows: not the beginning of a long text", ask("heliograph", limit=1), hides("CHRONICLEBEGIN", "CHRONICLEEND")),
    case("windows: about 1,500 characters", ask("heliograph", limit=1), shorter_than(2500)),
    case("short words are found", ask("qz"), shows("SHORTWORD")),
    case("CJK is found", ask("缓存"), shows("CJKMARK")),
    *[case(f"common words count: {word}", ask(word, source="handbook", limit=10), shows(f"{word.upper()}MARK"))
      for word in ("get", "use", "test", "run", "add")],
    case("sections with one title stay apart", ask("axolotl tank", limit=5), shows("SETUPONE", "SETUPTWO")),
]  # fmt: skip
LIMITS = [
    case("limit: 3 is the default", ask("wombat", source="handbook"), counts("WOMBAT[0-9]+", 3)),
    case("limit: 5", ask("wombat", source="handbook", limit=5), counts("WOMBAT[0-9]+", 5)),
    case("limit: 1", ask("wombat", source="handbook", limit=1), counts("WOMBAT[0-9]+", 1)),
    case("limit: 12", ask("wombat", source="handbook", limit=12), counts("WOMBAT[0-9]+", 12)),
    case(
        "limit: of each query",
        ask("wombat", "kookaburra", "quagga", limit=2),
        counts("WOMBAT[0-9]+", 2),
        shows("INTITLE", "INBODY"),
    ),
    case(
        "batch: each query is answered",
        ask("heliograph", "yurt", "wallaby"),
        shows_in_order("NOONMARK", "YURTMARK", "NOTE:"),
    ),
    case(
        "batch: content and memory",
        ask("middleware", "certificate"),
        shows("NEXTMARK", "NOWBLOCKER"),
    ),
    case(
        "batch: the code of the project",
        ask("AuthService", "recalculate"),
        shows("service.py", "cart.ts"),
    ),
    case(
        "batch: a query that finds nothing is there",
        ask("xyzzyplugh", "yurt"),
        shows("xyzzyplugh", "YURTMARK"),
    ),
]
FILTERS = [
    case("source: part of a label", ask("useEffect", source="react"), shows("REACTPROSE")),
    case("source: part of another", ask("proposed fix", source="683"), shows("FIXMARK"), hides("REACTPROSE")),
    case("source: nothing else", ask("middleware", source="react-docs"), hides("NEXTMARK")),
    case("source: an unknown one says so", ask("middleware", source="no-such-label"), says_source_is_unknown),
    case("contentType: code", ask("useEffect", contentType="code"), shows("REACTCODE"), hides("REACTPROSE")),
    case("contentType: prose", ask("useEffect", contentType="prose"), shows("REACTPROSE"), hides("REACTCODE")),
    case("contentType: both without it", ask("useEffect", source="react-docs", limit=5), shows("REACTPROSE", "REACTCODE")),
    case("contentType: one that is none is refused", ask("useEffect", contentType="poetry"), refused("code", "prose")),
    *[case(f"source label: {name}", ask("wallaby", source=name), shows(f"NOTE:{name}:")) for name in CATEGORIES],
    *[
        case(f"label by time: {name}", ask("wallaby", source=name, sort="timeline"), shows(f"NOTE:{name}:"))
        for name in CATEGORIES
    ],
]  # fmt: skip
SORTS = [
    case(
        "sort: relevance is the default, of this session",
        ask("kookaburra", limit=5),
        shows("NOWBIRD"),
        hides(*BIRDS[:2]),
    ),
    case(
        "sort: relevance",
        ask("kookaburra", limit=5, sort="relevance"),
        shows("NOWBIRD"),
        hides(*BIRDS[:2]),
    ),
    case(
        "sort: relevance ranks stored content",
        ask("middleware", sort="relevance"),
        shows("NEXTMARK"),
    ),
    case(
        "sort: timeline, of all sessions by date",
        ask("kookaburra", sort="timeline", limit=5),
        shows_by_date(*BIRDS),
    ),
    case(
        "sort: timeline shows the dates",
        ask("kookaburra", sort="timeline", limit=5),
        shows(date(60), date(3)),
    ),
    case(
        "sort: timeline shows sessions",
        ask("kookaburra", sort="timeline", limit=5),
        shows("session-old", "session-before"),
    ),
    case(
        "sort: timeline with the default limit", ask("kookaburra", sort="timeline"), shows(*BIRDS)
    ),
    case(
        "sort: timeline has stored content, too",
        ask("heliograph", sort="timeline"),
        shows("NOONMARK"),
    ),
    case(
        "sort: one that is none is refused with the legal ones",
        ask("x", sort="date"),
        refused("relevance", "timeline"),
    ),
]
REQUESTS = [
    case(
        "queries: one that is none of the arguments is refused with the legal ones",
        {"query": "x"},
        refused("query", "queries", "limit"),
    ),
    case("limit: a negative number is refused", ask("wombat", limit=-1), refused("limit")),
    *[  # type: ignore[var-annotated]
        case(
            f"{name}: {empty!r} is absent",
            ask("wombat", **{name: empty}),
            counts("WOMBAT[0-9]+", 3),
        )
        for name in ("limit", "source", "contentType", "sort")
        for empty in ("", [], False, None)
    ],
]


@pytest.mark.sample(95)
@pytest.mark.parametrize(
    ("arguments", "check"), [*EXAMPLES, *MATCHERS, *LIMITS, *FILTERS, *SORTS, *REQUESTS]
)
def test_ctx_search(server: DialectServer, arguments: Arguments, check: Check) -> None:
    check(server.call("ctx_search", arguments))


@pytest.mark.parametrize(
    "arguments",
    [{}, {"queries": []}, {"queries": None}, {"queries": ""}, {"queries": False}],
    ids=str,
)
def test_a_call_without_queries_is_answered_or_refused_in_words(
    server: DialectServer, arguments: Arguments
) -> None:
    answer = server.call("ctx_search", arguments)
    assert answer.text and "Traceback" not in answer.text and "internal error at" not in answer.text
    assert not answer.is_error or "queries" in answer.text


def test_the_tool_is_ctx_search_alone(server: DialectServer) -> None:
    assert set(server.tools) == {"ctx_search"}


@pytest.mark.parametrize(
    ("name", "kind", "default"),
    [
        ("queries", "array", None),
        ("limit", "integer", 3),
        ("source", "string", None),
        ("contentType", "string", None),
        ("sort", "string", "relevance"),
    ],
)
def test_the_schema_has_each_parameter(
    server: DialectServer, name: str, kind: str, default: Any
) -> None:
    schema = server.properties("ctx_search")[name]
    assert types_of(schema) & ({kind, "number"} if kind == "integer" else {kind})
    assert schema.get("default") == default
    assert schema["description"]


def test_the_schema_has_no_other_parameter_and_requires_none(server: DialectServer) -> None:
    schema = server.tools["ctx_search"]["inputSchema"]
    assert set(schema["properties"]) == {"queries", "limit", "source", "contentType", "sort"}
    assert not schema.get("required")


def test_code_is_shown_as_written(server: DialectServer) -> None:
    """Code in fences keeps its spelling, because models copy it."""
    answer = server.call("ctx_search", ask("useEffect cleanup", "缓存", source="", limit=5))
    assert "  return () => clearInterval(timer) // REACTCODE cleanup pattern" in answer.text
    assert "缓存策略很重要" in answer.text and "**" not in answer.text


def test_more_than_20_queries_are_refused(server: DialectServer) -> None:
    refused("ctx_search: queries has 21 parts: at most 20 are allowed")(
        server.call("ctx_search", ask(*["wombat"] * 21))
    )
    assert server.properties("ctx_search")["queries"]["maxItems"] == 20


def test_a_guess_is_reported(server: DialectServer) -> None:
    shows("heliograph")(server.call("ctx_search", ask("heliogarph")))
    shows("heliogarph")(server.call("ctx_search", ask("heliogarph")))


@pytest.mark.nightly
def test_the_current_session_is_the_one_of_the_environment(world: World) -> None:
    with world.serve("context-mode", SYMINDEX_SESSION="session-before") as server:
        answer = server.call("ctx_search", ask("kookaburra", limit=5))
    shows("BEFOREBIRD")(answer)
    hides("NOWBIRD", "OLDBIRD")(answer)
