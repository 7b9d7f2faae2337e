"""Tests of the benchmark of agents: its questions are complete, and answers are judged by what they
show. Nothing is measured here."""

import re
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from symindex.protocol.explore import ReferencesRequest, SymbolRequest
from symindex.render.references import render_references
from symindex.render.symbol import render_symbol
from tests.bench import agents, agents_tools
from tests.bench.agents import Row, render_table
from tests.bench.agents_questions import KINDS, TREES, Question, check_places, read_questions
from tests.bench.agents_tools import Answer, Asked, ask_grep, ask_symindex, unfolded
from tests.bench.places import HERE, Bench, BenchError
from tests.support.files import Maker, write_files
from tests.support.pages import PAGES

pytestmark = pytest.mark.nightly

TREE = {
    "net/serve.py": "import os\n\n\ndef serve(port,\n          host='x'):\n    return os\n\n\nserve(1)\n"
}
SERVE = Question("django", "signature", "net.serve", "?", ("net/serve.py:4",), ("port, host='x'",))


def test_there_are_forty_questions() -> None:
    questions = read_questions()
    assert len(questions) == len(set(questions)) == 40
    assert Counter(question.tree for question in questions) == dict.fromkeys(TREES, 20)
    assert set(question.asks for question in questions) == set(KINDS)
    for question in questions:
        assert question.places and bool(question.words) == (
            question.asks in ("members", "signature")
        ), question.text
        assert question.name in question.text


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("`serve` net/serve.py:4 (port, host='x')", True),
        ("# net/serve.py\n- 1: import os\n- 4: def serve(\nport,\nhost='x')", True),
        ("net/serve.py\n3\t\n4\tdef serve(port,\n5\t          host='x'):", True),
        ('{"file": "net/serve.py", "line": 4, "text": "(port, host=\'x\')"}', True),
        ("net/serve.py:14 (port, host='x')", False),
        ("net/serve.py:4 (port, host='xy')", False),
        ("net/serve.py:4 (report, host='x')", False),
        ("other/serve.py:4 (port, host='x')", False),
        ("net/serve.py other.py:4 (port, host='x')", False),
        ("4 net/serve.py (port, host='x')", False),
        ("", False),
    ],
)
def test_an_answer_is_right_where_it_shows_all(answer: str, is_right: bool) -> None:
    assert SERVE.is_right(answer) == is_right


def test_places_are_checked_against_the_tree(tmp_path: Path) -> None:
    root = write_files(tmp_path, TREE)
    check_places(SERVE, root)
    with pytest.raises(BenchError, match="does not hold serve"):
        check_places(msgspec.structs.replace(SERVE, places=("net/serve.py:2",)), root)


def test_our_own_answers_are_judged_right(make_workspace: Maker) -> None:
    workspace = make_workspace(TREE)
    assert SERVE.is_right(render_symbol(workspace.symbol(SymbolRequest(symbol="net.serve"))))
    mentions = Question("django", "mentions", "serve", "?", ("net/serve.py:9",))
    assert mentions.is_right(
        render_references(workspace.references(ReferencesRequest(name="serve")))
    )


def test_grep_shows_lines_and_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path, TREE)
    (answer,) = ask_grep(root, [SERVE], reads=False).answers
    assert answer.text.splitlines() == [
        "./net/serve.py:4:def serve(port,",
        "./net/serve.py:9:serve(1)",
    ]
    assert not SERVE.is_right(answer.text)
    (read,) = ask_grep(root, [SERVE], reads=True).answers
    assert SERVE.is_right(read.text) and read.text.endswith("9\tserve(1)")
    monkeypatch.setattr(agents_tools, "READ_LINES", 2)
    (cut,) = ask_grep(root, [SERVE], reads=True).answers
    assert SERVE.is_right(cut.text) and cut.text.endswith("5\t          host='x'):")


@pytest.mark.slow
def test_symindex_is_asked_as_an_agent_asks(tmp_path: Path) -> None:
    root = write_files(tmp_path / "tree", TREE)
    asked = ask_symindex(root, [SERVE], tmp_path / "index")
    (answer,) = asked.answers
    assert SERVE.is_right(answer.text) and '"symbol":{' in answer.data
    assert '"inputSchema"' in asked.schemas and "outputSchema" not in asked.schemas


def test_abbreviations_are_written_out() -> None:
    folded = (
        "@1=net/serve.py\n@2=@1::Server\n\ns,@1::serve#function,serve,function,@1,4,,\ns,@2.run,run"
    )
    assert unfolded(Answer(folded)).endswith(
        "s,net/serve.py::serve#function,serve,function,net/serve.py,4,,\ns,net/serve.py::Server.run,run"
    )
    assert agents_tools.id_in(folded, "serve") == "net/serve.py::serve#function"
    assert agents_tools.id_in("nothing", "serve") == ""


def test_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cost = {agents.OURS: 10, agents.READ: 200, agents.GREP: 20, agents.INDEXER: 40}
    rows = [Row(SERVE, tool, tool != agents.GREP, tokens, 0, 0.01) for tool, tokens in cost.items()]
    table = render_table(rows)
    assert (
        "| signature | 10 (1 of 1) | 40 (1 of 1) | 20 (0 of 1) | 200 (1 of 1) |" in table
        and table.count("\n") == 6
    )
    monkeypatch.setattr(agents, "ask_all", lambda _: (rows, {agents.OURS: 5, agents.INDEXER: 10}))
    for name in ("discovery_seconds", "http_discovery_seconds"):
        monkeypatch.setattr(agents, name, lambda _: 0.2)
    figures = {(figure.name, figure.against): figure for figure in agents.measure(Bench(tmp_path))}
    assert figures["tokens of all answers", agents.READ].met is True
    assert figures["tokens of all answers", agents.INDEXER].ratio == 0.25
    assert figures["right at the first call", ""].met is False
    assert agents.measure(Bench(tmp_path, quick=True)) == []


@pytest.mark.parametrize(
    "page", [page for page, text in PAGES.items() if "| questions | symindex |" in text]
)
def test_the_table_of_a_page_is_the_newest_that_was_measured(page: str) -> None:
    table = PAGES[page].split("| questions | symindex |")[1].split("\n\n")[0]
    rows = [
        [int(number.replace(",", "")) for number in re.findall(r"([\d,]+) \(", row)]
        for row in table.splitlines()[2:]
    ]
    *kinds, whole = rows
    assert (
        len(kinds) == len(KINDS) and [sum(column) for column in zip(*kinds, strict=True)] == whole
    )
    runs = [
        msgspec.json.decode(line)["figures"]
        for line in (HERE / "results.jsonl").read_bytes().splitlines()
    ]
    newest = [figures for figures in runs if any(figure["part"] == "agents" for figure in figures)][
        -1
    ]
    measured = {
        figure.get("against"): figure
        for figure in newest
        if figure["name"] == "tokens of all answers"
    }
    ours, *theirs = whole
    for tool, tokens in zip((agents.INDEXER, agents.GREP, agents.READ), theirs, strict=True):
        assert measured[tool]["value"] == pytest.approx(ours, rel=0.001)
        assert measured[tool]["ratio"] == pytest.approx(ours / tokens, rel=0.001)


@pytest.mark.slow
def test_discovery_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "DISCOVERY_ROUNDS", 1)
    assert 0 < agents.discovery_seconds(Bench(tmp_path)) < 60
    assert 0 < agents.http_discovery_seconds(Bench(tmp_path)) < 60
    assert Asked([]).schemas == ""
