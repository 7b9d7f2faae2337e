"""The rows that an editor shows, selected by their names alone."""

from pathlib import Path

import pytest

from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.editor.row_names import name_rows, places_to_show
from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.plan import make_plan
from symindex.workspace.watched_tree import WatchedTrees
from tests.support.files import Maker, write_files
from tests.support.waiting import until

NAMES = [
    f"{name}{number}"
    for number in range(40)
    for name in ("get_", "getit", "get_it_", "Get", "Ünder_", "_")
]


def shown(root: Path, index: Path, query: str, limit: int | None) -> list[str]:
    workspace = FollowedWorkspace(WatchedTrees(), "utf-8", lambda _: None, print)
    workspace.folders.add(root, "tree", str(index))
    try:
        until(lambda: workspace.folders.progress is None, "an index")
        return [
            name
            for name, _, _ in workspace.rows.find(SearchRequest(query=query, max_items=limit))[0]
        ]
    finally:
        workspace.close()


@pytest.mark.nightly
def test_only_rows_that_editors_keep_fill_the_answer(tmp_path: Path) -> None:
    write_files(tmp_path / "tree", {"a.py": "".join(f"def {name}(): pass\n" for name in NAMES)})
    for query, kept in (("get_", 80), ("get_i", 40), ("Ünder_", 40), ("_", 160)):
        names = shown(tmp_path / "tree", tmp_path / "index", query, 60)
        letters = query.lower()
        assert len(names) == min(kept, 60)
        assert all(letters[0] in name.lower() and "_" in name for name in names)


def test_rows_are_chosen_by_their_names_as_by_all_of_them(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "".join(f"def {name}(): pass\n" for name in NAMES)})
    for query in ("get_", "get_i", "getit", "_", "Ünder_", "get-it"):
        hits = find(
            workspace.source.indexed.snapshot,
            make_plan(SearchRequest(query=query, max_items=200), workspace.source.languages),
            for_editor=True,
        )
        rows = hits.ranking.rows
        names = workspace.source.indexed.snapshot.read(rows, lambda _, some: some.names)
        for limit in (1, 7, 20, 200):
            chosen = places_to_show(
                workspace.source.indexed.snapshot, hits.query, rows, limit
            ).tolist()
            # `name_rows` keeps the same rows of the selected ones as of all.
            of_all = name_rows(hits.query, [_Named(name) for name in names], limit)  # type: ignore[misc]
            of_chosen = name_rows(hits.query, [_Named(names[place]) for place in chosen], limit)  # type: ignore[misc]
            assert of_all == of_chosen
            assert len(rows) <= limit or len(chosen) <= limit + limit // 8


def test_one_row_more_is_read_for_each_eight(make_workspace: Maker) -> None:
    """An editor shows a typedef and its type as one row, so some of the rows may be left out."""
    workspace = make_workspace({"a.py": "".join(f"def {name}(): pass\n" for name in NAMES)})
    snapshot = workspace.source.indexed.snapshot
    plan = make_plan(SearchRequest(query="get_", max_items=200), workspace.source.languages)
    hits = find(snapshot, plan, for_editor=True)
    n_read = [
        len(places_to_show(snapshot, hits.query, hits.ranking.rows, limit))
        for limit in (1, 7, 8, 9, 15, 16, 79)
    ]
    assert n_read == [1, 7, 9, 10, 16, 18, 80]


def test_an_underscore_finds_what_begins_with_it_first(make_workspace: Maker) -> None:
    workspace = make_workspace({"a.py": "".join(f"def {name}(): pass\n" for name in NAMES)})
    every = find(
        workspace.source.indexed.snapshot,
        make_plan(SearchRequest(query="_", max_items=200), workspace.source.languages),
    )
    for limit in (1, 10, 30, 60):
        some = find(
            workspace.source.indexed.snapshot,
            make_plan(SearchRequest(query="_", max_items=limit), workspace.source.languages),
            for_editor=True,
        )
        assert some.ranking.rows.tolist() == every.ranking.rows[:limit].tolist()
        assert some.selection.total in (40, every.selection.total)


class _Named:
    """A match with only its name."""

    container = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)
