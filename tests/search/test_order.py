"""The order of hits: the order of equals, and exact matches first."""

from collections.abc import Iterator

import pytest

from symindex.index.snapshot import Snapshot
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import answer, find
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files


def test_exported_symbols_come_before_private_ones(make_workspace: Maker) -> None:
    """Among symbols of one name, exported ones rank first and private ones last, wherever they
    are."""
    methods = ["private int size()", "int size(int unit)", "public int size(String unit)"]
    workspace = make_workspace(
        {
            "A.java": "\n".join(
                ["class A {", *(f"{method} {{ return 1; }}" for method in methods), "}"]
            )
        }
    )
    assert [item.line for item in workspace.search("size").items] == [4, 3, 2]


EQUALS: Files = {
    "m/b.js": "function four() {}\n\nfunction tri() {} function sum() {} function add() {}\nfunction to() {}\n",
    "m/a.js": "function zero() {}\nfunction five() {}\nfunction sum() {}\n",
    "m/é.js": "function sum() {}\n",
    "m/B.js": "function long_one() {}\nfunction an() {} function größe() {}\n",
    "l/a.js": "function zeroed() {} // m/\n",
    # enough for the change to become an overlay instead of a new base
    **{f"m/z/{n}.js": "" for n in range(30)},
}
"""Functions that match many queries equally well."""

IN_ORDER = [
    "m/B.js:2 an", "m/b.js:4 to", "m/a.js:3 sum", "m/b.js:3 tri", "m/b.js:3 sum", "m/b.js:3 add", "m/é.js:1 sum",
    "m/a.js:1 zero", "m/a.js:2 five", "m/b.js:1 four", "l/a.js:1 zeroed", "m/B.js:2 größe", "m/B.js:1 long_one",
]  # fmt: skip
"""Shorter names, in bytes, before longer ones; then by path, line and column."""


EQUALLY_GOOD = ["", "kind:function", "name:*", "NOT doc:x", "signature:function", "m/"]


@pytest.mark.nightly
@pytest.mark.slow
def test_order_of_equals_of_other_names(make_workspace: Maker) -> None:
    """The order does not depend on the query, the number of rows, or the layers of the index."""
    workspace = make_workspace(EQUALS)

    def check() -> None:
        for query in EQUALLY_GOOD:
            expected = [place for place in IN_ORDER if query != "m/" or place.startswith("m/")]
            for count in range(len(expected), 0, -1):
                items = workspace.search(query, max_items=count).items
                assert [f"{item.file_path}:{item.line} {item.name}" for item in items] == expected[
                    :count
                ], query

    check()
    for path in ("m/a.js", "m/b.js"):
        write_files(workspace.root, {path: f"{EQUALS[path]!s}\n"})
        workspace.refresh()
        check()
    assert len(workspace.source.indexed.snapshot.parts) > 1


def test_order_of_equals_of_several_trees(make_workspace: Maker) -> None:
    """Among rows with equal names, the first tree ranks first, whatever the paths; a shorter name
    ranks first in any tree."""
    first: Files = {"a.py": "", "z.py": "def run(): pass\ndef runs(): pass\n"}
    trees = [make_workspace(files) for files in (first, {"a.py": "def run(): pass\n"})]
    snapshot = Snapshot.joined(
        [tree.source.indexed.snapshot for tree in trees], ["first/", "again/"]
    )
    items = answer(
        snapshot, make_plan(SearchRequest(query="kind:function"), trees[0].source.languages)
    ).items
    assert [f"{item.file_path} {item.name}" for item in items] == [
        "first/z.py run",
        "again/a.py run",
        "first/z.py runs",
    ]


