"""Options of a search in pairs: what each option means does not depend on the others.

The combinations are a covering array (`support/pairs`): each value of an option meets each value
of each other. What an option must do is stated by relations to answers without it: a filter leaves
the rows that pass it, in their order; a page is a slice; an order is a permutation; a front end adds
nothing and drops nothing.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec import UNSET

from symindex.protocol.kinds import SymbolKind
from symindex.protocol.search import (
    ITEM_EXTRAS,
    SearchItem,
    SearchRequest,
    SearchResponse,
    is_guess,
)
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.workspace.workspace import Workspace
from tests.support.command import run
from tests.support.files import Files, write_files
from tests.support.items_world import directive, tool
from tests.support.mixed_tree import TREE
from tests.support.pairs import Combination, cases
from tests.support.waiting import until

FILES: Final[Files] = {
    **TREE,
    "py/cart_total.py": (
        "class CartTotal:\n    '''The total of a cart.'''\n\n    def total_of_cart(self): pass\n\n"
        "    def total(self): pass\n\n\ndef total_cart(): pass\n\n\nTOTAL = 2\n"
    ),
    "py/totals.py": "def totals(cart):\n    'Sums up the total of each cart.'\n\n\nclass Total: pass\n",
    "tests/test_total.py": "def test_total(): pass\n\n\nclass TestTotal:\n    def test_cart(self): pass\n",
    "docs/cart.md": "# Cart\n\nHow a cart computes its total.\n\n## Total\n\nThe sum of the cart.\n",
    "docs/serve.md": "# Server\n\nThe server serves the total.\n",
    ".ai/tools/shop/total.py": tool("Computes the total of a cart", "shop", "1.2.0"),
    ".ai/directives/shop/cart.md": directive("Cart", "Empties a cart", "shop", "The total is 0."),
}

EDITS: Final[Files] = {
    "py/totals.py": "def totals(cart):\n    'Sums up the total of the carts.'\n\n\nclass Totals: pass\n",
    "py/late.py": "class LateCart:\n    def total(self): 'A total that comes late.'\n",
    "docs/serve.md": "# Server\n\nThe server serves the cart, and its total.\n",
}

ABSENT: Final = object()

QUERIES: Final = (
    "",
    "total",
    "Cart",
    "cart total",
    "Cart.total",
    "ttoal",
    "cart OR server",
    "cart total NOT kind:class",
    '"total of"',
    "tot*",
    "which total does the cart have",
)

OF_SEVERAL_WORDS: Final = (
    "cart total",
    "which total does the cart have",
    "cart total NOT kind:class",
)
"""The queries that may have a proximity."""

FACTORS: Final[dict[str, list[Any]]] = {
    "query": [*QUERIES],
    "type": [ABSENT, "symbol", "section", "all", ["class", "tool"]],
    "kinds": [ABSENT, ["class"], ["method", "function"]],
    "languages": [ABSENT, ["python"], ["go", "typescript", "markdown"]],
    "paths": [ABSENT, ["py/**"], ["!tests"], ["*.py", "docs", "!py/late.py"]],
    "filters": [
        ABSENT,
        {"is": "!test"},
        {"kind": ["class", "function", "!method"]},
        {"path": "py/**"},
    ],
    "fields": [ABSENT, {"name": "total"}, {"lang": "python"}],
    "scope": [ABSENT, "symbol.py.*", ["class", "function.py.*"]],
    "fuzzy": [ABSENT, True, False, {"enabled": True, "max_distance": 1}],
    "proximity": [ABSENT, {"max_distance": 0}, {"enabled": True, "max_distance": 3}],
    "whole_words": [ABSENT, True, False],
    "phrasings": [ABSENT, ["total of servers"]],
    "sort_by": [ABSENT, "name", "date"],
    "max_items": [ABSENT, 1, 3],
    "start_index": [ABSENT, 1, 4],
    "include": [[], [*ITEM_EXTRAS]],
}

EXPLAINING: Final = "symindex.search.answer.explain_empty.SECONDS"
"""How long an empty answer may be explained: no time where only rows are compared, else enough that
no busy machine changes the explanation."""

N_PUSH: Final = 60
N_NIGHTLY: Final = 120

PLACE: Final[dict[str, Callable[[str], bool]]] = {
    "py/**": lambda path: path.startswith("py/"),
    "tests": lambda path: path.startswith("tests/"),
    "*.py": lambda path: path.endswith(".py"),
    "docs": lambda path: path.startswith("docs/"),
    "py/late.py": lambda path: path == "py/late.py",
}
"""What the globs of the combinations match."""

PASSES: Final[dict[str, Callable[[Any, SearchItem], bool]]] = {
    "kinds": lambda kinds, row: row.kind in kinds,
    "languages": lambda languages, row: row.language in languages,
    "paths": lambda globs, row: (
        (
            any(PLACE[glob](row.file_path) for glob in globs if glob[0] != "!")
            or all(glob[0] == "!" for glob in globs)
        )
        and not any(PLACE[glob[1:]](row.file_path) for glob in globs if glob[0] == "!")
    ),
    "filters": lambda filters, row: {
        "is": "test" not in (row.flags or ()),
        "kind": row.kind in ("class", "function"),
        "path": row.file_path.startswith("py/"),
    }[next(iter(filters))],
    "fields": lambda fields, row: "name" in fields or row.language == "python",
    "scope": lambda scopes, row: (
        (row.file_path.startswith("py/") and (row.kind == "function" or isinstance(scopes, str)))
        or (row.kind == "class" and not isinstance(scopes, str))
    ),
    "proximity": lambda _, row: True,
}
"""For each option that leaves out rows: whether a row passes. A field's query and a proximity may
leave out any row."""

LEAVES_OUT_ANY: Final = ("fields", "proximity")

WIDEST: Final[dict[str, Any]] = {
    "kinds": [str(kind) for kind in SymbolKind if str(kind) not in ("section", "item")],
    "scope": "symbol",
}
"""Values that leave out no symbol. Without a value, the request would be about other rows."""


def given(combination: Combination) -> dict[str, Any]:
    """Returns the options that a combination gives, as fields of a request."""
    fields = {name: value for name, value in combination.items() if value is not ABSENT}
    if combination["query"] not in OF_SEVERAL_WORDS:
        fields.pop("proximity", None)
    return fields


CASES: Final = cases(FACTORS, N_PUSH, N_NIGHTLY)


@pytest.fixture
def combination(request: pytest.FixtureRequest) -> Combination:
    made: Combination = request.param()
    return made


class Asked:
    """A workspace whose index has an overlay, and its answers, each computed once."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root, root.parent / "indexes")
        self.workspace.refresh()
        write_files(root, EDITS)
        self.workspace.refresh()
        self._answers: dict[bytes, SearchResponse] = {}

    def whole(self, fields: dict[str, Any]) -> SearchResponse:
        """Returns all rows of a request, with all their fields."""
        key = msgspec.json.encode(fields, order="sorted")
        if key not in self._answers:
            request = SearchRequest(**{**fields, "include": [*ITEM_EXTRAS]})
            self._answers[key] = self.workspace.search(request)
        return self._answers[key]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    made = Asked(write_files(tmp_path_factory.mktemp("pairs") / "tree", FILES))
    yield made
    made.workspace.close()


