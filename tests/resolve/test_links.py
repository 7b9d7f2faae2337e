"""Of several symbols of a name, the one that files see by their imports comes first."""

import pytest

from symindex.resolve.modules import links
from symindex.resolve.modules.links import count_uses, links_of, uses_of
from symindex.search.names.centrality import central_points
from symindex.workspace.workspace import Workspace
from tests.support.files import Maker

ENGINE = "class BigEngine:\n    def start(self): ...\n"
USE = "from two.engine import BigEngine\nengine = BigEngine()\n"


def _tree(n_users: int) -> dict[str, str | bytes]:
    users = {f"app/use{number}.py": USE for number in range(n_users)}
    return {"one/engine.py": ENGINE, "two/engine.py": ENGINE, **users}


def _counts(workspace: Workspace, name: str) -> dict[str, float]:
    """Returns by file how many files use its symbol of a name."""
    tree = workspace.source.tree()
    parts = tree.snapshot.parts
    found = {}
    for part, uses in zip(parts, uses_of(links_of(tree, parts, [name]), parts), strict=True):
        for row, count in zip(uses.rows.tolist(), uses.counts.tolist(), strict=True):
            found[part.index.paths[part.index.file_at(row)]] = count
    return found


def test_the_imported_one_comes_first(make_workspace: Maker) -> None:
    workspace = make_workspace(_tree(5))
    named = workspace.symbol("BigEngine")
    assert [other.id for other in named.others] == [
        "two/engine.py#BigEngine",
        "one/engine.py#BigEngine",
    ]
    engines = [item.file_path for item in workspace.search("").items if item.name == "BigEngine"]
    assert engines == ["two/engine.py", "one/engine.py"]


def test_edits_lead_to_the_order_of_a_new_index(make_workspace: Maker) -> None:
    edited = make_workspace({**_tree(5), "app/use1.py": "x = 1\n"})
    edited.search("")
    (edited.source.indexed.root / "app/use1.py").write_text(USE)
    edited.refresh()
    fresh = make_workspace(_tree(5))
    orders = [
        [(item.name, item.file_path) for item in workspace.search("").items]
        for workspace in (edited, fresh)
    ]
    assert orders[0] == orders[1]
    assert _counts(edited, "BigEngine") == _counts(fresh, "BigEngine")


def test_a_file_that_sees_neither_counts_for_both(make_workspace: Maker) -> None:
    tree = {**_tree(2), "app/other.py": "def f(x): return x.BigEngine\n"}
    assert _counts(make_workspace(tree), "BigEngine") == {
        "one/engine.py": 0.5,
        "two/engine.py": 2.5,
    }


def test_of_more_files_a_part_is_read_and_counted_for_all(make_workspace: Maker) -> None:
    for n_users, weight in ((10, 1.0), (11, 2.0)):
        tree = make_workspace(_tree(n_users)).source.tree()
        found = links_of(tree, tree.snapshot.parts, ["BigEngine"], most_files=10)
        assert set(found.weight.tolist()) == {weight}
        assert len(found.source) == 10 if weight == 1 else 0 < len(found.source) < 11


def test_more_definitions_than_the_limit_are_used_alike(make_workspace: Maker) -> None:
    for n_files in (links.MOST_DEFINERS, links.MOST_DEFINERS + 1):
        files = {f"d{number}/engine.py": ENGINE for number in range(n_files)}
        counts = _counts(make_workspace({**files, "use.py": USE}), "BigEngine")
        assert bool(counts) is (n_files == links.MOST_DEFINERS)


def test_uses_of_the_first_names_are_counted(
    make_workspace: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those with as many points as the last one, all count."""
    cart = "def fill_cart(): ...\n"
    used = {f"use{number}.py": "from c.cart import fill_cart\n" for number in range(2)}
    more: dict[str, str | bytes] = {"c/cart.py": cart, "d/cart.py": cart, **used}
    tree = make_workspace({**_tree(3), **more}).source.tree()
    parts = tree.snapshot.parts
    points = central_points(parts)
    for most, n_counted in ((links.MOST_SYMBOLS, 4), (1, 2)):
        monkeypatch.setattr(links, "MOST_SYMBOLS", most)
        assert sum(len(uses.rows) for uses in count_uses(tree, parts, points)) == n_counted


@pytest.mark.parametrize("files", [{}, {"a.py": "print(1)\n"}, {"a.py": "x = 1\n"}])
def test_no_name_is_nothing_to_follow(make_workspace: Maker, files: dict[str, str | bytes]) -> None:
    workspace = make_workspace(files)
    tree = workspace.source.tree()
    parts = tree.snapshot.parts
    if parts:
        assert len(links_of(tree, parts, []).source) == 0
        assert all(len(uses.rows) == 0 for uses in uses_of(links_of(tree, parts, []), parts))
    assert workspace.search("").total == (1 if "x" in str(files) else 0)
