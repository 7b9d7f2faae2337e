"""What answers the tools: some roots, followed in the background, and each call as text for a model and as data for a program.

Nothing here knows the SDK, so that it is loaded side by side with it.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from symindex.errors import RequestError, SymindexError
from symindex.protocol import (
    OutlineRequest,
    ReferencesRequest,
    SearchRequest,
    SearchResponse,
    SymbolRequest,
    check_limit,
)
from symindex.render.hints import TOOLS
from symindex.render.markdown import code_span, render_search
from symindex.render.outline import render_outline
from symindex.render.references import render_references
from symindex.render.report import render_roots
from symindex.render.symbol import render_symbol
from symindex.search.page import move_token
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.mcp.arguments import read_arguments
from symindex.serve.mcp.tools import MAX_TOKENS
from symindex.text.escaping import show_controls
from symindex.text.token_budget import MOST_TOKENS, estimate_tokens
from symindex.workers.cancellation import NotWantedError, wanted_until
from symindex.workspace import SOON, Patience, follow_folders

FIRST_ITEMS: Final = 20
"""So many rows are shown of a search that names no number: who wants more asks for them."""

MOST_QUERIES: Final = 20

BATCH_SECONDS: Final = 10.0
"""How long the second of several queries waits for an index that is being made: a search without one takes a second, and keeps
the index from being made."""

ROW_TOKENS: Final = 8
"""What the shortest row of a search costs: no more are looked at than there might be room for."""

REFERENCE_TOKENS: Final = 40
"""What a reference costs, about: so many are asked for as there is room for, where no number is named."""

REFERENCE_SECONDS: Final = 10.0
"""How long is looked for references, and once more where those found do not fit; then the answer holds what was found, and how
to go on."""

MOST_ERROR: Final = 1_000
"""Characters of an error; what is longer repeats what was given, and is cut in its middle."""

LEAST_TOKENS: Final = 100
"""However small a budget is, so much is answered: else a call would be for nothing."""

Arguments = Mapping[str, Any]


class Answer(NamedTuple):
    """text: Markdown for a model. data: the same for a program, as the tool's output schema has it; none of an error."""

    text: str
    data: Any = None
    is_error: bool = False