@pytest.fixture(scope="module")
def agent(asked: Asked) -> Iterator[Callable[..., Any]]:
    """Answers a search as the MCP server does."""
    handlers = ToolHandlers([asked.workspace.root], str(asked.workspace.root.parent / "indexes"))
    until(
        lambda: (
            handlers.answer(
                "search", {"query": "stop", "max_items": 9}, threading.Event()
            ).data.notices
            is msgspec.UNSET
        ),
        "an index",
    )
    yield lambda arguments: handlers.answer("search", arguments, threading.Event())
    handlers.workspace.close()


def identify(row: SearchItem) -> tuple[Any, ...]:
    return (row.id, row.file_path, row.line)


def split(combination: Combination) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the options that decide which rows there are, and those of the page."""
    fields = given(combination)
    page: dict[str, Any] = {
        name: fields.pop(name) for name in ("max_items", "start_index", "include") if name in fields
    }
    return fields, page


@pytest.mark.nightly
@pytest.mark.parametrize("combination", CASES, indirect=True)
def test_an_option_means_the_same_beside_each_other(combination: Combination, asked: Asked) -> None:
    fields, page = split(combination)
    whole = asked.whole(fields)
    ids = [identify(row) for row in whole.items]
    assert whole.total == len(ids) == len({*ids}) and not whole.has_more

    check_page(asked, whole, fields, page)
    for name in PASSES.keys() & fields.keys():
        check_filter(asked, whole, fields, name)
    check_fuzzy(asked, whole, fields)
    check_order(asked, whole, fields)


def check_page(
    asked: Asked, whole: SearchResponse, fields: dict[str, Any], page: dict[str, Any]
) -> None:
    """A page is a slice of the whole, however it is asked for, and extra fields change no other."""
    start, most = page.get("start_index", 0), page.get("max_items")
    cut = asked.workspace.search(SearchRequest(**{**fields, **page}))
    expected = whole.items[start:][:most]
    contract = [(row.name, row.kind, row.file_path, row.line, row.container) for row in expected]
    assert [
        (row.name, row.kind, row.file_path, row.line, row.container) for row in cut.items
    ] == contract
    if page["include"]:
        assert [*map(identify, cut.items)] == [*map(identify, expected)]
    assert (cut.total, cut.start_index, cut.max_items) == (whole.total, start, most)
    assert cut.has_more == (start + len(expected) < whole.total and bool(expected))
    assert (cut.pagination_id is not None) == cut.has_more
    renamed = {
        {"max_items": "limit", "start_index": "offset"}.get(name, name): value
        for name, value in page.items()
    }
    turned = {
        name: value[::-1] if isinstance(value, list) and name != "include" else value
        for name, value in [*fields.items()][::-1]
    }
    again = asked.workspace.search(SearchRequest(**{**renamed, **turned}))
    assert (again.items, again.total, again.has_more) == (cut.items, cut.total, cut.has_more)
    if cut.has_more:
        token = asked.workspace.search(
            SearchRequest(
                **{**fields, **page, "start_index": 0, "pagination_id": cut.pagination_id}
            )
        )
        rest = whole.items[start + len(expected) :][:most]
        assert [(row.name, row.file_path, row.line) for row in token.items] == [
            (row.name, row.file_path, row.line) for row in rest
        ]


def check_filter(asked: Asked, whole: SearchResponse, fields: dict[str, Any], name: str) -> None:
    """A filter leaves the rows that pass it. The answer may continue with guesses, which there are
    only where few rows match. Rows whose score depends on other rows may change places."""
    wider = {key: value for key, value in fields.items() if key != name}
    wider |= {name: WIDEST[name]} if name in WIDEST else {}
    passes = PASSES[name]
    assert all(passes(fields[name], row) for row in whole.items)
    left = [identify(row) for row in asked.whole(wider).items if passes(fields[name], row)]
    rows = [identify(row) for row in whole.items]
    sure = [identify(row) for row in whole.items if not row.match]
    assert {*sure} <= {*left}
    if name not in LEAVES_OUT_ANY:
        assert {*left} <= {*rows}
    if fields["query"] not in OF_SEVERAL_WORDS and "phrasings" not in fields:
        assert [row for row in left if row in {*sure}] == [row for row in sure if row in {*left}]


def check_fuzzy(asked: Asked, whole: SearchResponse, fields: dict[str, Any]) -> None:
    """Without guesses there are fewer rows, and no other ones."""
    if "fuzzy" not in fields:
        few, many = (
            {*map(identify, asked.whole({**fields, "fuzzy": fuzzy}).items)}
            for fuzzy in (False, True)
        )
        assert few <= {*map(identify, whole.items)} <= many
    elif fields["fuzzy"] is False:
        assert all(row.match in (msgspec.UNSET, "some words", "text") for row in whole.items)


def check_order(asked: Asked, whole: SearchResponse, fields: dict[str, Any]) -> None:
    """An order is a permutation of the same rows."""
    by_score = asked.whole({key: value for key, value in fields.items() if key != "sort_by"})
    assert sorted(map(identify, whole.items)) == sorted(map(identify, by_score.items))
    match fields.get("sort_by", "score"):
        case "name":
            names = [re.sub(r"[\W_]", "", row.name).lower() for row in whole.items]
            assert names == sorted(names)
        case "date":
            root = asked.workspace.root
            times = [(root / row.file_path).stat().st_mtime_ns for row in whole.items]
            assert times == sorted(times, reverse=True)
        case _:
            scores = [row.score for row in whole.items if row.score is not UNSET]
            assert len(scores) == len(whole.items)
            assert scores == sorted(scores, reverse=True)


def command_words(fields: dict[str, Any]) -> list[str]:
    """Returns a request as the command line takes it."""
    words = ["search", fields["query"]]
    names = {"kinds": "kind", "languages": "lang", "paths": "path", "phrasings": "or"}
    for name, value in fields.items():
        option = f"--{names.get(name, name).replace('_', '-')}"
        if name == "fuzzy":
            distance = value.get("max_distance") if isinstance(value, dict) else None
            words += ["--fuzzy" if value else "--no-fuzzy"]
            words += ["--max-distance", str(distance)] if distance is not None else []
        elif name == "proximity":
            words += [option, str(value["max_distance"])]
        elif name in ("fields", "filters"):
            for field, values in value.items():
                for one in values if isinstance(values, list) else [values]:
                    words += [option.removesuffix("s"), f"{field}={one}"]
        elif name != "query":
            for one in value if isinstance(value, list) else [value]:
                words += [option, str(one)]
    return words


TOOL_NAMES: Final = {"languages": "language", "paths": "path"}
NOT_IN_TOOL: Final = ("type", "whole_words", "include")
PLACES: Final = ("name", "kind", "file_path", "line", "container")


@pytest.mark.sample(2)
@pytest.mark.parametrize("combination", CASES, indirect=True)
def test_front_ends_agree_on_all_options(
    combination: Combination,
    asked: Asked,
    agent: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(EXPLAINING, 60.0)
    fields = {name: value for name, value in given(combination).items() if name != "whole_words"}
    root = asked.workspace.root
    response = asked.workspace.search(SearchRequest(**fields))
    printed = run(
        *command_words(fields),
        "--json",
        "--root",
        str(root),
        "--index-dir",
        str(root.parent / "indexes"),
    )
    is_asked_for = bool(fields.get("fuzzy"))
    has_hits = not all(map(is_guess, response.items)) or (is_asked_for and bool(response.items))
    assert not printed.err and printed.code == (0 if has_hits else 1)
    expected = json.loads(msgspec.json.encode(response))
    shown = json.loads(printed.out)
    for name in (
        "items",
        "total",
        "start_index",
        "max_items",
        "has_more",
        "notices",
        "suggestions",
    ):
        assert shown.get(name) == expected.get(name), name

    fields = {name: value for name, value in fields.items() if name not in NOT_IN_TOOL}
    fields.setdefault("max_items", 5)
    response = asked.workspace.search(SearchRequest(**fields))
    answer = agent({TOOL_NAMES.get(name, name): value for name, value in fields.items()})
    assert not answer.is_error, answer.text
    rows = [[getattr(row, name) for name in PLACES] for row in response.items]
    assert [[getattr(row, name) for name in PLACES] for row in answer.data.items] == rows
    for name in ("total", "start_index", "has_more", "notices"):
        assert getattr(answer.data, name) == getattr(response, name), name
