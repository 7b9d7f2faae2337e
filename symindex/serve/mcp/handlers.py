"""Handles each tool: turns arguments into a request, and the response into text for a model and
data for a program.

It does not import the SDK, so both load at the same time.
"""

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import UNSET

from symindex.cancellation import NotWantedError, wanted_until
from symindex.dialects.dialect import SESSION, CallContext, Tool, tool_of
from symindex.dialects.throttle import Throttle, Turn
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError, SymindexError, one_of
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.fetch import FetchRequest, FetchResponse
from symindex.protocol.freshness import SOON
from symindex.protocol.grep import GrepRequest
from symindex.recall.chunks.read_request import is_about_text
from symindex.render.fetch import render_fetch
from symindex.render.hierarchy import render_hierarchy
from symindex.render.hints import tool_hint
from symindex.render.outline import render_map, render_outline
from symindex.render.report import render_roots
from symindex.render.sources import render_sources
from symindex.render.symbol import render_symbol
from symindex.render.trace import render_trace
from symindex.serve.daemon.listener import share
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.mcp.answers import (
    LEAST_TOKENS,
    MOST_QUERIES,
    Arguments,
    ToolAnswer,
    failed_part,
    shorten_error,
    token_budget,
)
from symindex.serve.mcp.arguments import read_arguments, without_empty
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer
from symindex.serve.mcp.fitted_pages import (
    CHANGE_TOKENS,
    fit_changed,
    fit_grep,
    fit_references,
)
from symindex.serve.mcp.search_calls import SearchCalls
from symindex.serve.mcp.tools import WRITES, WRITES_BY_NAME, are_writes_on
from symindex.text.escaping import show_controls
from symindex.text.token_budget import cut_to_tokens, estimate_tokens
from symindex.workspace.watched_tree import WatchedTrees

if TYPE_CHECKING:
    from symindex.editor.followed_workspace import FollowedWorkspace

REFERENCE_SECONDS: Final = 10.0
"""How long references are searched for, in seconds, and again if the page does not fit. After that
the answer contains what was found so far and says how to continue."""


