"""Handles the tools that only read, over any answers: turns arguments into a request, and the
response into text for a model and data for a program.

It does not import the SDK, so both load at the same time.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import UNSET

from symindex.cancellation import NotWantedError, wanted_until
from symindex.dialects.throttle import Throttle, Turn
from symindex.errors import RequestError, SymindexError
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.fetch import FetchRequest, FetchResponse
from symindex.protocol.freshness import SOON
from symindex.protocol.grep import GrepRequest
from symindex.recall.chunks.read_request import is_about_text
from symindex.render.fetch import render_fetch
from symindex.render.hierarchy import render_hierarchy
from symindex.render.hints import tool_hint
from symindex.render.outline import render_map, render_outline
from symindex.render.symbol import render_symbol
from symindex.render.trace import render_trace
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
from symindex.serve.mcp.fitted_pages import (
    CHANGE_TOKENS,
    fit_changed,
    fit_grep,
    fit_references,
)
from symindex.serve.mcp.search_calls import SearchCalls
from symindex.text.token_budget import cut_to_tokens, estimate_tokens
from symindex.workspace.answers import Answers

REFERENCE_SECONDS: Final = 10.0
"""How long references are searched for, in seconds, and again if the page does not fit. After that
the answer contains what was found so far and says how to continue."""


class ReadingHandlers:
    """The handlers of the tools that only read. Thread-safe."""

    def __init__(self, answers: Answers) -> None:
        self.answers: Answers = answers
        self._searches = SearchCalls(answers)
        self._tools: dict[str, Callable[[Arguments], ToolAnswer]] = {
            "search": self._searches.search,
            "symbol": self._symbol,
            "outline": self._outline,
            "references": self._references,
            "hierarchy": self._hierarchy,
        }

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many files were read for an index, and of how many; `None` if none is built."""
        return None

    def close(self) -> None:
        """Ends what the handlers need."""

    def turn(self, throttle: Throttle, tool: str, client: str) -> Turn | None:
        """Counts a call and returns its turn, or `None` for tools whose calls are not counted."""
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
                return self._answer(tool, arguments, turn)
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

    def _answer(self, tool: str, given: Arguments | None, turn: Turn | None) -> ToolAnswer:
        """Answers a call. turn: the turn of a search, where searches are counted."""
        if turn is not None and turn.is_refused:
            return ToolAnswer(turn.told, is_error=True)
        max_rows = turn.most if turn is not None else None
        self._check_tool(tool)
        if tool == "search" and is_about_text(without_empty(given)):
            self._check_ready()
            answer = self._searches.search_text(without_empty(given), max_rows)
        else:
            arguments = self._read(tool, given)
            if max_rows is not None and tool == "search":
                arguments["max_items"] = min(max_rows, arguments.get("max_items", max_rows))
            if tool != "status":
                self._check_ready()
            answer = self._tools[tool](arguments)
        if turn is None:
            return answer
        data = msgspec.to_builtins(answer.data)
        if isinstance(data, dict):
            data["throttle"] = turn.told
        return ToolAnswer(f"{answer.text.rstrip()}\n\n> {turn.told}\n", data, answer.is_error)

    def _check_tool(self, tool: str) -> None:
        """Raises RequestError for a tool that is off."""

    def _check_ready(self) -> None:
        """Raises RequestError if there is nothing to answer from."""

    def _read(self, tool: str, given: Arguments | None) -> dict[str, Any]:
        """Returns the arguments of a call. Raises RequestError."""
        return read_arguments(tool, given)

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
            trace = self.answers.trace(text, freshness=SOON)
            return ToolAnswer(render_trace(trace), trace)
        options = {
            name: arguments[name]
            for name in ("lines", "siblings", "history", "code", "used_in")
            if name in arguments
        }
        if path := arguments.get("path"):
            options["path"] = path
        response = self.answers.symbol(text, max_tokens=budget, freshness=SOON, **options)
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
            item = self.answers.fetch(request, freshness=SOON)
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
            or (isinstance(path, str) and self.answers.source.is_folder(path))
        ):
            code_map = self.answers.map(
                path,
                focus=arguments.get("focus", []),
                max_tokens=budget - _MAP_HEAD,
                freshness=SOON,
            )
            return ToolAnswer(render_map(code_map), code_map)
        response = self.answers.outline(
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
        changes = self.answers.changed(
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
        response = self.answers.hierarchy(
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
            all=arguments.get("all", False),
            why=arguments.get("why", False),
            **self._searches.page_fields(arguments),
        )
        response, text = fit_references(
            request,
            token_budget(arguments),
            lambda page: self.answers.references(page, seconds=REFERENCE_SECONDS, freshness=SOON),
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
        find = partial(self.answers.grep, seconds=REFERENCE_SECONDS, freshness=SOON)
        response, text = fit_grep(request, token_budget(arguments), find, tool_hint)
        return ToolAnswer(text, response)


_MAP_HEAD: Final = 80
"""Cost of the first lines of a map, in tokens."""

_ITEM_HEAD: Final = 150
"""Cost of an item's head, in tokens, on top of its content."""
