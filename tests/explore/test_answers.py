"""Whole answers about the tree of `answers_tree`: every field of each response in `answers.txt`.

A case there is a request, as `tool` with its fields in JSON, and below it the response: a field on
each line, and each entry of a list on a line of its own. Tokens of pages are left out.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from symindex.errors import SymindexError
from symindex.explore.references import references
from symindex.workspace.workspace import Workspace
from tests.explore.answers_tree import TREE
from tests.support.files import write_files

PAGE = Path(__file__).with_name("answers.txt")


def shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def answer(tree: Workspace, tool: str, fields: dict[str, Any]) -> str:
    try:
        response = getattr(tree, tool)(**fields)
    except SymindexError as error:
        return f"{type(error).__name__}: {error}"
    built = msgspec.to_builtins(response)
    lines = []
    for name, value in built.items():
        if name == "request" or value in (None, [], {}):
            continue
        if name == "pagination_id":
            value = "token"
        if isinstance(value, list):
            lines += [f"{name}: {shown(item)}" for item in value]
        else:
            lines.append(f"{name}: {shown(value)}")
    return "\n".join(lines)


def cases() -> list[tuple[str, str]]:
    pieces = PAGE.read_text("utf-8").removesuffix("\n").split("\n\n")
    return [
        (request, response) for request, _, response in (piece.partition("\n") for piece in pieces)
    ]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("answers")
    patched = pytest.MonkeyPatch()
    patched.setattr(references, "COUNT_SECONDS", 60.0)  # a full page goes on counting to the end
    with Workspace(write_files(folder / "tree", TREE), folder / "index") as workspace:
        workspace.refresh()
        yield workspace
    patched.undo()


@pytest.mark.sample(174)
@pytest.mark.parametrize(("request_", "response"), cases(), ids=lambda text: text[:60])
def test_an_answer_is_whole(tree: Workspace, request_: str, response: str) -> None:
    tool, _, fields = request_.partition(" ")
    assert answer(tree, tool, json.loads(fields)) == response
