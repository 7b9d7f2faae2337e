"""Handles the tools over a fleet of repositories, and chooses the handlers of a server."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from symindex.errors import RequestError
from symindex.recall.chunks.read_request import is_about_text
from symindex.render.fleet import render_status
from symindex.serve import fleet_answers
from symindex.serve.mcp.answers import Arguments, ToolAnswer, token_budget
from symindex.serve.mcp.arguments import read_arguments, without_empty
from symindex.serve.mcp.client_profiles import Offer
from symindex.serve.mcp.fleet_tools import FLEET_BY_NAME, FLEET_HIDDEN, in_repository
from symindex.serve.mcp.handlers import ToolHandlers
from symindex.serve.mcp.reading_handlers import ReadingHandlers
from symindex.text.token_budget import cut_to_tokens
from symindex.workspace.answers import Answers

MOST_ROWS: Final = 50
"""Most repositories that the status lists."""


class FleetHandlers(ReadingHandlers):
    """The handlers of the tools over a fleet. Thread-safe."""

    def __init__(self, answers: Answers) -> None:
        super().__init__(answers)
        self._tools |= {"status": self._status}

    def close(self) -> None:
        """Closes the fleet."""
        self.answers.close()

    def _answer(self, tool: str, given: Arguments | None, turn: Any) -> ToolAnswer:
        if tool == "search" and is_about_text(without_empty(given)):
            given = _of_text(without_empty(given))
        return super()._answer(tool, given, turn)

    def _read(self, tool: str, given: Arguments | None) -> dict[str, Any]:
        read = read_arguments(tool, given, FLEET_BY_NAME, FLEET_HIDDEN)
        return in_repository(read, are_globs=tool != "outline")

    def _status(self, arguments: Arguments) -> ToolAnswer:
        status = fleet_answers.status_of(self.answers)
        text = render_status(status, status.repositories, MOST_ROWS)
        return ToolAnswer(
            cut_to_tokens(f"# Fleet\n{text}", token_budget(arguments)),
            {"status": msgspec.to_builtins(status)},
        )


def _of_text(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a search in text, in which a repository is a part of the source."""
    if given.get("in") == "notes":
        raise RequestError("search: in: notes: a fleet has no notes: use text")
    repository = given.pop("repository", None)
    if repository is not None:
        given.setdefault("source", repository)
    return given


def make_handlers(
    roots: Sequence[Path], index_dir: str | None, offer: Offer, fleet: str
) -> ReadingHandlers:
    """Returns the handlers over a fleet, if one is named; else over the roots. Raises RequestError
    for a fleet that cannot be opened."""
    if fleet:
        return FleetHandlers(fleet_answers.open_answers(fleet))
    return ToolHandlers(roots, index_dir, offer)
