"""Agents' requests beyond names: several symbols, traces, text, maps, hierarchies, changes; and the
short forms of arguments."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.text.token_budget import estimate_tokens
from tests.support.files import write_files
from tests.support.git import git
from tests.support.waiting import until_indexed

TREE: dict[str, str | bytes] = {
    "src/shop.py": (
        "class Store:\n    def load(self, name):\n        raise KeyError(f'no plugin {name} is installed here')\n\n\n"
        "class Disk(Store):\n    def load(self, name):\n        return open(name)\n\n\nLIMIT = 5\n"
    ),
    "src/use.py": "from src.shop import Disk\n\n\ndef main():\n    return Disk().load('x')\n",
    "tests/test_shop.py": "from src.shop import Disk\n\n\ndef test_disk():\n    Disk().load('y')\n",
    "notes.xyz": "first\nsecond\n",
}


@pytest.fixture(scope="module")
def handlers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolHandlers]:
    root = write_files(tmp_path_factory.mktemp("tools") / "tree", TREE)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "x")
    write_files(
        root,
        {"src/use.py": "from src.shop import Disk\n\n\ndef main():\n    return Disk().load('z')\n"},
    )
    made = ToolHandlers([root], str(root.parent / "indexes"))
    until_indexed(made)
    yield made
    made.workspace.close()


def ask(handlers: ToolHandlers, tool: str, **arguments: Any) -> ToolAnswer:
    return handlers.answer(tool, arguments, threading.Event())


@pytest.mark.sample(17)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (
            "symbol",
            {"symbols": ["Store.load", "LIMIT", "nowhere.py:3"]},
            ["#Store.load`", "#LIMIT`", "no file or folder"],
        ),
        ("symbol", {"symbol": "src/shop.py:2-3"}, ["# Lines: `src/shop.py`", "2     def load"]),
        ("symbol", {"symbol": "notes.xyz", "lines": "2"}, ["2 second"]),
        ("symbol", {"symbol": "load", "path": "src/shop.py"}, ["2 symbols have this name"]),
        (
            "symbol",
            {"symbol": 'x\n  File "/a/src/shop.py", line 3, in load\n'},
            ["# Trace: 1 frame, 1 in the workspace"],
        ),
        ("references", {"name": "no plugin", "in": "strings"}, ["- 3 `Store.load`"]),
        ("references", {"name": r"Key\w+\(", "regex": True}, ["- 3 `Store.load`"]),
        (
            "references",
            {"pattern": "no plugin cart is installed here", "in": "all"},
            ["contain most of its words", "Store.load"],
        ),
        (
            "references",
            {"name": "NO PLUGIN", "in": "any", "ignore_case": True},
            ["- 3 `Store.load`"],
        ),
        ("references", {"name": "load", "role": "calls"}, ["- 5 `main`"]),
        ("references", {"name": "src/shop.py#Disk.load"}, ["that mean something else left out"]),
        ("references", {"name": "src/shop.py#Disk.load", "all": True}, ["src/shop.py"]),
        ("symbol", {"symbol": "load", "used_in": "src/shop.py"}, ["# Symbol: `"]),
        ("outline", {}, ["# Map: `.`", "`class Store`"]),
        ("outline", {"path": "src", "focus": "main"}, ["# Map: `src`"]),
        ("outline", {"path": "src", "depth": 3}, ["# Outline: `src`"]),
        ("outline", {"path": "src", "kinds": "cls"}, ["# Outline: `src`", "class `Store`"]),
        ("outline", {"since": "HEAD", "tests": True}, ["- ~ 4 `main` function"]),
        ("hierarchy", {"symbol": "Store"}, ["- `Disk` class"]),
        ("hierarchy", {"symbol": "Store.load", "direction": "overrides"}, ["- `Disk.load` method"]),
        ("hierarchy", {"symbol": "Disk", "direction": "tests"}, ["- `test_disk` function"]),
        ("search", {"query": "", "kinds": ["fn"]}, ["| `main` | function |"]),
        ("search", {"query": "load", "kinds": "def, methods"}, ["Found 2 results"]),
    ],
)
def test_answers(
    handlers: ToolHandlers, tool: str, arguments: dict[str, Any], said: list[str]
) -> None:
    answer = ask(handlers, tool, **arguments)
    assert not answer.is_error, answer.text
    assert [words for words in said if words not in answer.text] == []
    assert answer.data is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("symbol", {}, "symbol is missing"),
        ("symbol", {"symbols": ["x"] * 30}, "at most 20"),
        ("symbol", {"symbol": "no\ntrace"}, "no line looks like a frame of a stack trace"),
        ("references", {"name": "x", "in": "files"}, "in"),
        ("references", {"name": "x", "role": "dances"}, "role"),
        ("references", {"name": "a(b", "regex": True}, "cannot be read"),
        ("hierarchy", {"symbol": "Store", "direction": "sideways"}, "direction"),
        ("hierarchy", {}, "symbol is missing"),
        ("outline", {"since": "nowhere"}, "has no version"),
        ("outline", {"since": "HEAD", "path": ["a", "b"]}, "is or matches a, b"),
        ("outline", {"path": "a,b"}, "no file or folder"),
        ("search", {"query": "x", "kinds": ["dances"]}, "kind"),
    ],
)
def test_errors(handlers: ToolHandlers, tool: str, arguments: dict[str, Any], said: str) -> None:
    answer = ask(handlers, tool, **arguments)
    assert answer.is_error and said in answer.text and "\n" not in answer.text.strip()


@pytest.mark.slow
def test_each_of_several_symbols_has_its_share(handlers: ToolHandlers) -> None:
    answer = ask(handlers, "symbol", symbols=["Store", "Disk", "main", "LIMIT"], max_tokens=400)
    assert all(f"#{name}`" in answer.text for name in ("Store", "Disk", "main", "LIMIT"))
    assert estimate_tokens(answer.text) < 500


@pytest.mark.slow
def test_a_name_that_no_symbol_has_says_where_the_text_is(handlers: ToolHandlers) -> None:
    text = ask(handlers, "search", query="is installed here").text
    assert (
        "As text it is on 1 line of 1 file" in text
        and 'references {"name": "is installed here", "in": "all"}' in text
    )
    assert "As text" not in ask(handlers, "search", query="zzqxj").text


@pytest.mark.slow
def test_a_trace_of_a_hundred_frames_in_one_call(handlers: ToolHandlers) -> None:
    frames = [
        f'  File "/home/ann/lib/somewhere/else_{n}.py", line {n}, in nothing_{n}'
        for n in range(1, 100)
    ]
    trace = "\n".join([*frames, '  File "/a/src/shop.py", line 3, in load'])
    assert len(trace) > 4_000
    answer = ask(handlers, "symbol", symbol=trace)
    assert "100 frames, 1 in the workspace" in answer.text and "99 elsewhere" in answer.text


@pytest.mark.slow
def test_roots_as_they_are_shown(tmp_path: Path) -> None:
    one = write_files(tmp_path / "one", {"a.py": "def first():\n    return 'a text'\n"})
    two = write_files(
        tmp_path / "two",
        {"a.py": "from one.a import first\n\n\ndef second():\n    return first()\n"},
    )
    made = ToolHandlers([one, two], str(tmp_path / "indexes"))
    try:
        assert "one/a.py" in ask(made, "references", name="a text", **{"in": "all"}).text
        assert "def second" in ask(made, "symbol", symbol="two/a.py:4-5").text
        assert (
            "`second`" in ask(made, "hierarchy", symbol="one/a.py#first", direction="callers").text
        )
        assert "def first" in ask(made, "outline", path="one").text
        assert "two/a.py" in ask(made, "references", name="first", path="two/**").text
        assert (
            not ask(made, "outline", path="two/a.py").is_error
            and ask(made, "outline", path="nowhere/x.py").is_error
        )
    finally:
        made.workspace.close()
