"""An agent's day with another indexer, used as well as possible: of all ways to an answer, the
shortest right one counts, or the shortest if none is right."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mcp import Client

from tests.bench.agents_tools import Answer, Order, id_in, index_tree, own_places, talk, unfold
from tests.bench.agents_tools import Asked as Answers
from tests.bench.day_questions import Asked

_AROUND: Final = 30


def is_right_anywhere(asked: Asked, text: str, root: Path) -> bool:
    """Whether an answer contains what a right one must, in any form: the path and, anywhere after
    it, the line number; or, for code, the line itself."""
    text = unfold(text)
    held = [
        _holds(text, place) or (asked.kind == "body" and _line_of(root, place) in text)
        for place in asked.places
    ]
    has_places = not held or (any(held) if asked.any_is_enough else all(held))
    n_words = sum(re.search(rf"\b{re.escape(word)}\b", text) is not None for word in asked.words)
    return has_places and n_words >= (asked.least or len(asked.words))


def _holds(text: str, place: str) -> bool:
    path, _, line = place.rpartition(":")
    position = text.find(path)
    return (
        position >= 0
        and re.search(rf"(?<!\d){line}(?!\d)", text[position + len(path) :]) is not None
    )


def _line_of(root: Path, place: str) -> str:
    path, _, line = place.rpartition(":")
    code = (root / path).read_text("utf-8").split("\n")[int(line) - 1].strip()
    return json.dumps(code)[1:-1] or "\0"


def ask_indexer(command: str, root: Path, questions: Sequence[Asked], home: Path) -> list[str]:
    """Returns the indexer's answers, once the tree is indexed. home: where it keeps its index.
    Raises BenchError."""

    async def work(client: Client) -> Answers:
        order, repo = await index_tree(client, root)
        answers = []
        for asked in questions:
            texts = await _ways(order, repo, asked)
            right = [text for text in texts if is_right_anywhere(asked, text, root)]
            answers.append(Answer(min(right or texts, key=len)))
        return Answers(answers)

    return [answer.text for answer in talk(command, [], own_places(home), work).answers]


async def _ways(order: Order, repo: str, asked: Asked) -> list[str]:
    """Returns the answers by every way that fits a kind of question."""
    match asked.kind:
        case "concept":
            return [
                await order("search_symbols", repo=repo, query=asked.text),
                await order("get_ranked_context", repo=repo, query=asked.text),
            ]
        case "error text":
            return [
                await order("search_text", repo=repo, query=query)
                for query in (asked.arguments["name"], asked.pattern)
            ]
        case "trace":
            path, _, line = asked.position.partition(":")
            first = max(1, int(line) - _AROUND)
            window = await order(
                "get_file_content",
                repo=repo,
                file_path=path,
                start_line=first,
                end_line=first + 2 * _AROUND,
            )
            return [f"{path} {line}\n{window}"]
        case "changed":
            return [await order("get_changed_symbols", repo=repo, since_sha="HEAD~1")]
        case "overview":
            return [await order("get_repo_map", repo=repo, token_budget=2_000)]
    name = next(
        str(asked.arguments[key]) for key in ("query", "symbol", "name") if key in asked.arguments
    )
    last = name.rpartition(".")[2]
    if asked.kind in ("callers", "tests"):
        responses = [
            await order(action, repo=repo, identifier=last)
            for action in ("find_references", "check_references")
        ]
        symbol = id_in(await order("search_symbols", repo=repo, query=name), last)
        return [
            *responses,
            await order(
                "get_call_hierarchy", repo=repo, symbol_id=symbol, direction="callers", depth=1
            ),
        ]
    if asked.kind == "implementations":
        below = await order("find_implementations", repo=repo, symbol=last)
        return [await order("get_class_hierarchy", repo=repo, class_name=last), below]
    texts = []
    for query in dict.fromkeys((name, last)):
        response = await order("search_symbols", repo=repo, query=query)
        symbol = id_in(response, last)
        if asked.kind not in ("members", "body") or not symbol:
            texts.append(response)
            continue
        source = await order("get_symbol_source", repo=repo, symbol_id=symbol)
        texts.append(f"{response}\n{source}")
        if asked.kind == "members":
            texts.append(
                f"{response}\n{await order('get_file_outline', repo=repo, file_path=symbol.partition('::')[0])}"
            )
    return texts
