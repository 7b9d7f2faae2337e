"""The contract: fields, defaults, nullability, kinds."""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

import symindex.protocol
from symindex.errors import RequestError
from symindex.protocol import (
    changes,
    explore,
    fetch,
    fleet,
    freshness,
    grep,
    hierarchy,
    history,
    kinds,
    overview,
    recall,
    search,
    search_options,
    search_rows,
    status,
    trace,
    unused,
)
from symindex.protocol.kinds import (
    KINDS,
    SymbolFlag,
    SymbolKind,
    expand_kinds,
    parse_kind,
    words_of_flags,
)
from symindex.protocol.search import (
    SearchItem,
    SearchRequest,
    SearchResponse,
    add_notices,
    is_guess,
)
from symindex.protocol.search_rows import keep_declarations
from symindex.requests import check_request
from tests.support.files import Maker
from tests.support.whole import check_whole

CONTRACT = Path(__file__).with_name("contract.txt")

CODES = """
file 1  module 2  namespace 3  package 4  class 5  method 6  property 7  field 8  constructor 9  enum 10  interface 11
function 12  variable 13  constant 14  string 15  number 16  boolean 17  array 18  object 19  key 20  null 21  enumMember 22
struct 23  event 24  operator 25  typeParameter 26  trait 27  macro 28  type 29  section 30  item 31
"""


def test_kind_codes_never_change() -> None:
    words = CODES.split()
    expected = {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}
    assert {str(kind): row.code for kind, row in KINDS.items()} == expected


def test_additions_are_shown_to_lsp_clients_as() -> None:
    shown = {str(kind): row.lsp for kind, row in KINDS.items() if row.lsp != row.code}
    assert shown == {"trait": KINDS[SymbolKind.INTERFACE].code, "macro": KINDS[SymbolKind.FUNCTION].code,
                     "type": KINDS[SymbolKind.CLASS].code, "section": KINDS[SymbolKind.STRING].code,
                     "item": KINDS[SymbolKind.STRING].code}  # fmt: skip


def test_a_plain_request_and_its_answer_have_exactly_the_fields_of_the_contract() -> None:
    request = SearchRequest(query="q")
    assert msgspec.to_builtins(request) == {
        "query": "q", "kinds": None, "max_items": None, "start_index": 0, "pagination_id": None,
    }  # fmt: skip
    item = SearchItem(name="n", kind="class", file_path="a/b.x", line=1, container=None)
    assert list(msgspec.to_builtins(item)) == ["name", "kind", "file_path", "line", "container"]
    response = SearchResponse(
        request=request,
        items=[item],
        start_index=0,
        max_items=None,
        total=1,
        has_more=False,
        pagination_id=None,
    )
    assert list(msgspec.to_builtins(response)) == [
        "request", "items", "start_index", "max_items", "total", "has_more", "pagination_id",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "missing required field `query`"),
        ({"query": "q", "colour": 1}, "unknown field `colour`"),
        ({"query": 3}, "Expected `str`, got `int`"),
        ({"query": "q", "max_items": "10"}, "Expected `int | null`, got `str`"),
    ],
)
def test_json_that_is_no_request(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=complaint.replace("|", r"\|")):
        msgspec.convert(given, SearchRequest)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"max_items": 0}, "max_items is 0: it must be 1 or more, or null for all"),
        ({"max_items": -5}, "max_items is -5: it must be 1 or more, or null for all"),
        ({"start_index": -1}, "start_index is -1: it must be 0 or more"),
        (
            {"include": ["colour"]},
            "unknown include field 'colour': "
            "expected one of doc, facets, flags, id, language, metadata, range, repository, score, signature, snippet, spans",
        ),
    ],
)
def test_impossible_values(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_request(SearchRequest(query="q", **change))  # type: ignore[arg-type]
    assert str(caught.value) == complaint


MISFITS: list[tuple[dict[str, object], str]] = [
    ({"query": 5}, "query is 5: expected a string"),
    ({"query": None}, "query is None: expected a string"),
    ({"query": b"q"}, "query is b'q': expected a string"),
    ({"max_items": "3"}, "max_items is '3': expected an integer"),
    ({"max_items": True}, "max_items is True: expected an integer"),
    ({"max_items": 2.5}, "max_items is 2.5: expected an integer"),
    ({"start_index": None}, "start_index is None: expected an integer"),
    ({"kinds": [None]}, "kinds is [None]: expected a string at kinds[0]"),
    ({"kinds": "class"}, "kinds is 'class': expected a list, as ['class']"),
    ({"paths": ["a", 5]}, "paths is ['a', 5]: expected a string at paths[1]"),
    ({"languages": "go" * 50}, "languages is 'gogogo"),
    ({"include": 1}, "include is 1: expected a list"),
    ({"fuzzy": "no"}, "fuzzy is 'no': expected true or false"),
    ({"pagination_id": 7}, "pagination_id is 7: expected a string"),
]


@pytest.mark.parametrize(("change", "complaint"), MISFITS)
def test_a_field_of_a_wrong_type_says_what_is_expected(
    change: dict[str, Any], complaint: str, make_workspace: Maker
) -> None:
    workspace = make_workspace({})
    fields = {"query": "q"} | change
    for ask in (
        lambda: workspace.search(**fields),
        lambda: workspace.search(SearchRequest(**fields)),
    ):
        with pytest.raises(RequestError) as caught:
            ask()
        assert str(caught.value).startswith(complaint) and len(str(caught.value)) < 200


def test_other_requests_are_checked_too(make_workspace: Maker) -> None:
    workspace = make_workspace({})
    asked: list[tuple[Callable[[Any], object], str]] = [
        (workspace.symbol, "symbol is 5: expected a string"),
        (workspace.outline, "path is 5: expected a string"),
        (workspace.references, "name is 5: expected a string"),
        (
            lambda number: workspace.outline("", kinds=str(number)),  # type: ignore[arg-type]
            "kinds is '5': expected a list, as ['5']",
        ),
        (lambda number: workspace.symbol("a", lines=number), "lines is 5: expected a string"),
    ]
    for ask, said in asked:
        with pytest.raises(RequestError) as caught:
            ask(5)
        assert str(caught.value) == said


def test_pythons_types_for_texts_and_lists_are_accepted(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "class q: pass\n"})
    absent: Any = None
    response = workspace.search(
        "q", kinds=[SymbolKind.CLASS], languages=absent, paths=absent, fuzzy=absent, include=absent
    )
    assert response.total == workspace.search("q", kinds=("class",)).total == 1  # type: ignore[arg-type]


