"""All front ends have one order of rows and mark guesses as guesses: only the length of their
answers differs."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import symindex
from symindex.dialects.table import call
from symindex.workspace.workspace import Workspace
from tests.serve.cli.test_cli import on_a_terminal
from tests.support.command import run
from tests.support.files import Files, write_files
from tests.support.lsp_client import Editors
from tests.support.mcp_client import McpClient
from tests.support.waiting import until

pytestmark = pytest.mark.slow

PLAN = (
    "package {0}\n\n// Plan is one.\ntype Plan struct{{ A int }}\n\nfunc (p *Plan) Planned() {{}}\n"
)
TREE: Files = {
    "command/arguments/plan.go": PLAN.format("arguments"),
    "command/json/plan.go": PLAN.format("json"),
    "plans/plan.go": PLAN.format("plans"),
    "plans/planner.go": "package plans\n\ntype Planner interface{ Plan() }\n",
    "legacy/plan.go": PLAN.format("legacy"),
    "plans/plan_test.go": "package plans\n\nfunc TestPlan() {}\nfunc PlanOfTest() {}\n",
    **{
        f"plans/p{number}.go": f"package plans\n\nfunc use{number}(p *Plan, q Planner) {{}}\n"
        for number in range(4)
    },
    **{
        f"engine/e{number}.go": f"package engine\n\nfunc run{number}(p *plans.Plan) {{}}\n"
        for number in range(4)
    },
    "sending.py": "def send_from_directory(path):\n    '''Sends a file by a secure filename.'''\n",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("order") / "tree", TREE)


@pytest.fixture(scope="module")
def index_dir(root: Path) -> Path:
    return root.parent / "index"


@pytest.fixture(scope="module")
def workspace(root: Path, index_dir: Path) -> Iterator[Workspace]:
    with symindex.open(root, index_dir) as workspace:
        workspace.refresh()
        yield workspace


@pytest.fixture(scope="module")
def agent(workspace: Workspace, root: Path, index_dir: Path) -> Iterator[McpClient]:
    with McpClient([root], index_dir) as client:
        client.until("status", "Up to date")
        yield client


PLACE = re.compile(r"[\w/.]+\.(?:go|py):\d+")
COLOURS = re.compile(r"\x1b(?:\[[\d;]*m|\]8;[^\x1b]*\x1b\\)")


def in_text(text: str) -> list[str]:
    return PLACE.findall(COLOURS.sub("", text))


def in_items(items: list[dict[str, Any]]) -> list[str]:
    return [f"{item['file_path']}:{item['line']}" for item in items]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "query",
    ["Plan", "plan", "Pl", "Planne", "lan", "plans/Plan", "Plan kind:struct", "plan command"],
)
def test_every_front_end_has_one_order(
    query: str,
    workspace: Workspace,
    root: Path,
    index_dir: Path,
    agent: McpClient,
    editors: Editors,
) -> None:
    items = workspace.search(query).items
    whole = [f"{item.file_path}:{item.line}" for item in items]
    assert len(whole) > 2
    if query in ("Plan", "plan"):
        assert whole[0] == "plans/plan.go:4" and whole.index("legacy/plan.go:4") > whole.index(
            "command/json/plan.go:4"
        )
    words = ["search", query, "--root", str(root), "--index-dir", str(index_dir), "--paths", "root"]
    pages = {
        "terminal": in_text(on_a_terminal(*words)[0]),
        "terminal, all": in_text(on_a_terminal(*words, "-n", "0")[0]),
        "pipe": in_text(run(*words).out),
        "table": in_text(run(*words, "--format", "table").out),
        "lines": in_text(run(*words, "--format", "lines").out),
        "json": in_items(json.loads(run(*words, "--json").out)["items"]),
        "agent": in_items(agent.call("search", query=query)["structuredContent"]["items"]),
        "agent's text": in_text(agent.text("search", query=query)),
        "several at once": in_text(agent.text("search", queries=[query])),
    }
    for limit in (1, 2, 3, 5):
        pages[f"-n {limit}"] = in_text(run(*words, "-n", str(limit)).out)
        pages[f"-n {limit} --json"] = in_items(
            json.loads(run(*words, "-n", str(limit), "--json").out)["items"]
        )
        pages[f"Python {limit}"] = [
            f"{item.file_path}:{item.line}"
            for item in workspace.search(query, max_items=limit).items
        ]
        pages[f"agent {limit}"] = in_items(
            agent.call("search", query=query, max_items=limit)["structuredContent"]["items"]
        )
    client = editors.start(root, options={"indexDir": str(index_dir)})
    until(
        lambda: "notices" not in client.call("symindex/search", {"query": "Plan"}),
        "an answer from the index",
    )
    pages["editor"] = in_items(client.call("symindex/search", {"query": query})["items"])
    for name, page in pages.items():
        assert page and page == whole[: len(page)], name
    if query in ("Plan", "Planne"):
        rows = client.call("workspace/symbol", {"query": query})
        places = [
            f"{row['location']['uri'].partition('/tree/')[2]}:{row['location']['range']['start']['line'] + 1}"
            for row in rows
        ]
        assert places[:3] == whole[:3]


GUESSES = {
    **{"Plnaner": "typo", "Planner": None, "secure_filename": "text", "snddctry": "letters"},
    # letters are missing inside a word, so humps do not match
    **{
        "send_from_directry": "typo",
        "snd_from_drctry": "letters",
        "PlnOfTt": "letters",
        "PlanOfTe": None,
        "snd_frm": "letters",
    },
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("query", GUESSES)
def test_a_guess_says_so_at_every_front_end(
    query: str, workspace: Workspace, root: Path, index_dir: Path, agent: McpClient
) -> None:
    word = GUESSES[query]
    words = ["search", query, "--root", str(root), "--index-dir", str(index_dir), "--paths", "root"]
    code = 1 if word else 0
    first = workspace.search(query).items[0]
    assert (first.match or None) == word
    ran = run(*words, "--json")
    item = json.loads(ran.out)["items"][0]
    assert (ran.code, item.get("match")) == (code, word)
    assert set(item) == {
        "name",
        "kind",
        "file_path",
        "line",
        "container",
        *(["match"] if word else []),
    }
    assert agent.call("search", query=query)["structuredContent"]["items"][0].get("match") == word
    shown = {
        "lines": (run(*words, "--format", "lines"), f" {first.name} ({word})"),
        "markdown": (run(*words), f"| {first.kind}, {word} |"),
        "table": (run(*words, "--format", "table"), f"{first.kind}, {word}"),
    }
    for form, (ran, mark) in shown.items():
        assert ran.code == code and (mark in ran.out) == bool(word), form
        assert ("nothing matches" in ran.out + ran.err) == bool(word), form
    text = agent.text("search", query=query)
    assert (f", {word} |" in text) == ("nothing matches" in text) == bool(word)
    asked_for = run(*words, "--fuzzy")
    assert asked_for.code == 0 and "nothing matches" not in asked_for.out
    strict = run(*words, "--no-fuzzy", "--json")
    assert strict.code == code and bool(json.loads(strict.out)["total"]) == (not word)


@pytest.mark.nightly
@pytest.mark.parametrize("query", ["snd_from_drctry", "sndFrm", "planOfTst", "runPln"])
def test_an_editor_shows_names_with_scattered_letters(
    query: str, root: Path, index_dir: Path, editors: Editors
) -> None:
    """The answer contains the rows that the editor's own filter keeps, whatever else matches."""
    client = editors.start(root, options={"indexDir": str(index_dir)})
    until(
        lambda: client.call("workspace/symbol", {"query": "PlanOfTest"}), "an answer from the index"
    )
    names = [row["name"] for row in client.call("workspace/symbol", {"query": query})]
    letters = query.lower().replace("_", "")
    assert (names != []) == (query != "runPln")
    for name in names:
        rest = iter(name.lower())
        assert all(letter in rest for letter in letters), name


