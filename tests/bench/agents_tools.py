"""The tools: symindex, another indexer, grep; each is used as an agent would use it. An answer is
all the text that it costs.

symindex gets one call per question. The other indexer gets as many as it needs: where it requires
an id or a file, it is first asked for the symbol, and of several ways the cheapest right one
counts. grep stands for agents' own tools: at most 250 lines of at most 500 characters, and at most
2,000 lines of the file that defines the name.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters

from tests.bench.agents_questions import Question
from tests.bench.peers import INDEXER, install
from tests.bench.places import Bench, BenchError, say

GREP_LINES: Final = 250
GREP_LETTERS: Final = 500
READ_LINES: Final = 2_000

INDEX_SECONDS: Final = 900.0


class Answer(NamedTuple):
    """An answer. text: of all calls together. data: the structured form, empty if there is none.
    seconds: until the last answer."""

    text: str
    data: str = ""
    seconds: float = 0.0


class Asked(NamedTuple):
    """The answers of a tool. answers: one per question, in order. schemas: what the tools cost
    before any question, as JSON."""

    answers: list[Answer]
    schemas: str = ""


def ask_symindex(root: Path, questions: Sequence[Question], index_dir: Path) -> Asked:
    """Returns symindex's answers, one call each, once the tree is indexed."""
    words = [
        "-m",
        "symindex",
        "mcp",
        "--root",
        str(root),
        "--index-dir",
        str(index_dir),
        "--structured-content",
        "always",
    ]

    async def work(client: Client) -> Asked:
        until = time.monotonic() + INDEX_SECONDS
        while "Up to date" not in text_of(await client.call_tool("status", {})):
            if time.monotonic() > until:
                raise BenchError(f"symindex: {root} is not indexed after {INDEX_SECONDS:.0f} s")
            await anyio.sleep(0.2)
        listed = await client.list_tools()
        answers: list[Answer] = []
        for question in questions:
            began = time.perf_counter()
            tool, arguments = _SYMINDEX[question.asks](question.name)
            result = await client.call_tool(tool, arguments)
            seconds = time.perf_counter() - began
            answers.append(
                Answer(
                    text_of(result),
                    json.dumps(result.structured_content, separators=(",", ":")),
                    seconds,
                )
            )
        tools = [
            tool.model_dump(by_alias=True, exclude_none=True, exclude={"output_schema"})
            for tool in listed.tools
        ]
        return Asked(answers, json.dumps(tools))

    return talk(sys.executable, words, {}, work)


_SYMINDEX: Final[dict[str, Callable[[str], tuple[str, dict[str, Any]]]]] = {
    "definition": lambda name: ("search", {"query": name}),
    "members": lambda name: ("symbol", {"symbol": name}),
    "signature": lambda name: ("symbol", {"symbol": name}),
    "mentions": lambda name: ("references", {"name": name}),
}
"""The call for each kind of question."""