class Desk:
    """See the module. Its methods may be called from any thread.

    Args:
        roots: the folders; index_dir: as of `Workspace`.
    """

    def __init__(self, roots: Sequence[Path], index_dir: str | None) -> None:
        self.workspace = follow_folders()
        for root in roots:
            self.workspace.add_folder(root, "", index_dir)
        self._tools: dict[str, Callable[[Arguments], Answer]] = {
            "search": self._search,
            "symbol": self._symbol,
            "outline": self._outline,
            "references": self._references,
            "status": self._status,
        }

    def close(self) -> None:
        """Lets go of everything."""
        self.workspace.close()

    @property
    def progress(self) -> tuple[int, int] | None:
        """As of the workspace."""
        return self.workspace.progress

    def answer(self, tool: str, given: Arguments | None, given_up: threading.Event) -> Answer:
        """The answer to a call. Raises NotWantedError where it was given up, and nothing else: a fault of ours is
        told as one, for the SDK would hide it."""
        try:
            arguments = read_arguments(tool, given)
            if tool != "status":
                self.workspace.check_any_there()
            with wanted_until(given_up):
                return self._tools[tool](arguments)
        except SymindexError as error:
            return Answer(_shortened(str(error)), is_error=True)
        except NotWantedError:
            raise
        except Exception as error:
            tell_fault(error)
            return Answer(_shortened(f"{describe_fault(error)}; another form of the call may work"), is_error=True)

    def _search(self, arguments: Arguments) -> Answer:
        queries = arguments.get("queries") or []
        if queries and arguments.get("query"):
            queries = [arguments["query"], *queries]
        if len(queries) > MOST_QUERIES:
            raise RequestError(f"search: {len(queries)} queries: at most {MOST_QUERIES} are answered at once")
        if len(queries) > 1 and "pagination_id" in arguments:
            raise RequestError("search: a pagination_id belongs to one query: give that query alone")
        room = _room(arguments)
        if not queries:
            response, text = self._search_one(arguments.get("query", ""), arguments, room)
            return Answer(text, response)
        answers: list[tuple[SearchResponse, str]] = []
        for number, query in enumerate(queries):
            if answers and room < LEAST_TOKENS:
                break
            patience = SOON._replace(first_index=BATCH_SECONDS) if number == 1 else SOON
            share = max(room // (len(queries) - number), LEAST_TOKENS)
            answers.append(self._search_one(query, arguments, share, patience))
            room -= estimate_tokens(answers[-1][1])
        texts = [text for _, text in answers]
        if left := queries[len(answers) :]:
            same = {name: value for name, value in arguments.items() if name not in ("query", "queries")}
            call = code_span(TOOLS.call("search", queries=left, **same))
            texts.append(f"> No room for {'1 query' if len(left) == 1 else f'{len(left)} queries'}. Ask again: {call}.\n")
        return Answer("\n".join(texts), {"batch": [response for response, _ in answers]})

    def _search_one(self, query: str, arguments: Arguments, room: int, patience: Patience = SOON) -> tuple[SearchResponse, str]:
        """As many rows as there is room for, whole ones, and how to get more.

        Tokens of pages leave this door as if no page size had been asked for: so they belong to the call that they come from,
        however many rows of it there was room for.
        """
        request = SearchRequest(
            query=query,
            kinds=arguments.get("kinds"),
            max_items=arguments.get("max_items"),
            start_index=arguments.get("start_index", 0),
            pagination_id=arguments.get("pagination_id"),
            languages=arguments.get("language") or UNSET,
            paths=arguments.get("path") or UNSET,
        )
        check_limit("max_items", request.max_items)
        most = min(FIRST_ITEMS if request.max_items is None else request.max_items, room // ROW_TOKENS)
        looked_at = msgspec.structs.replace(request, max_items=most)
        any_size = msgspec.structs.replace(request, max_items=None, pagination_id=None)
        if request.pagination_id is not None:
            looked_at.pagination_id = move_token(request.pagination_id, any_size, looked_at)
        response = self.workspace.search_for(looked_at, patience)
        if not response.has_more:
            response.request, response.max_items = request, request.max_items
        text = render_search(response)
        if estimate_tokens(text) > room and len(response.items) > 1:
            # The same page again, as the token of the next one has to name it.
            fits = _how_many_fit(response, room)
            start = response.start_index
            smaller = msgspec.structs.replace(request, max_items=fits, start_index=start, pagination_id=None)
            notices = response.notices
            response = self.workspace.search_for(smaller, patience)
            response.notices = notices
            text = render_search(response)
        if response.pagination_id is not None:
            response.pagination_id = move_token(response.pagination_id, response.request, any_size)
        return response, text

    def _symbol(self, arguments: Arguments) -> Answer:
        request = SymbolRequest(
            symbol=arguments["symbol"],
            lines=arguments.get("lines"),
            siblings=arguments.get("siblings", False),
            max_tokens=_room(arguments),
        )
        response = self.workspace.symbol_for(request, SOON)
        return Answer(render_symbol(response, TOOLS), response)

    def _outline(self, arguments: Arguments) -> Answer:
        request = OutlineRequest(
            path=arguments.get("path", ""),
            depth=arguments.get("depth"),
            kinds=arguments.get("kinds"),
            max_tokens=_room(arguments),
            include=["signature"] if arguments.get("signatures") else UNSET,
        )
        response = self.workspace.outline_for(request, SOON)
        return Answer(render_outline(response, TOOLS), response)

    def _references(self, arguments: Arguments) -> Answer:
        room = _room(arguments)
        given = ReferencesRequest(
            name=arguments["name"],
            max_items=arguments.get("max_items"),
            pagination_id=arguments.get("pagination_id"),
            languages=arguments.get("language") or UNSET,
            paths=arguments.get("path") or UNSET,
        )
        most = max(room // REFERENCE_TOKENS, 1) if given.max_items is None else given.max_items
        request = msgspec.structs.replace(given, max_items=most)

        response = self.workspace.references_for(request, REFERENCE_SECONDS, SOON)
        text = render_references(response)
        n_shown, cost = sum(len(file.items) for file in response.files), estimate_tokens(text)
        if cost > room and n_shown > 1:
            fewer = msgspec.structs.replace(request, max_items=max(n_shown * room // cost, 1))
            notices = response.notices or []
            response = self.workspace.references_for(fewer, REFERENCE_SECONDS, SOON)
            response.notices = [*dict.fromkeys([*notices, *(response.notices or [])])] or response.notices
            text = render_references(response)
        if not response.has_more:  # then no number was needed
            response.request = given
            text = render_references(response)
        return Answer(text, response)

    def _status(self, arguments: Arguments) -> Answer:
        rows = self.workspace.statuses()
        text = "\n".join([render_roots(rows), *(f"> {show_controls(notice)}\n" for notice in self.workspace.take_notices())])
        return Answer(text, {"roots": rows})


def _room(arguments: Arguments) -> int:
    """The tokens that an answer may have."""
    return min(max(int(arguments.get("max_tokens", MAX_TOKENS)), LEAST_TOKENS), MOST_TOKENS)


def _shortened(text: str) -> str:
    text = show_controls(text)  # it may name files
    half = MOST_ERROR // 2
    return text if len(text) <= MOST_ERROR else f"{text[:half]}…{text[-half:]}"


def _how_many_fit(response: SearchResponse, room: int) -> int:
    """How many rows of a page there is room for, at least one."""
    left, count = room - estimate_tokens(render_search(msgspec.structs.replace(response, items=[], total=response.total + 1))), 0
    for item in response.items:
        left -= estimate_tokens(f"| `{item.name}` (in `{item.container or ''}`) | {item.kind} | {item.file_path}:{item.line} |\n")
        if left < 0:
            break
        count += 1
    return max(count, 1)