def test_an_exact_hit_that_a_filter_hides_is_reported_next_to_guesses(
    root: Path, index_dir: Path
) -> None:
    ran = run(
        "search",
        "Planner",
        "-k",
        "method",
        "-k",
        "function",
        "--root",
        str(root),
        "--index-dir",
        str(index_dir),
    )
    assert ran.code == 1 and "typo" in ran.out
    assert "without kinds `method`, `function`: 1" in ran.out


def test_rows_of_a_question_say_which_hold_only_some_words(workspace: Workspace) -> None:
    response = workspace.search("secure filename planner")
    (notice,) = response.notices or []
    assert notice == "no symbol contains all 3 words; these contain some of them"
    assert {item.match for item in response.items} == {"some words"}
    response = workspace.search("plan json")
    whole = [item for item in response.items if not item.match]
    assert {item.file_path for item in whole} == {"command/json/plan.go"}
    assert response.notices == [
        f"{len(whole)} symbols contain both words; the others contain some of them"
    ]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "query", ["send_from_directry", "snd_from_drctry", "secure_filename", "Planner"]
)
def test_a_guess_says_so_in_dialects_and_in_recall(
    query: str, workspace: Workspace, root: Path, index_dir: Path
) -> None:
    """The guess is in a field that the dialect's document leaves free; the sentence is among the
    notices."""
    word = GUESSES[query]
    words = ["--root", str(root), "--index-dir", str(index_dir)]
    text = run("recall", query, *words).out
    assert (f" ({word})" in text) == bool(word)
    for name in ("sibyl", "lsap"):
        answer = msgspec.to_builtins(call(workspace, name, "search", query=query))
        rows = answer.get("results") or answer.get("items") or []
        assert word in {row.get("match", row.get("metadata", {}).get("match")) for row in rows}, (
            name
        )
        if word and name == "lsap":
            assert "nothing matches" in str(answer["notices"])
    # rye guesses only when asked to
    strict = msgspec.to_builtins(call(workspace, "rye", "rye_search", query=query, scope="symbol"))
    assert bool(strict["results"]) == (word in (None, "text"))
