"""The order of the empty query: by use, size, kind and place; edits lead to the same order as a new
index."""

import random

import pytest

from symindex.protocol.search import SearchRequest
from symindex.search.answer.answer import find
from symindex.search.answer.plan import make_plan
from symindex.workspace.workspace import Workspace
from tests.support.files import Files, Maker, write_files


def listed(workspace: Workspace, query: str = "", **more: object) -> list[str]:
    """Returns the names in order, without repetitions."""
    return [*dict.fromkeys(item.name for item in workspace.search(query, **more).items)]  # type: ignore[arg-type]


def define(*names: str) -> str:
    return "".join(f"class {name}: pass\n" for name in names)


def use(*names: str) -> str:
    return "from other import *\n" + "".join(f"print({name})\n" for name in names)


PAIRS: dict[str, Files] = {
    "mentions": {"a.py": define("AbOne", "CdTwo"), "b.py": use("CdTwo"), "c.py": use("CdTwo", "AbOne")},
    "mentions for each definition": {
        "a.py": define("AbOne") + "class X:\n    class AbOne: pass\n", "e.py": define("AbOne"), "d.py": define("CdTwo"),
        "b.py": use("AbOne", "CdTwo"), "c.py": use("AbOne", "CdTwo"),
    },
    "members": {"a.py": define("AbOne") + "class CdTwo:\n" + "".join(f"    def m{n}(self): pass\n" for n in range(9))},
    "members elsewhere": {"a.go": "package a\ntype AbOne struct {}\ntype CdTwo struct {}\n",
                          "b.go": "package a\n" + "".join(f"func (c *CdTwo) m{n}() {{}}\n" for n in range(9))},
    "a doc": {"a.py": define("AbOne") + 'class CdTwo:\n    """Holds all that is known of those who ask for something."""\n'},
    "a type": {"a.py": "def AbOne(): pass\n" + define("CdTwo")},
    "what can be called": {"a.py": "AbOne = 1\ndef CdTwo(): pass\n"},
    "what stands by itself": {"a.py": "class CdTwo:\n    class AbOne: pass\n"},
    "what is not private": {"a.py": define("_AbOne", "CdTwo")},
    "what is no test": {"tests/test_a.py": define("AbOne"), "z.py": define("CdTwo")},
    "what is no copy": {"vendor/a.py": define("AbOne"), "z.py": define("CdTwo")},
    "what is no example": {"examples/a.py": define("AbOne"), "z/a.py": define("CdTwo")},
    "what is not internal": {"internal/a.py": define("AbOne"), "z/a.py": define("CdTwo")},
    "what is not deep": {"a/b/c/d.py": define("AbOne"), "z.py": define("CdTwo")},
    "what is not local": {"a.py": "def CdTwo():\n    class AbOne: pass\n"},
    "what is no mere declaration": {"a.c": "int AbOne(void);\n", "b.c": "int CdTwo(void) { return 1; }\n"},
}  # fmt: skip
"""For each criterion: files in which CdTwo is more central than AbOne, which would be first among
equals."""


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", PAIRS)
def test_what_counts(make_workspace: Maker, what: str) -> None:
    names = [name.strip("_") for name in listed(make_workspace(PAIRS[what]))]
    assert names.index("CdTwo") < names.index("AbOne")


def test_further_symbols_of_a_name_come_later(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"a.py": define("AbOne"), "a/b.py": define("AbOne"), "a/c.py": define("CdTwo")}
    )
    assert [f"{item.file_path} {item.name}" for item in workspace.search("").items] == [
        "a.py AbOne", "a/c.py CdTwo", "a/b.py AbOne",
    ]  # fmt: skip


def test_facts_alone_list_in_the_same_order(make_workspace: Maker) -> None:
    workspace = make_workspace(PAIRS["mentions"])
    assert (
        listed(workspace, "kind:class")
        == listed(workspace, "NOT zzq")
        == listed(workspace, kinds=["class"])
        == ["CdTwo", "AbOne"]
    )


def test_the_score_is_below_that_of_a_name(make_workspace: Maker) -> None:
    scores = [
        item.score for item in make_workspace(PAIRS["members"]).search("", include=["score"]).items
    ]
    assert scores == sorted(scores, key=lambda score: -float(score or 0)) and all(
        0 < float(score or 0) < 1 for score in scores
    )


def test_a_name_in_examples_comes_after_its_equals(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {"docs/a.py": define("AbOne"), "z/b.py": define("AbOne"), "examples/c.py": define("AbOne")}
    )
    assert [item.file_path for item in workspace.search("AbOne").items] == [
        "z/b.py",
        "docs/a.py",
        "examples/c.py",
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
def test_edits_lead_to_the_order_of_a_new_index(make_workspace: Maker, seed: int) -> None:
    """Files with and without symbols are changed, added and removed, under any filter and any limit
    of rows."""
    rng = random.Random(seed)
    names = ["AbOne", "CdTwo", "EfThree", "gh_four", "IjFive", "klsix"]

    def text() -> str:
        return rng.choice([define, use, use])(*rng.sample(names, 3))

    workspace = make_workspace(
        {f"{folder}{n}.py": text() for folder in ("", "a/", "examples/") for n in range(8)}
    )
    for _ in range(6):
        path = f"{rng.choice(['', 'a/', 'examples/'])}{rng.randrange(10)}.py"
        if rng.random() < 0.2:
            (workspace.root / path).unlink(missing_ok=True)
        else:
            write_files(workspace.root, {path: text()})
        workspace.refresh()
        with Workspace(workspace.root, workspace.root.parent / f"new{rng.random()}") as new:
            new.refresh()
            for query, more in (
                ("", {}),
                ("", {"paths": ["a/**"]}),
                ("kind:class", {}),
                ("", {"max_items": 3}),
            ):
                one, other = (
                    tree.search(query, include=["id", "score"], **more) for tree in (workspace, new)
                )
                assert one.items == other.items
    assert len(workspace.source.indexed.snapshot.parts) > 1


def test_pages_of_the_empty_query_join(make_workspace: Maker) -> None:
    workspace = make_workspace(
        {
            f"{n}.py": define(f"Name{n}Of", f"_Name{n}In") + use("Name3Of", "Name1Of")
            for n in range(9)
        }
    )
    whole = workspace.search("").items
    first = workspace.search("", max_items=7)
    second = workspace.search("", max_items=7, pagination_id=first.pagination_id)
    assert [*first.items, *second.items] == whole[:14]


def test_editors_get_the_same_order(make_workspace: Maker) -> None:
    workspace = make_workspace(PAIRS["mentions"])
    page = find(
        workspace.source.indexed.snapshot,
        make_plan(SearchRequest(query="", max_items=2), workspace.source.languages),
        for_editor=True,
    )
    part, row = workspace.source.indexed.snapshot.locate(int(page.ranking.rows[0]))
    assert part.index.name_at(row) == "CdTwo"


def test_an_index_without_symbols_lists_nothing(make_workspace: Maker) -> None:
    assert make_workspace({"a.py": "print(1)\n"}).search("").total == 0
    assert make_workspace({}).search("").total == 0
