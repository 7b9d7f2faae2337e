"""Optional arguments that a model or its host fills with meaningless values."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.tools import HIDDEN, TOOLS
from tests.support.files import write_files
from tests.support.waiting import until, until_indexed


@pytest.fixture(scope="module")
def handlers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolHandlers]:
    folder = tmp_path_factory.mktemp("absent")
    root = write_files(folder / "tree", {"a.py": "class Reader: pass\nReader()\n"})
    handlers = ToolHandlers([root], str(folder / "index"))
    until_indexed(handlers)
    yield handlers
    handlers.workspace.close()


def answered(handlers: ToolHandlers, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    answers = []

    def is_fresh() -> bool:
        answers.append(handlers.answer(tool, arguments, threading.Event()))
        return "the most recent changes may be missing" not in answers[-1].text

    until(is_fresh, "an answer on an idle machine")
    return answers[-1].text, answers[-1].is_error


NEEDED: dict[str, dict[str, Any]] = {
    "search": {"query": "Reader"},
    "symbol": {"symbol": "Reader"},
    "outline": {},
    "references": {"name": "Reader"},
    "hierarchy": {"symbol": "Reader"},
    "status": {},
}

OPTIONAL = [
    (tool["name"], name)
    for tool in TOOLS
    for name in (*tool["inputSchema"]["properties"], *HIDDEN.get(tool["name"], {}))
    if name not in NEEDED[tool["name"]]
]


TEXTS = ("queries", "symbols", "focus")
LISTS = (*TEXTS, "kinds", "language", "path", "scope")
OBJECTS = ("fuzzy", "proximity", "fields", "filters")
FLAGS = ("tests", "siblings", "regex", "signatures", "ignore_case", "history")
"""The arguments that are false by default. `code` is a flag, too, but true by default."""

EXCEPT: dict[str, tuple[Any, ...]] = {
    **{name: ([""],) for _, name in OPTIONAL if name not in LISTS},
    **{name: ("null",) for name in TEXTS},
    **{name: ([""], "null") for name in (*OBJECTS, *FLAGS)},
    "code": ([""], "null", False),
}


@pytest.mark.sample(9)
@pytest.mark.parametrize(("tool", "name"), OPTIONAL)
@pytest.mark.parametrize("empty", [[], "", None, {}, False, [""], "null"], ids=repr)
def test_an_empty_value_is_an_absent_one(
    handlers: ToolHandlers, tool: str, name: str, empty: Any
) -> None:
    if empty in EXCEPT.get(name, ()):
        return  # the value has a meaning there, or is refused with an error
    plain = answered(handlers, tool, NEEDED[tool])
    assert not plain[1], plain[0]
    assert answered(handlers, tool, {**NEEDED[tool], name: empty}) == plain


@pytest.mark.parametrize(
    "name", ["source", "since", "category", "session", "project", "content_type"]
)
@pytest.mark.parametrize("empty", [[], "", None, False], ids=repr)
def test_empty_filters_of_text_make_no_search_in_text(
    handlers: ToolHandlers, name: str, empty: Any
) -> None:
    plain = answered(handlers, "search", {"query": "Reader", "in": "text"})
    assert answered(handlers, "search", {"query": "Reader", "in": "text", name: empty}) == plain


def test_a_required_text_may_not_be_empty(handlers: ToolHandlers) -> None:
    assert answered(handlers, "references", {"name": ""}) == (
        "references: name is missing: a text",
        True,
    )
