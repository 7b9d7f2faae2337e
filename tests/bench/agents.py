"""Agents: what the right answers to forty questions cost a model, with symindex, grep and another
indexer.

Also a command, which prints the table of `.github/docs/measurements.md`, and every question with
--each: python -m tests.bench.agents
"""

import argparse
import http.client
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

from tests.bench.agents_questions import KINDS, Question, check_places, find_tree, read_questions
from tests.bench.agents_tools import Answer, Asked, ask_grep, ask_indexer, ask_symindex, unfolded
from tests.bench.corpora import make_corpus
from tests.bench.figures import Figure, Target, ratio_target, value_target
from tests.bench.places import Bench, BenchError, default_folder, say
from tests.bench.tokenizer import count_tokens

OURS: Final = "symindex"
READ: Final = "grep -rn, reading"
GREP: Final = "grep -rn"
INDEXER: Final = "jcodemunch-mcp"
TOOLS: Final = (OURS, INDEXER, GREP, READ)

_TARGETS: Final[Mapping[str, Target]] = {
    READ: ratio_target("<=", 0.1),
    INDEXER: ratio_target("<", 1),
}

DISCOVERY_ROUNDS: Final = 5


class Row(msgspec.Struct):
    """The answer of one tool to one question. data_tokens: those of the answer as structured
    content, 0 if there is none."""

    question: Question
    tool: str
    is_right: bool
    tokens: int
    data_tokens: int
    seconds: float


def measure(bench: Bench) -> list[Figure]:
    """Returns the figures of this part."""
    if bench.quick:
        say("agents: needs the whole corpus, and is left out of --quick")
        return []
    rows, schemas = ask_all(bench)
    mine = _tokens(rows, OURS)
    n_right = sum(row.is_right for row in rows if row.tool == OURS)
    figures = [
        Figure("agents", "right at the first call", n_right, "of 40", target=value_target(">=", 38))
    ]
    for tool in TOOLS[1:]:
        target = _TARGETS.get(tool)
        figures.append(
            Figure(
                "agents",
                "tokens of all answers",
                mine,
                "",
                mine / _tokens(rows, tool),
                tool,
                target,
            )
        )
        n_theirs = sum(row.is_right for row in rows if row.tool == tool)
        figures.append(Figure("agents", f"right: {tool}", n_theirs, "of 40"))
    data = sum(row.data_tokens for row in rows if row.tool == OURS)
    figures.append(
        Figure("agents", "tokens of the same as data", data, "", data / mine, "Markdown")
    )
    figures.append(
        Figure(
            "agents",
            "tokens of the tools",
            schemas[OURS],
            "",
            schemas[OURS] / schemas[INDEXER],
            INDEXER,
        )
    )
    seconds = median(row.seconds for row in rows if row.tool == OURS)
    theirs = median(row.seconds for row in rows if row.tool == INDEXER)
    figures.append(Figure("agents", "answer, p50", 1000 * seconds, "ms", seconds / theirs, INDEXER))
    for name, taken in (
        ("discovery", discovery_seconds(bench)),
        ("discovery over HTTP", http_discovery_seconds(bench)),
    ):
        figures.append(Figure("agents", name, taken, "s", target=value_target("<", 1.5)))
    return figures


def ask_all(bench: Bench) -> tuple[list[Row], dict[str, int]]:
    """Puts every question to every tool; also returns what the tools cost before any question.
    Raises BenchError."""
    questions = read_questions()
    rows: list[Row] = []
    schemas: dict[str, int] = {}
    for tree in dict.fromkeys(question.tree for question in questions):
        root = find_tree(bench, tree)
        some = [question for question in questions if question.tree == tree]
        for question in some:
            check_places(question, root)
        homes = {name: bench.scratch / f"agents-{name}-{tree}" for name in (OURS, INDEXER)}
        for home in homes.values():
            shutil.rmtree(home, ignore_errors=True)
        ways: dict[str, Callable[[], Asked]] = {
            OURS: lambda root=root, some=some, homes=homes: ask_symindex(root, some, homes[OURS]),  # type: ignore[misc]
            INDEXER: lambda root=root, some=some, homes=homes: ask_indexer(  # type: ignore[misc]
                bench, root, some, homes[INDEXER]
            ),
            GREP: lambda root=root, some=some: ask_grep(root, some, reads=False),  # type: ignore[misc]
            READ: lambda root=root, some=some: ask_grep(root, some, reads=True),  # type: ignore[misc]
        }
        for tool, ask in ways.items():
            say(f"agents: {tool}: {tree}")
            asked = ask()
            rows += _rows(bench, tool, some, asked)
            if asked.schemas:
                (schemas[tool],) = count_tokens(bench.folder / "tools", [asked.schemas])
    return rows, schemas