def test_an_unknown_kind_lists_the_known_ones() -> None:
    with pytest.raises(RequestError) as caught:
        parse_kind("klass")
    assert str(caught.value).startswith(
        "unknown kind 'klass': expected one of array, boolean, class,"
    )
    assert all(kind in str(caught.value) for kind in SymbolKind)


@pytest.mark.parametrize("word", ["enummember", "ENUMMEMBER", "enumMember"])
def test_case_of_kinds_does_not_matter(word: str) -> None:
    assert parse_kind(word) is SymbolKind.ENUM_MEMBER


def test_a_filter_for_an_lsp_kind_includes_its_additions() -> None:
    def kinds(*words: str) -> set[str]:
        return {str(kind) for kind, row in KINDS.items() if row.code in expand_kinds(list(words))}

    assert kinds("interface") == {"interface", "trait"}
    assert kinds("function") == {"function", "macro"}
    assert kinds("class") == {"class", "type"}
    assert kinds("trait", "method") == {"trait", "method"}


def test_the_public_names() -> None:
    import symindex

    assert {name for name in symindex.__all__ if getattr(symindex, name) is not None} == {
        "ReferencesRequest", "ReferencesResponse",
        "RequestError", "SearchItem", "SearchRequest", "SearchResponse", "SymbolKind", "SymindexError", "TokenError",
        "Workspace", "__version__", "open", "open_fleet",
    }  # fmt: skip
    assert dir(symindex) == sorted(symindex.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = symindex.nothing
    assert (Path(symindex.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("class", "class"), (" Class ", "class"), ("classes", None), ("methods", "method"), ("fn", "function"),
        ("FUNC", "function"), ("ctor", "constructor"), ("enum_member", "enumMember"), ("enummember", "enumMember"),
        ("protocol", "interface"), ("typedef", "type"), ("union", "struct"), ("heading", "section"), ("s", None),
        ("define", "macro"), ("", None),
    ],
)  # fmt: skip
def test_words_for_kinds(word: str, kind: str | None) -> None:
    if kind is not None:
        assert parse_kind(word) == kind
        return
    with pytest.raises(RequestError, match=rf"^unknown kind '{word}': expected one of array, "):
        parse_kind(word)


def test_a_kind_of_lsp_includes_our_additions_to_it() -> None:
    def names(*kinds: str) -> set[str]:
        return {str(kind) for kind, row in KINDS.items() if row.code in expand_kinds([*kinds])}

    assert names("interface") == {"interface", "trait"} and names("trait") == {"trait"}
    assert names("class") == {"class", "type"} and names("function") == {"function", "macro"}
    assert names("string") == {"string", "section", "item"}
    assert names("item", "enum") == {"item", "enum"} and names() == set()


def test_flags_as_words() -> None:
    flags = SymbolFlag.TEST | SymbolFlag.EXPORTED | SymbolFlag.ODD_PLACE | SymbolFlag.CONFLICTED
    assert words_of_flags(flags) == ["exported", "test", "conflicted"] and words_of_flags(0) == []


def item(**more: Any) -> SearchItem:
    return SearchItem(name="n", kind="class", file_path="a", line=1, container=None, **more)


def test_which_rows_are_guesses() -> None:
    marked = [item(match=word) for word in ("typo", "letters", "text", "some words", "")]
    assert [is_guess(row) for row in marked] == [True, True, True, False, False]
    assert not is_guess(item())


def test_only_declarations_keep_their_flags() -> None:
    rows = [item(flags=["test"]), item(flags=["declaration", "test"]), item(), item(flags=[])]
    keep_declarations(rows)
    assert [row.flags for row in rows] == [UNSET, ["declaration", "test"], UNSET, UNSET]


def test_notices_are_added_behind_others() -> None:
    response = SearchResponse(
        request=SearchRequest(query=""), items=[], start_index=0, max_items=None, total=0,
        has_more=False, pagination_id=None,
    )  # fmt: skip
    add_notices(response, [])
    assert not response.notices
    add_notices(response, ["a"])
    add_notices(response, iter(["b"]))
    assert [*(response.notices or ())] == ["a", "b"]


def structs(module: ModuleType) -> list[type[msgspec.Struct]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, msgspec.Struct)
        and value.__module__ == module.__name__
    ]


