"""Facets: how many of all hits have each language, kind, folder and fact, and that each of them as
a term after a bar finds exactly these hits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import symindex
from symindex.index.snapshot import Snapshot
from symindex.protocol.search import Facet, SearchRequest
from symindex.search.answer.answer import answer
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker, write_files

SEARCH = Path(symindex.__file__).parent / "search"

ODD = {
    "odd dir (1)/a.py": "def odd(): pass\nclass Odd: pass\n",
    "!x/b.ts": "export class Odd {}\nexport interface OddOne { odd: number }\n",
    "!x/c.js": "// @flow\nexport class Odd {}\n",
    "!x/d.js": "export class Odd {}\n",
    "d.go": "package d\n\nfunc Odd() {}\n\ntype OddType int\n",
    "tests/test_odd.py": "def test_odd(): pass\n",
    "docs/odd.md": "# Odd\n\nodd text\n",
}
"""Folders whose names cannot be written in a query, dialects, and a kind that includes another."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The room search of symindex and its odd files, of which one has been edited."""
    folder = tmp_path_factory.mktemp("facets")
    files = {
        f"{path.parent.relative_to(SEARCH)}/{path.name}": path.read_bytes()
        for path in SEARCH.rglob("*")
        if path.suffix in (".py", ".md")
    }
    root = write_files(folder / "tree", {**files, **ODD})
    with Workspace(root, folder / "index") as made:
        made.refresh()
        (root / "answer" / "page.py").write_text("def page_that_was_edited(): pass\n")
        (root / "match" / "lookup.py").unlink()
        made.refresh()
        yield made


SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    ("o", {}),
    ("page", {}),
    ("odd", {}),
    ("Needle", {}),
    ("Needle.", {}),
    ("answer/page", {}),
    ("prase_qurey", {}),
    ("prq", {"fuzzy": True}),
    ("points of rows", {}),
    ("retry of wildcards", {}),
    ("wildcrad points", {}),
    ("name:page AND NOT kind:class", {}),
    ("kind:class OR is:test", {}),
    ("-is:private", {}),
    ("find*", {}),
    ("page | is:exported", {}),
    ("odd", {"type": "all"}),
    ("", {"type": ["section", "item"]}),
    ("names", {"kinds": ["method"], "paths": ["language", "names"]}),
    ("page", {"sort_by": "name"}),
    ("page", {"phrasings": ["rows of an answer"]}),
    ("page", {"whole_words": True}),
]


@pytest.mark.parametrize(("query", "fields"), SEARCHES)
def test_each_value_after_a_bar_finds_exactly_its_hits(
    real: Workspace, query: str, fields: dict[str, Any]
) -> None:
    response = real.search(query, include=["facets"], max_items=1, **fields)
    assert response.total and response.facets
    for facet in response.facets.values():
        for value, count in facet.values:
            narrowed = f"{query} | {facet.field}:{value}"
            assert (narrowed, real.search(narrowed, max_items=1, **fields).total) == (
                narrowed,
                count,
            )


@pytest.mark.parametrize("query", ["", "kind:class", "name:page", "page AND NOT is:private"])
def test_without_a_bar_a_value_is_exact_for_an_empty_or_boolean_query(
    real: Workspace, query: str
) -> None:
    facets = real.search(query, include=["facets"]).facets
    assert facets
    for facet in facets.values():
        for value, count in facet.values:
            assert real.search(f"{query} {facet.field}:{value}").total == count


@pytest.mark.parametrize(("query", "fields"), [("page", {}), ("index", {"fuzzy": True})])
def test_hits_are_narrowed_in_their_order_and_page_by_page(
    real: Workspace, query: str, fields: dict[str, Any]
) -> None:
    every = real.search(query, include=["flags"], **fields).items
    expected = [item.name for item in every if "private" not in (item.flags or ())]
    found: list[str] = []
    token = None
    while not found or token:
        narrowed = f"{query} | -is:private"
        page = real.search(narrowed, max_items=5, pagination_id=token, **fields)
        assert page.total == len(expected)
        found, token = [*found, *(item.name for item in page.items)], page.pagination_id
    assert found == expected and len(found) > 5


def test_a_response_has_facets_only_on_request(real: Workspace) -> None:
    plain = msgspec.json.encode(real.search("page"))
    assert b"facets" not in plain
    with_facets = real.search("page", include=["facets"])
    assert isinstance(with_facets.facets, dict)
    with_facets.facets, with_facets.request.include = msgspec.UNSET, msgspec.UNSET
    assert msgspec.json.encode(with_facets) == plain


def test_facets_of_no_hits_are_empty(real: Workspace) -> None:
    facets = real.search("qqqqzzzz", include=["facets"]).facets
    assert facets == {
        name: Facet(field=field, values=[], left_out=0)
        for name, field in {
            "language": "lang", "kind": "kind", "repository": "path", "folder": "path", "fact": "is",
        }.items()
    }  # fmt: skip


def test_what_each_facet_counts(make_workspace: Maker) -> None:
    facets = make_workspace(ODD).search("", include=["facets"]).facets
    assert facets
    values = {name: facet.values for name, facet in facets.items()}
    # JavaScript includes Flow, and a class includes a type.
    assert values["language"] == [
        ("python", 3), ("typescript", 3), ("go", 2), ("javascript", 2), ("flow", 1),
    ]  # fmt: skip
    assert values["kind"][0] == ("class", 5) and ("type", 1) in values["kind"]
    assert values["folder"] == [("?x/**", 5), ("odd?dir??1?/**", 2), ("tests/**", 1)]
    assert values["repository"] == []
    assert values["fact"] == [("exported", 10), ("test", 1)]


def test_several_roots_are_repositories(make_workspace: Maker, tmp_path: Path) -> None:
    trees = [make_workspace({"src/a.py": "def a(): pass\n", "b.py": "def b(): pass\n"})]
    with Workspace(
        write_files(tmp_path / "other", {"src/c.py": "c = d = 1\n"}), tmp_path / "i"
    ) as two:
        two.refresh()
        views = [*trees, two]
        layers = [tree.source.indexed.load_any() for tree in views]
        snapshots = [of_tree.snapshot for of_tree in layers if of_tree is not None]
        joined = Snapshot.joined(snapshots, ["one/", "two/"])

        def search(query: str) -> Any:
            request = SearchRequest(query=query, include=["facets"])
            return answer(joined, make_plan(request, two.source.languages))

        facets = search("").facets
        assert facets["repository"].values == [("one/**", 2), ("two/**", 2)]
        assert facets["folder"].values == [("two/src/**", 2), ("one/src/**", 1)]
        for name in ("repository", "folder"):
            for value, count in facets[name].values:
                assert search(f"| path:{value}").total == count


def test_rare_values_are_left_out_and_counted(make_workspace: Maker) -> None:
    files = {f"f{number:02}/a.py": "x = 1\n" * (1 + (number == 20)) for number in range(21)}
    facets = make_workspace(files).search("", include=["facets"]).facets
    assert facets and facets["folder"].left_out == 1 and len(facets["folder"].values) == 20