def _rows(bench: Bench, tool: str, questions: Sequence[Question], asked: Asked) -> list[Row]:
    answers = asked.answers
    tokens = count_tokens(bench.folder / "tools", [answer.text for answer in answers])
    data = count_tokens(bench.folder / "tools", [answer.data for answer in answers])
    return [
        Row(
            question,
            tool,
            question.is_right(_as_read(tool, answer)),
            n_tokens,
            n_data,
            answer.seconds,
        )
        for question, answer, n_tokens, n_data in zip(questions, answers, tokens, data, strict=True)
    ]


def _as_read(tool: str, answer: Answer) -> str:
    return unfolded(answer) if tool == INDEXER else answer.text


def _tokens(rows: Sequence[Row], tool: str) -> int:
    return sum(row.tokens for row in rows if row.tool == tool)


def discovery_seconds(bench: Bench) -> float:
    """Returns the median time from the start of the process until its tools are listed, on standard
    streams."""

    def discover(command: list[str]) -> float:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as server:
            assert server.stdin is not None and server.stdout is not None
            server.stdin.write(_HELLO)
            server.stdin.flush()
            for _ in range(2):
                server.stdout.readline()
            answered = time.perf_counter()
            server.stdin.close()
        return answered

    return _median_seconds(bench, discover)


def http_discovery_seconds(bench: Bench) -> float:
    """Returns the median time until the tools are listed over HTTP, in the revision that needs no
    handshake."""

    def discover(command: list[str]) -> float:
        with subprocess.Popen(
            [*command, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stderr is not None
            port = int(server.stderr.readline().rpartition(":")[2].partition("/")[0])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            connection.request("POST", "/mcp", _ASK_HTTP, _HEADERS)
            connection.getresponse().read()
            answered = time.perf_counter()
            connection.close()
            server.terminate()
        return answered

    return _median_seconds(bench, discover)


def _median_seconds(bench: Bench, discover: Callable[[list[str]], float]) -> float:
    """Returns the median time of a server of an empty tree. discover: starts it by its command, and
    returns the time of its answer."""
    root = bench.scratch / "agents-nothing"
    root.mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-m",
        "symindex",
        "mcp",
        "--root",
        str(root),
        "--index-dir",
        str(bench.scratch / "agents-none"),
    ]
    taken = []
    for _ in range(DISCOVERY_ROUNDS):
        began = time.perf_counter()
        taken.append(discover(command) - began)
    return median(taken)


_ABOUT: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": _ABOUT["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ASK_HTTP: Final = msgspec.json.encode(
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": _META}}
)
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
}
_HELLO: Final = b"".join(
    msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n"
    for message in (
        {"id": 1, "method": "initialize", "params": _ABOUT},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list", "params": {}},
    )
)


def render_table(rows: Sequence[Row]) -> str:
    """Returns tokens and right answers by kind of question, as Markdown."""
    lines = ["| questions | " + " | ".join(TOOLS) + " |", "|---|" + "---:|" * len(TOOLS)]
    for kind in (*KINDS, "all"):
        cells = []
        for tool in TOOLS:
            some = [row for row in rows if row.tool == tool and kind in ("all", row.question.asks)]
            cells.append(
                f"{sum(row.tokens for row in some):,} ({sum(row.is_right for row in some)} of {len(some)})"
            )
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _render_each(rows: Sequence[Row]) -> str:
    lines = []
    for question in dict.fromkeys(row.question for row in rows):
        some = [row for row in rows if row.question == question]
        outcomes = ", ".join(
            f"{row.tool} {'right' if row.is_right else 'WRONG'} {row.tokens:,}" for row in some
        )
        lines.append(f"{question.tree}: {question.text} {outcomes}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.agents", description=__doc__)
    parser.add_argument(
        "--corpora",
        type=Path,
        default=default_folder(),
        metavar="DIR",
        help="where corpora are kept",
    )
    parser.add_argument("--each", action="store_true", help="every question")
    args = parser.parse_args()
    bench = Bench(args.corpora.absolute())
    for error in make_corpus(bench):
        say(error)
    rows, schemas = ask_all(bench)
    if args.each:
        print(_render_each(rows) + "\n")
    print(render_table(rows))
    data = sum(row.data_tokens for row in rows if row.tool == OURS)
    print(
        f"\nthe same of {OURS} as data: {data:,} tokens; the tools before anything is asked: {schemas}"
    )
    print(
        f"discovery after {discovery_seconds(bench):.2f} s, over HTTP after {http_discovery_seconds(bench):.2f} s"
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchError as error:
        say(str(error))
        sys.exit(2)
