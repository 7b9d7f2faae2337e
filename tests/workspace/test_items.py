"""Items in a workspace: whatever a tree contains, it is indexed, the item is found, and its problem
is reported."""

import time
from pathlib import Path
from typing import Any

import pytest

from symindex.protocol.search import SearchItem
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files


def items(workspace: Workspace, query: str = "", **options: Any) -> list[SearchItem]:
    return workspace.search(query, include=["metadata", "id"], **{"type": "item", **options}).items


def ids(workspace: Workspace, query: str = "", **options: Any) -> list[str]:
    return sorted(
        f"{item.kind} {item.metadata['id']}"
        for item in items(workspace, query, **options)
        if item.metadata
    )


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)

HOSTILE: dict[str, tuple[str, str]] = {
    "malformed": (
        "---\ntitle: [unclosed\nother: : :\n---\n# The heading\n",
        "front matter, line 3: did not find expected",
    ),
    "endless": (
        "---\ntitle: never closed\n\n# The heading\n",
        "front matter, line 1: never closed: add a line",
    ),
    "huge": (f"---\ntitle: big\nblob: {'x' * 1_200_000}\n---\n# The heading\n", "front matter"),
    "many": (
        "---\n" + "".join(f"k{n}: {n}\n" for n in range(50_000)) + "---\n# The heading\n",
        "front matter",
    ),
    "bomb": (f"---\ntitle: bomb\n{BOMB}---\n# The heading\n", "front matter, line"),
    "loop": (
        "---\ntitle: loop\nself: &self\n  again: *self\n---\n# The heading\n",
        "front matter, line",
    ),
    "deep": (
        f"---\ntitle: deep\nnest: {'[' * 5_000}{']' * 5_000}\n---\n# The heading\n",
        "front matter, line",
    ),
    "object": (
        "---\ntitle: !!python/object/apply:os.system ['touch /tmp/symindex-was-here']\n---\n# The heading\n",
        "",
    ),
    "scalars": (
        "---\ntitle: 2024-05-31\nversion: 1.10\ncount: 0x1F\nbig: 1e999\nno: no\nnull: null\nwhen: 12:30:45\n---\n# H\n",
        "",
    ),
    "controls": ('---\ntitle: "a\\u202Eb\\0c\\e[31m"\n---\n# The heading\n', ""),
    "bytes": ("---\ntitle: caf\ufffd\n---\n# The heading\n", ""),
}
"""The file of each hostile skill, and the beginning of the problem that status reports; empty
without a problem."""


@pytest.fixture
def hostile(make_workspace: Maker) -> Workspace:
    files: Files = {f".claude/skills/{name}/SKILL.md": text for name, (text, _) in HOSTILE.items()}
    return make_workspace({**files, "a.py": "def run(): pass\n"})


def test_no_front_matter_costs_the_index_or_is_silent(hostile: Workspace) -> None:
    assert [item.name for item in hostile.search("run").items] == ["run"]
    assert ids(hostile) == sorted(f"skill {name}" for name in HOSTILE)
    problems = {item.name: str((item.metadata or {}).get("problem", "")) for item in items(hostile)}
    assert {
        name: problems[name].startswith(said) and bool(problems[name]) == bool(said)
        for name, (_, said) in HOSTILE.items()
    } == (dict.fromkeys(HOSTILE, True)), problems
    documents = hostile.status().documents
    assert documents.items == {"skill": len(HOSTILE)}
    with_problem = sorted(name for name, (_, said) in HOSTILE.items() if said)
    assert documents.problems == len(with_problem)
    assert [place.split("/")[2] for place in documents.problem_places] == with_problem
    assert all(len(place) < 600 and "\n" not in place for place in documents.problem_places)
    assert not Path("/tmp/symindex-was-here").exists()


@pytest.mark.nightly
def test_front_matter_takes_bounded_time_and_room(make_workspace: Maker) -> None:
    files: Files = {
        f".claude/skills/{name}{n}/SKILL.md": text
        for name, (text, _) in HOSTILE.items()
        for n in range(10)
    }
    began = time.monotonic()
    workspace = make_workspace(files)
    assert time.monotonic() - began < 30
    assert len(items(workspace)) == len(files)
    assert workspace.status().index_bytes < 5_000_000


def test_two_items_of_one_id_are_both_there(make_workspace: Maker) -> None:
    workspace = make_workspace({
        ".ai/tools/shop/pay.py": '"""Pays."""\n',
        ".ai/tools/shop/pay.sh": "#!/bin/sh\n# Pays, too.\n",
        ".ai/directives/shop/pay.md": "# Pay\n",
    })  # fmt: skip
    assert ids(workspace, "pay", type="tool") == ["tool shop/pay", "tool shop/pay"]
    assert ids(workspace, "pay") == ["directive shop/pay", "tool shop/pay", "tool shop/pay"]
    tools = items(workspace, "pay", type="tool")
    assert sorted(item.file_path for item in tools) == [
        ".ai/tools/shop/pay.py",
        ".ai/tools/shop/pay.sh",
    ]
    assert len({item.id for item in tools}) == 2


ODD_IDS = [
    "a b",
    "ä/ö",
    "x..y",
    "%2e%2e",
    "-rf",
    "a.b.c",
    "~",
    "#1",
    "a'b\"c",
    "\u202eevil",
    "$(touch x)",
    "con",
    "😀",
]


def test_odd_ids_are_found_as_they_are(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {f".ai/knowledge/{name}.md": f"# About {n}\n" for n, name in enumerate(ODD_IDS)}
    )
    assert ids(workspace, type="knowledge") == sorted(f"knowledge {name}" for name in ODD_IDS)
    for name in ODD_IDS:
        assert ids(workspace, filters={"id": name}, type="knowledge") == [f"knowledge {name}"], name


def test_an_item_follows_the_changes_of_its_file(make_workspace: Maker) -> None:
    path = ".ai/directives/release.md"
    workspace = make_workspace({path: "---\nversion: 1.9.0\n---\n# Release\n"})
    asked: dict[str, Any] = {"type": "directive", "filters": {"version": ">=1.10"}}
    assert ids(workspace, **asked) == []
    write_files(workspace.root, {path: "---\nversion: 1.10.0\n---\n# Release\n", "b.md": "# B\n"})
    report = workspace.refresh()
    assert (report.sections, report.items) == (2, 2)
    assert ids(workspace, **asked) == ["directive release"]
    (workspace.root / path).unlink()
    report = workspace.refresh()
    assert (report.sections, report.items) == (1, 1)
    assert workspace.status().documents.items == {"doc": 1} and ids(workspace) == ["doc b"]