def ask_indexer(bench: Bench, root: Path, questions: Sequence[Question], home: Path) -> Asked:
    """Returns the other indexer's answers, once the tree is indexed. home: where it keeps its
    index. Raises BenchError."""
    command = str(install(bench, INDEXER, "jcodemunch-mcp"))

    async def work(client: Client) -> Asked:
        listed = await client.list_tools()
        order, repo = await index_tree(client, root)
        answers: list[Answer] = []
        for question in questions:
            began = time.perf_counter()
            texts = await _ask_indexer(order, repo, question)
            seconds = time.perf_counter() - began
            right = [text for text in texts if question.is_right(unfold(text))]
            answers.append(Answer(min(right or texts, key=len), seconds=seconds))
        return Asked(
            answers,
            json.dumps(
                [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
            ),
        )

    return talk(command, [], own_places(home), work)


Order = Callable[..., Awaitable[str]]
"""Performs an action of the other indexer with arguments, and returns its answer."""


def own_places(home: Path) -> dict[str, str]:
    """Makes a folder and returns the environment in which the other indexer keeps everything
    there."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "CODE_INDEX_PATH": str(home / "index"),
        "JCODEMUNCH_MAX_FOLDER_FILES": "10000",
    }


async def index_tree(client: Client, root: Path) -> tuple[Order, str]:
    """Lets the other indexer index a tree; returns a function that performs its actions, and its
    name of the tree. Raises BenchError."""

    async def order(action: str, **arguments: Any) -> str:
        return text_of(
            await client.call_tool(
                "order", {"action": action, "args": arguments, "allow_state_change": True}
            )
        )

    said = json.loads(await order("index_folder", path=str(root), use_ai_summaries=False))
    if not said.get("success"):
        raise BenchError(f"{INDEXER}: {root} is not indexed: {said.get('error')}")
    say(f"{INDEXER}: {said['file_count']:,} files, {said['symbol_count']:,} symbols")
    return order, str(said["repo"])


async def _ask_indexer(order: Order, repo: str, question: Question) -> list[str]:
    """Returns the answers by every way: by the whole name or its last part, and by the code or the
    file's outline."""
    if question.asks == "mentions":
        return [await order("check_references", repo=repo, identifier=question.last_name)]
    texts: list[str] = []
    for query in dict.fromkeys((question.name, question.last_name)):
        response = await order("search_symbols", repo=repo, query=query)
        symbol = id_in(response, question.last_name)
        if question.asks != "members" or not symbol:
            texts.append(response)
            continue
        source = await order("get_symbol_source", repo=repo, symbol_id=symbol)
        outline = await order("get_file_outline", repo=repo, file_path=symbol.partition("::")[0])
        texts += [f"{response}\n{source}", f"{response}\n{outline}"]
    return texts


def id_in(response: str, name: str) -> str:
    """Returns the id of the first row of a name, or else of the first row; empty if there is
    none."""
    rows = re.findall(r"^s,([^,\n]+),([^,\n]*),", response, re.MULTILINE)
    return next(
        (unfold(row[0], response) for row in [*(row for row in rows if row[1] == name), *rows]), ""
    )


def unfold(text: str, table: str = "") -> str:
    """Returns a text with its abbreviations expanded, as a reader understands it; they are defined
    at the head of this text or of another one."""
    for name, meaning in reversed(re.findall(r"^@(\d+)=(.*)$", table or text, re.MULTILINE)):
        text = re.sub(rf"@{name}\b", lambda _, meaning=meaning: meaning, text)  # type: ignore[misc]
    return text


def unfolded(answer: Answer) -> str:
    """Returns an answer of the other indexer as a reader understands it."""
    return unfold(answer.text)


def ask_grep(root: Path, questions: Sequence[Question], reads: bool) -> Asked:
    """Returns the output of `grep -rnw` for the name, and, if `reads`, the file that defines it.
    Mentions need no reading."""
    answers: list[Answer] = []
    for question in questions:
        began = time.perf_counter()
        command = ["grep", "-rnwF", "--binary-files=without-match", "--", question.last_name, "."]
        done = subprocess.run(command, cwd=root, capture_output=True, check=False)
        lines = done.stdout.decode("utf-8", "replace").splitlines()[:GREP_LINES]
        text = "\n".join(line[:GREP_LETTERS] for line in lines)
        if reads and question.asks != "mentions":
            text += "\n" + _read(root, question.places[0])
        answers.append(Answer(text, seconds=time.perf_counter() - began))
    return Asked(answers)


def _read(root: Path, place: str) -> str:
    """Returns the file of a place with line numbers; a long file begins at that place."""
    path, _, line = place.rpartition(":")
    lines = (root / path).read_text("utf-8").splitlines()
    first = int(line) - 1 if len(lines) > READ_LINES else 0
    numbered = (
        f"{number}\t{text}"
        for number, text in enumerate(lines[first : first + READ_LINES], first + 1)
    )
    return f"{path}\n" + "\n".join(numbered)


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def talk(
    command: str,
    words: Sequence[str],
    more: Mapping[str, str],
    work: Callable[[Client], Awaitable[Asked]],
) -> Asked:
    """Returns the result of a conversation with a server in a process of its own. Raises what the
    work raises."""

    async def talk() -> Asked | BenchError:
        parameters = StdioServerParameters(
            command=command, args=list(words), env={**os.environ, **more}
        )
        async with Client(parameters, mode="legacy", read_timeout_seconds=INDEX_SECONDS) as client:
            try:
                return await work(client)
            except BenchError as error:  # otherwise it would be raised in an exception group
                return error

    outcome = anyio.run(talk)
    if isinstance(outcome, BenchError):
        raise outcome
    return outcome
