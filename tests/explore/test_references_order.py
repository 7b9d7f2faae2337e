"""References that are certain come before those that may be another's, page by page; each says by
which rule it was bound."""

import pytest

from symindex.protocol.explore import ReferencesRequest, ReferencesResponse
from symindex.render.references import render_references
from symindex.workers import pool
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

MIXED: dict[str, str | bytes] = {
    "base.py": "class Base:\n    def run(self): pass\n",
    "job.py": (
        "from base import Base\n\n\nclass Job(Base):\n    def run(self): pass\n\n"
        "    def again(self):\n        self.run()\n"
    ),
    "a_both.py": (
        "from base import Base\nfrom job import Job\n\n\n"
        "def both(base: Base, job: Job):\n    base.run()\n    job.run()\n    base.run()\n"
    ),
    "b_unsure.py": "from base import Base\n\n\ndef one(base: Base):\n    base.run()\n",
    "c_sure.py": "from job import Job\n\n\ndef one(job: Job):\n    job.run()\n    Job().run()\n",
    "tests/test_job.py": "from job import Job\n\n\ndef test_it(job: Job):\n    job.run()\n",
}
SYMBOL = "job.py#Job.run"
SURE = ["a_both.py:7", "c_sure.py:5", "c_sure.py:6", "job.py:5", "job.py:8", "tests/test_job.py:5"]
UNSURE = ["a_both.py:6?", "a_both.py:8?", "b_unsure.py:5?"]


def listed(*pages: ReferencesResponse) -> list[str]:
    return [
        f"{file.file_path}:{item.line}{'?' * item.is_unsure}"
        for page in pages
        for file in page.files
        for item in file.items
    ]


def pages_of(tree: Workspace, max_items: int, seconds: float = 10) -> list[ReferencesResponse]:
    pages: list[ReferencesResponse] = []
    while not pages or pages[-1].has_more:
        token = pages[-1].pagination_id if pages else None
        request = ReferencesRequest(name=SYMBOL, pagination_id=token, max_items=max_items)
        pages.append(tree.references(request, seconds=seconds))
        assert len(pages) < 30
    return pages


def test_certain_references_come_first(make_workspace: Maker) -> None:
    tree = make_workspace(MIXED)
    whole = tree.references(SYMBOL)
    assert listed(whole) == SURE + UNSURE
    assert (whole.total, whole.total_files, whole.has_more) == (9, 5, False)
    assert whole.roles == {"definition": 1, "call": 8}
    page = render_references(whole)
    assert page.index("Uncertain:") > page.index("tests/test_job.py")
    assert page.count("Uncertain:") == 1 and page.count("a_both.py") == 2
    only_sure = tree.references("c_sure.py#one")
    assert "Uncertain:" not in render_references(only_sure)


@pytest.mark.parametrize("size", range(1, 11))
def test_pages_of_any_size_make_up_the_whole(make_workspace: Maker, size: int) -> None:
    pages = pages_of(make_workspace(MIXED), max_items=size)
    assert listed(*pages) == SURE + UNSURE
    assert all(len(listed(page)) == size for page in pages[:-1]) and listed(pages[-1])
    assert {(page.total, page.total_files) for page in pages} == {(9, 5)}
    assert {str(page.roles) for page in pages} == {str(pages[0].roles)}


@pytest.mark.parametrize("size", [1, 2, 9])
def test_pages_out_of_time_make_up_the_whole(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Without time, a request searches one batch of files; then uncertain ones are found by a
    second search."""
    monkeypatch.setattr(pool, "BATCH_TASKS", 1)
    pages = pages_of(make_workspace(MIXED), seconds=0, max_items=size)
    assert listed(*pages) == SURE + UNSURE
    assert (pages[-1].total, pages[-1].total_files) == (9, 5)
    assert "uncertain references follow all certain ones" in str(pages[0].notices)


def test_pages_end_if_nothing_is_uncertain(make_workspace: Maker) -> None:
    tree = make_workspace(MIXED)
    first = tree.references("b_unsure.py#one")
    assert (listed(first), first.has_more) == (["b_unsure.py:4"], False)
    bare = tree.references("run", max_items=8)
    assert bare.has_more and not any("?" in place for place in listed(bare))
    rest = tree.references("run", max_items=8, pagination_id=bare.pagination_id)
    assert len(listed(rest)) == 2 and not rest.has_more


def test_a_row_says_how_many_others_it_may_mean(make_workspace: Maker) -> None:
    tree = make_workspace(MIXED)
    items = [item for file in tree.references(SYMBOL).files for item in file.items]
    assert [item.others for item in items] == [0] * 6 + [1] * 3
    assert "- 5 `one` (call, or 1 more): `base.run()`" in render_references(tree.references(SYMBOL))


def test_a_row_bound_by_names_may_mean_as_many_as_have_the_name(make_workspace: Maker) -> None:
    names = {f"{word}.py": f"class {word.title()}:\n    def send(self): pass\n" for word in "abcd"}
    tree = make_workspace({**names, "use.py": "def f(x):\n    x.send()\n"})
    response = tree.references("a.py#A.send", all=True)
    assert [item.others for file in response.files for item in file.items] == [0, 3]


RULES: dict[str, str | bytes] = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "class Cart:\n    size = 1\n    def total(self): return self.size\n\n\n"
        "def make() -> Cart:\n    return Cart()\n"
    ),
    "use.py": (
        "import shop.cart\nfrom shop.cart import Cart, make\n\n\n"
        "def a(cart: Cart):\n    cart.total()\n    Cart.total(cart)\n    make().total()\n"
        "    shop.cart.make()\n    make()\n"
    ),
    "go.mod": "module shop\n",
    "k/a.go": "package k\n\ntype Point struct{ X int }\n\nfunc New() Point { return Point{X: 1} }\n",
    "k/b.go": "package k\n\nfunc F() { New() }\n",
}


@pytest.mark.parametrize(
    ("symbol", "rules"),
    [
        (
            "shop/cart.py#Cart.total",
            ["type of receiver: Cart", "member of Cart", "type of receiver: Cart"],
        ),
        ("shop/cart.py#Cart.size", ["type of receiver: Cart"]),
        ("shop/cart.py#make", ["import", "import", "module", "import"]),
        ("k/a.go#New", ["package"]),
        ("k/a.go#Point.X", ["key of Point"]),
        ("k/a.go#Point", ["scope", "scope"]),
    ],
)
def test_a_row_says_by_which_rule_it_was_bound(
    make_workspace: Maker, symbol: str, rules: list[str]
) -> None:
    tree = make_workspace(RULES)
    response = tree.references(symbol, why=True)
    items = [item for file in response.files for item in file.items]
    assert [item.rule for item in items if not item.definition] == rules
    assert not any(item.rule for item in items if item.definition)
    assert f"by {rules[0]})" in render_references(response)
    silent = tree.references(symbol)
    assert not any(item.rule for file in silent.files for item in file.items)


def test_names_alone_are_a_rule(make_workspace: Maker) -> None:
    tree = make_workspace({"a.lua": "function open_box() end\n", "b.lua": "open_box()\n"})
    response = tree.references("a.lua#open_box", why=True)
    assert [item.rule for file in response.files for item in file.items] == ["", "name"]
    # A bare name has no symbol to be bound to.
    bare = tree.references("open_box", why=True)
    assert not any(item.rule for file in bare.files for item in file.items)