def written_struct(struct: type[msgspec.Struct]) -> str:
    """What a client in JSON or Python relies on: the fields, those that it may leave out with the
    value that they have then, and what is refused or left out."""
    config = struct.__struct_config__
    parameters = inspect.signature(struct).parameters.values()
    properties = {
        "given by name": all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters),
        "without other fields": config.forbid_unknown_fields,
        "defaults are left out": config.omit_defaults,
        "unchangeable": config.frozen,
    }
    lines = [f"{struct.__name__}: {', '.join(word for word, has in properties.items() if has)}"]
    for field in msgspec.structs.fields(struct):
        default = field.default
        if field.default_factory is not msgspec.NODEFAULT:
            default = field.default_factory()
        lines.append(
            f"  {field.encode_name}"
            + (f" = {default!r}" if default is not msgspec.NODEFAULT else "")
        )
    return "\n".join(lines)


def test_each_contract_is_on_the_page() -> None:
    folder = Path(symindex.protocol.__file__).parent
    names = {path.stem for path in folder.glob("[a-z]*.py")} - {
        "kinds",
        "freshness",
        "search_options",
    }
    pieces = f"\n{CONTRACT.read_text('utf-8')}".split("\n=== ")[1:]
    assert {piece.partition("\n")[0] for piece in pieces} == names | {
        "(kinds)", "(flags)", "(options)", "(waits)",
    }  # fmt: skip


@pytest.mark.parametrize(
    "module",
    [
        changes,
        explore,
        fetch,
        fleet,
        grep,
        hierarchy,
        history,
        overview,
        recall,
        search,
        search_rows,
        status,
        trace,
        unused,
    ],
    ids=lambda module: module.__name__.rpartition(".")[2],
)
def test_requests_and_responses_have_the_published_fields_and_defaults(
    module: ModuleType, request: pytest.FixtureRequest
) -> None:
    """Whoever changes a line of the page changes what programs send and receive."""
    name = module.__name__.rpartition(".")[2]
    text = "\n".join(map(written_struct, structs(module)))
    check_whole(CONTRACT, name, text, request.config.getoption("--update"))


def test_kinds_flags_options_and_waits_are_those_of_the_contract(
    request: pytest.FixtureRequest,
) -> None:
    """Indexes contain the codes and flags, LSP clients get the numbers of LSP, and equally good
    rows are ordered by quality."""
    rows = {
        "kinds": [
            f"{kind}: code {row.code}, lsp {row.lsp}, quality {row.quality}"
            for kind, row in kinds.KINDS.items()
        ],
        "flags": [f"{flag.name}: {int(flag)}" for flag in kinds.SymbolFlag],
        "options": [
            f"{option.name}: {option.flag or '--' + option.name.replace('_', '-')}"
            f" {option.value or 'of its own'}{', narrows' * option.narrows}"
            f"{', a tool takes ' * bool(option.tool)}{option.tool}"
            for option in search_options.SEARCH_OPTIONS
        ],
        "waits": [
            f"{name.lower()}: {value}"
            for name, value in vars(freshness).items()
            if isinstance(value, float | freshness.Freshness)
        ],
    }
    for name, lines in rows.items():
        check_whole(CONTRACT, f"({name})", "\n".join(lines), request.config.getoption("--update"))


@pytest.mark.parametrize(
    ("notice", "incomplete", "about_some"),
    [
        ("no symbol contains all three words", True, True),
        ("no symbol contains both words", True, True),
        ("12 words: no symbol contains more than 3 of them", True, True),
        ("all rows contain some of them", False, True),
        ("two files were not read", False, False),
    ],
)
def test_which_notices_say_that_rows_lack_words(
    notice: str, incomplete: bool, about_some: bool
) -> None:
    assert (search.is_incomplete(notice), search.is_about_some(notice)) == (incomplete, about_some)

    def answer(notices: list[str], start_index: int = 0, **more: Any) -> SearchResponse:
        return SearchResponse(
            request=SearchRequest(query="q", **more), items=[], start_index=start_index, max_items=None,
            total=0, has_more=False, pagination_id=None, notices=notices,
        )  # fmt: skip

    others = ["other", notice]
    assert (
        search.lacks_all_words(answer(others)) is search.lacks_words(answer(others)) is incomplete
    )
    assert not search.lacks_words(answer(others, 1))
    assert not search.lacks_words(answer(others, phrasings=["p"]))
    assert not search.lacks_all_words(answer([]))
    unset: Any = UNSET
    assert not search.lacks_all_words(answer(unset))
