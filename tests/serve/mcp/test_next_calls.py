"""Each answer names the next call in the arguments of the schema, and that call continues where the
answer ended."""

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symindex.serve.mcp.answers import ToolAnswer
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.tools import BY_NAME, HIDDEN
from symindex.text.token_budget import estimate_tokens
from tests.support.files import Files, write_files
from tests.support.git import git
from tests.support.waiting import until

FILES: Files = {
    **{
        f"pkg/part{n}.py": "from pkg.used import used\n"
        + "".join(f"def made_{n}_{i}(): return used()\n" for i in range(30))
        for n in range(8)
    },
    "pkg/base.py": "class Base:\n    def run(self): pass\n"
    + "".join(f"    def step_{i}(self): pass\n" for i in range(80)),
    "pkg/below.py": "from pkg.base import Base\n"
    + "".join(f"class Below{i}(Base): pass\n" for i in range(40)),
    "pkg/used.py": "def used():\n    'A doc.'\n    return 'some text'\n",
}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": "made"}),
    ("search", {"queries": ["made", "base", "step", "below", "used", "part"], "max_tokens": 150}),
    ("symbol", {"symbol": "Base"}),
    ("symbol", {"symbol": "Base", "code": False}),
    ("symbol", {"symbol": "pkg/base.py:1-80"}),
    ("symbol", {"symbol": "Base", "siblings": True}),
    ("outline", {"path": "pkg/base.py"}),
    ("outline", {"path": ["pkg/base.py", "pkg/below.py"], "depth": 3}),
    ("outline", {"path": "pkg/*.py", "kinds": ["function"], "signatures": True}),
    ("outline", {"since": "HEAD"}),
    ("outline", {"since": "HEAD", "path": ["pkg/**", "!pkg/base.py"]}),
    ("references", {"name": "used"}),
    ("references", {"name": "pkg/used.py#used", "role": "call"}),
    ("references", {"name": "return", "in": "all"}),
    ("references", {"name": "some text", "in": "comments"}),
    ("hierarchy", {"symbol": "Base", "max_items": 5}),
    ("hierarchy", {"symbol": "used", "direction": "callers", "max_items": 5, "depth": 1}),
]


@pytest.fixture(scope="module")
def handlers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolHandlers]:
    folder = tmp_path_factory.mktemp("calls")
    root = write_files(folder / "tree", {"pkg/first.txt": ""})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "-m", "first")
    write_files(root, FILES)
    handlers = ToolHandlers([root], str(folder / "indexes"))
    until(
        lambda: (
            "building" not in ask(handlers, "status", {}).text
            and "is being" not in ask(handlers, "search", CALLS[0][1]).text
        )
    )
    until(lambda: "still being built" not in ask(handlers, "search", CALLS[0][1]).text)
    yield handlers
    handlers.workspace.close()


def ask(handlers: ToolHandlers, tool: str, arguments: dict[str, Any]) -> ToolAnswer:
    return handlers.answer(tool, arguments, threading.Event())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("tool", "arguments"), CALLS, ids=[f"{tool}-{n}" for n, (tool, _) in enumerate(CALLS)]
)
def test_every_call_that_an_answer_names_can_be_made(
    handlers: ToolHandlers, tool: str, arguments: dict[str, Any]
) -> None:
    answer = ask(
        handlers, tool, {"max_tokens": 150, **arguments} if tool != "hierarchy" else arguments
    )
    assert not answer.is_error
    named = re.findall(r"`(search|symbol|outline|references|hierarchy) (\{.*?\})`", answer.text)
    token = re.search(r"`(pagination_id)=([\w-]+)`", answer.text)
    assert named or token
    if token and "queries" not in arguments:
        named.append((tool, json.dumps({**arguments, token[1]: token[2]})))
    for other, written in named:
        given = json.loads(written)
        assert (
            given.keys()
            <= BY_NAME[other]["inputSchema"]["properties"].keys() | HIDDEN.get(other, {}).keys()
        )
        following = ask(handlers, other, given)
        assert not following.is_error and following.text != answer.text, (other, given)


def test_changes_that_do_not_fit_are_cut_between_rows(handlers: ToolHandlers) -> None:
    whole = ask(handlers, "outline", {"since": "HEAD", "max_tokens": 20_000})
    assert "more" not in whole.text
    for room in (100, 150, 400, 1_000):
        answer = ask(handlers, "outline", {"since": "HEAD", "max_tokens": room})
        assert estimate_tokens(answer.text) <= room
        last = answer.text.rstrip().splitlines()[-1]
        assert re.match(r"> \d+ more: `outline \{\"since\": \"HEAD\", \"max_tokens\": \d+\}`", last)
    text = answer.text
    while more := re.findall(r"more: `outline (\{.*?\})`", text):
        following = ask(handlers, "outline", json.loads(more[0])).text
        assert len(following) > len(text)
        text = following
    assert text == whole.text


@pytest.mark.nightly
def test_others_of_a_name_are_explained_once(tmp_path: Path) -> None:
    files = {
        f"{n}.py": f"class A{n}:\n    def go(self): pass\n\n\ndef f{n}(x):\n    x.go()\n"
        for n in range(4)
    }
    handlers = ToolHandlers([write_files(tmp_path / "tree", {**files})], str(tmp_path / "indexes"))
    try:
        until(
            lambda: ask(
                handlers, "hierarchy", {"symbol": "0.py#A0.go", "direction": "callers"}
            ).text.count("- `f")
        )
        text = ask(handlers, "hierarchy", {"symbol": "0.py#A0.go", "direction": "callers"}).text
        assert (
            text.count("(or 3 more)") == 4
            and text.count("(or N more): that many other symbols have the name") == 1
        )
        text = ask(handlers, "hierarchy", {"symbol": "0.py#f0", "direction": "callers"}).text
        assert "(or" not in text
    finally:
        handlers.workspace.close()


def test_a_signature_without_its_code(handlers: ToolHandlers) -> None:
    text = ask(handlers, "symbol", {"symbol": "used", "code": False}).text
    assert "def used()" in text and "A doc." in text and "return" not in text
    assert "return" in ask(handlers, "symbol", {"symbol": "used", "code": True}).text


def test_several_texts_where_one_is_asked_for(handlers: ToolHandlers) -> None:
    one = ask(handlers, "symbol", {"symbol": ["Base", "used"]})
    assert (
        one == ask(handlers, "symbol", {"symbols": ["Base", "used"]})
        and one.text.count("# Symbol") == 2
    )
    assert ask(handlers, "search", {"query": ["Base", "used"]}) == ask(
        handlers, "search", {"queries": ["Base", "used"]}
    )