@pytest.mark.parametrize("query", ["move_pumps", "move_pmups", "starts pumps", "kind:function"])
def test_order_of_equals_of_hundreds_of_trees(query: str, make_workspace: Maker) -> None:
    """Folders once lost their order from 129 on, because the number of a folder overflowed."""
    files: Files = {"z.py": "def move_pumps():\n    '''Starts them.'''\n", "a.md": "# A\n"}
    tree = make_workspace(files)
    prefixes = [f"folder{number:03}/" for number in range(300)]
    snapshot = Snapshot.joined([tree.source.indexed.snapshot] * len(prefixes), prefixes)
    request = SearchRequest(query=query, max_items=len(prefixes))
    found = answer(snapshot, make_plan(request, tree.source.languages))
    assert [item.file_path for item in found.items] == [f"{prefix}z.py" for prefix in prefixes]
    assert found.total == len(prefixes)
    orders = [order for part in snapshot.parts for order in part.file_order.tolist()]
    assert orders == sorted({*orders})


@pytest.fixture(scope="module")
def decoys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """`vendor/z/box.py` contains `Box.get`. Everything else ranks higher, except for its name, its
    class or its path."""
    folder = tmp_path_factory.mktemp("decoys")
    get = "    def get(self): pass\n"
    methods = "".join(f"    def get{n}(self): pass\n" for n in range(500))
    many = "".join(f"class Box{n}:\n{get}" for n in range(250))
    files: Files = {
        "a.py": f"class Box:\n{methods}{many}",
        "vendor/a.py": many,
        "vendor/z/box.py": f"class Box:\n{get}",
    }
    with Workspace(write_files(folder / "tree", files), folder / "index") as made:
        made.refresh()
        yield made


@pytest.mark.sample(10)
@pytest.mark.parametrize("for_editor", [False, True], ids=["page", "editor"])
@pytest.mark.parametrize(
    "query",
    [
        "Box.get", "Box::get()", "z/get", "vendor/z/Box.get", "name:Box.get", "Box.get kind:method", "get container:Box path:z",
        "name:get path:vendor/z/**", "(Box.get OR nothing) NOT elsewhere", "id:vendor/z/box.py#Box.get",
    ],
)  # fmt: skip
def test_an_exact_match_is_first_of_qualified_and_boolean_queries(
    query: str, for_editor: bool, decoys: Workspace
) -> None:
    """With any number of rows, the exact match is the first row and no row is missing."""
    total = decoys.search(query).total
    for count in (1, 2, 5):
        request = SearchRequest(query=query, max_items=count)
        ranking = find(
            decoys.source.indexed.snapshot,
            make_plan(request, decoys.source.languages),
            for_editor=for_editor,
        ).ranking
        part, row = decoys.source.indexed.snapshot.locate(int(ranking.rows[0]))
        assert part.index.symbol_id(row) == "vendor/z/box.py#Box.get"
        assert len(ranking) == min(count, total)


def test_an_editor_with_few_rows_still_gets_members_of_other_classes(
    make_workspace: Maker,
) -> None:
    """Enough names begin with the word, but most of them are members of other classes."""
    others = "".join(f"    def ize{n}(self): pass\n" for n in range(50))
    workspace = make_workspace(
        {"a.py": f"class Other:\n{others}class Box:\n    def get_size(self): pass\n"}
    )
    page = find(
        workspace.source.indexed.snapshot,
        make_plan(SearchRequest(query="Box.ize", max_items=1), workspace.source.languages),
        for_editor=True,
    )
    assert workspace.source.indexed.snapshot.read(
        page.ranking.rows, lambda _, rows: rows.names
    ) == ["get_size"]


def test_a_declaration_with_more_matches_comes_after_its_definition(
    make_workspace: Maker,
) -> None:
    """This also holds when names and words are both searched: the prototype's doc or path contains
    the word, and the function's does not."""
    workspace = make_workspace({
        "omputer/a.h": "int computer_run(int a);\n",
        "b.h": "/* the omputer thing */\nint computer_run(int a);\n",
        "z.c": "int computer_run(int a) { return a; }\n",
    })  # fmt: skip
    assert [item.file_path for item in workspace.search("omputer").items] == [
        "z.c",
        "b.h",
        "omputer/a.h",
    ]