class ToolHandlers:
    """The handlers of all tools, over one workspace with the given roots. Thread-safe."""

    def __init__(
        self, roots: Sequence[Path], index_dir: str | None, offer: Offer = OWN_TOOLS
    ) -> None:
        self._trees, self._index_dir = WatchedTrees(share), index_dir
        self._by_root: dict[Path, FollowedWorkspace] = {}
        self._opening = threading.Lock()
        self.workspace: FollowedWorkspace = FollowedWorkspace(self._trees)
        for root in roots:
            self.workspace.folders.add(root, "", index_dir)
        self._searches = SearchCalls(self.workspace)
        self._offer = offer
        self._tools: dict[str, Callable[[Arguments], ToolAnswer]] = {
            "search": self._searches.search,
            "symbol": self._symbol,
            "outline": self._outline,
            "references": self._references,
            "hierarchy": self._hierarchy,
            "status": self._status,
            "note": self._note,
            "add": self._add,
        }

    def turn(self, throttle: Throttle, tool: str, client: str) -> Turn | None:
        """Counts a call and returns its turn, or `None` for tools whose calls are not counted."""
        foreign = tool_of(self._offer.dialects, tool)
        if foreign is not None:
            return throttle.take(client, always=True) if foreign.is_counted else None
        return throttle.take(client) if tool == "search" else None

    def answer(
        self,
        tool: str,
        arguments: Arguments | None,
        given_up: threading.Event,
        turn: Turn | None = None,
    ) -> ToolAnswer:
        """Answers a call. Raises only NotWantedError, for a call that the client gave up; an
        internal fault becomes an answer, because the SDK would hide it."""
        try:
            with wanted_until(given_up):
                if (foreign := tool_of(self._offer.dialects, tool)) is not None:
                    return self._in_dialect(foreign, arguments, turn)
                if not self._offer.has_own:
                    raise one_of(
                        "tool",
                        tool[:100],
                        [offered["name"] for offered in self._offer.tools_for("")],
                    )
                return self._in_own_words(tool, arguments, turn)
        except SymindexError as error:
            return ToolAnswer(shorten_error(str(error)), is_error=True)
        except NotWantedError:
            raise
        except Exception as error:
            tell_fault(error)
            return ToolAnswer(
                shorten_error(f"{describe_fault(error)}; a different call may work"),
                is_error=True,
            )

    def _in_dialect(self, tool: Tool, arguments: Arguments | None, turn: Turn | None) -> ToolAnswer:
        self.workspace.folders.check_any_there()
        reply = tool.call(
            CallContext(self.workspace, SOON, os.environ.get(SESSION, ""), turn, self._of_root),
            arguments,
        )
        return ToolAnswer(
            shorten_error(reply.text) if reply.is_error else reply.text, reply.data, reply.is_error
        )

    def _of_root(self, root: Path) -> "FollowedWorkspace":
        """Returns a workspace with one of the roots alone. It shares the followed tree."""
        with self._opening:
            if root not in self._by_root:
                self._by_root[root] = FollowedWorkspace(self._trees)
                self._by_root[root].folders.add(root, "", self._index_dir)
            return self._by_root[root]

    def close(self) -> None:
        """Stops following the trees."""
        for workspace in (self.workspace, *self._by_root.values()):
            workspace.close()

    def _in_own_words(self, tool: str, given: Arguments | None, turn: Turn | None) -> ToolAnswer:
        """Answers a call of one of symindex's own tools.

        turn: the turn of a search, where searches are counted.
        """
        if turn is not None and turn.is_refused:
            return ToolAnswer(turn.told, is_error=True)
        max_rows = turn.most if turn is not None else None
        if tool in WRITES_BY_NAME and not are_writes_on():
            raise RequestError(
                f"{tool}: this tool is off; the user enables it with {WRITES}=1 in "
                "the server's environment"
            )
        if tool == "search" and is_about_text(without_empty(given)):
            answer = self._searches.search_text(without_empty(given), max_rows)
        else:
            arguments = read_arguments(tool, given)
            if max_rows is not None and tool == "search":
                arguments["max_items"] = min(max_rows, arguments.get("max_items", max_rows))
            if tool != "status":
                self.workspace.folders.check_any_there()
            answer = self._tools[tool](arguments)
        if turn is None:
            return answer
        data = msgspec.to_builtins(answer.data)
        if isinstance(data, dict):
            data["throttle"] = turn.told
        return ToolAnswer(f"{answer.text.rstrip()}\n\n> {turn.told}\n", data, answer.is_error)

    def _symbol(self, arguments: Arguments) -> ToolAnswer:
        symbols = [*filter(None, [arguments.get("symbol")]), *arguments.get("symbols", [])]
        if not symbols:
            raise RequestError("symbol: symbol is missing: give one symbol, or several as symbols")
        if len(symbols) > MOST_QUERIES:
            raise RequestError(
                f"symbol: {len(symbols)} symbols: at most {MOST_QUERIES} are shown per call"
            )
        if len(symbols) == 1:
            return self._one_symbol(symbols[0], arguments, token_budget(arguments))
        budget, answers = token_budget(arguments), []
        for number, symbol in enumerate(symbols):
            share = max(budget // (len(symbols) - number), LEAST_TOKENS)
            try:
                answers.append(self._one_symbol(symbol, arguments, share))
            except RequestError as error:
                answers.append(ToolAnswer(failed_part("Symbol", symbol, str(error))))
            budget -= estimate_tokens(answers[-1].text)
        return ToolAnswer(
            "\n".join(answer.text for answer in answers),
            {"batch": [answer.data for answer in answers]},
        )

    def _one_symbol(self, text: str, arguments: Arguments, budget: int) -> ToolAnswer:
        """Answers for one symbol of a call, or for a stack trace in its place."""
        if "\n" in text.strip():
            trace = self.workspace.trace(text, freshness=SOON)
            return ToolAnswer(render_trace(trace), trace)
        options = {
            name: arguments[name]
            for name in ("lines", "siblings", "history", "code")
            if name in arguments
        }
        if path := arguments.get("path"):
            options["path"] = path
        response = self.workspace.symbol(text, max_tokens=budget, freshness=SOON, **options)
        if not response.total and (item := self._item(text, budget)) is not None:
            return item
        return ToolAnswer(render_symbol(response, tool_hint), response)

    def _item(self, text: str, budget: int) -> ToolAnswer | None:
        """Fetches the item that `type:id` or an id names, from any space. Returns `None` if there
        is no item with that id."""
        word, colon, rest = text.strip().partition(":")
        is_typed = colon and rest and "/" not in word
        request = (
            FetchRequest(item_type=word, item_id=rest)
            if is_typed
            else FetchRequest(item_id=text.strip())
        )
        with suppress(RequestError):
            item = self.workspace.fetch(request, freshness=SOON)
            if isinstance(item, FetchResponse):
                content, item.content = (
                    item.content,
                    cut_to_tokens(item.content, max(budget - _ITEM_HEAD, LEAST_TOKENS)),
                )
                if len(item.content) < len(content):
                    cut = (
                        f"showing {len(item.content):,} of {len(content):,} "
                        "characters; increase max_tokens to see more"
                    )
                    item.notices = [*(item.notices or []), cut]
                return ToolAnswer(
                    render_fetch(item), {"symbol": None, "others": [], "total": 1, "item": item}
                )
        return None

    def _outline(self, arguments: Arguments) -> ToolAnswer:
        paths = arguments.get("path") or [""]
        path = paths[0] if len(paths) == 1 else paths
        if "since" in arguments:
            return self._changed(arguments, path)
        budget = token_budget(arguments)
        shapes_tree = {"depth", "kinds"} & arguments.keys() or arguments.get("signatures")
        if not shapes_tree and (
            arguments.get("focus")
            or (isinstance(path, str) and self.workspace.source.is_folder(path))
        ):
            code_map = self.workspace.map(
                path,
                focus=arguments.get("focus", []),
                max_tokens=budget - _MAP_HEAD,
                freshness=SOON,
            )
            return ToolAnswer(render_map(code_map), code_map)
        response = self.workspace.outline(
            path,
            depth=arguments.get("depth"),
            kinds=arguments.get("kinds"),
            max_tokens=budget,
            include=["signature"] if arguments.get("signatures") else UNSET,
            freshness=SOON,
        )
        return ToolAnswer(render_outline(response, tool_hint), response)

    def _changed(self, arguments: Arguments, path: str | list[str]) -> ToolAnswer:
        max_rows = token_budget(arguments) // CHANGE_TOKENS
        changes = self.workspace.changed(
            arguments["since"],
            path=path,
            tests=arguments.get("tests", False),
            max_items=max_rows,
            freshness=SOON,
        )
        changes, text = fit_changed(changes, token_budget(arguments), tool_hint)
        return ToolAnswer(cut_to_tokens(text, token_budget(arguments)), changes)

    def _hierarchy(self, arguments: Arguments) -> ToolAnswer:
        names = ("direction", "depth", "max_items")
        fields = {name: arguments[name] for name in names if name in arguments}
        response = self.workspace.hierarchy(
            arguments["symbol"],
            seconds=REFERENCE_SECONDS,
            freshness=SOON,
            **fields,
        )
        return ToolAnswer(
            cut_to_tokens(render_hierarchy(response, tool_hint), token_budget(arguments)), response
        )

    def _references(self, arguments: Arguments) -> ToolAnswer:
        if "in" in arguments or arguments.get("regex") or arguments.get("ignore_case"):
            return self._grep(arguments)
        request = ReferencesRequest(
            name=arguments["name"],
            role=arguments.get("role", UNSET),
            **self._searches.page_fields(arguments),
        )
        response, text = fit_references(
            request,
            token_budget(arguments),
            lambda page: self.workspace.references(page, seconds=REFERENCE_SECONDS, freshness=SOON),
        )
        return ToolAnswer(text, response)

    def _grep(self, arguments: Arguments) -> ToolAnswer:
        request = GrepRequest(
            pattern=arguments["name"],
            regex=arguments.get("regex", False),
            ignore_case=arguments.get("ignore_case", False),
            where=arguments.get("in", "all"),
            **self._searches.page_fields(arguments),
        )
        find = partial(self.workspace.grep, seconds=REFERENCE_SECONDS, freshness=SOON)
        response, text = fit_grep(request, token_budget(arguments), find, tool_hint)
        return ToolAnswer(text, response)

    def _note(self, arguments: Arguments) -> ToolAnswer:
        from symindex.workspace.workspace import (
            open_notes,
        )  # deferred, because most servers write nothing

        with open_notes(self._first_root()) as notes:
            note = notes.add_scrubbed(
                source="mcp", **{**arguments, "links": arguments.get("links", [])}
            )
            notices = notes.take_notices()
        shown = "".join(f"> {notice}\n" for notice in notices)
        return ToolAnswer(
            f"note {note.id}\n{shown}", {"id": note.id, **({"notices": notices} if notices else {})}
        )

    def _add(self, arguments: Arguments) -> ToolAnswer:
        from symindex.workspace.workspace import open_content

        if ("text" in arguments) == ("url" in arguments):
            raise RequestError("add: give either text or url, not both")
        with open_content(self._first_root()) as content:
            if "url" in arguments:
                source = content.add_page(arguments["url"], arguments["source"])
            else:
                source = content.add(
                    arguments["text"].encode("utf-8", "replace"), arguments["source"], "mcp"
                )
        return ToolAnswer(render_sources([source]), source)

    def _first_root(self) -> Path:
        self.workspace.folders.check_any_there()
        return self.workspace.folders.all[0].root

    def _status(self, arguments: Arguments) -> ToolAnswer:
        rows = [self.workspace.folders.status_of(folder) for folder in self.workspace.folders.all]
        notices = self.workspace.source.take_notices()
        text = "\n".join(
            [
                render_roots(rows),
                *(f"> {show_controls(notice)}\n" for notice in notices),
            ]
        )
        return ToolAnswer(text, {"roots": rows})


_MAP_HEAD: Final = 80
"""Cost of the first lines of a map, in tokens."""

_ITEM_HEAD: Final = 150
"""Cost of an item's head, in tokens, on top of its content."""
