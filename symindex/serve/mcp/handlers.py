"""The handler of each tool: arguments to a request, a response to text for a model and data for a
program.

It does not know the SDK, so that both can be loaded at the same time.
"""

import os
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from symindex.cancellation import NotWantedError, wanted_until
from symindex.dialects.dialect import SESSION, Caller, Tool, tool_of
from symindex.dialects.rye_page import as_rye, prepare_rye, render_rye
from symindex.dialects.throttle import Throttle, Turn
from symindex.editor.followed_workspace import FollowedWorkspace
from symindex.errors import RequestError, SymindexError, one_of
from symindex.protocol.explore import ReferencesRequest
from symindex.protocol.fetch import FetchRequest, FetchResponse
from symindex.protocol.freshness import SOON, Patience
from symindex.protocol.grep import GrepRequest
from symindex.protocol.search import SearchRequest
from symindex.recall.chunks.read_request import is_about_text, read_text_request
from symindex.render.fetch import render_fetch
from symindex.render.fitted_pages import (
    CHANGE_TOKENS,
    fit_changed,
    fit_grep,
    fit_references,
    fit_search,
)
from symindex.render.hierarchy import render_hierarchy
from symindex.render.hints import elsewhere_hint, tool_hint
from symindex.render.map import render_map
from symindex.render.markdown import code_span, quote
from symindex.render.outline import render_outline
from symindex.render.prose import render_text_search
from symindex.render.report import render_roots
from symindex.render.sources import render_sources
from symindex.render.symbol import render_symbol
from symindex.render.trace import render_trace
from symindex.serve.daemon.listener import share
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.mcp.arguments import read_arguments, without_empty
from symindex.serve.mcp.client_profiles import OWN_TOOLS, Offer
from symindex.serve.mcp.tools import MAX_TOKENS, WRITES, WRITES_BY_NAME, are_writes_on
from symindex.text.counts import count_of
from symindex.text.escaping import shorten, show_controls
from symindex.text.token_budget import MOST_TOKENS, cut_to_tokens, estimate_tokens
from symindex.workspace.watched_tree import WatchedTrees

if TYPE_CHECKING:
    from symindex.editor.followed_workspace import FollowedWorkspace

MOST_QUERIES: Final = 20

BATCH_SECONDS: Final = 10.0
"""How long the second of several queries waits for the first index: a search without an index takes
a second, in which the index is not made."""

NAME_SECONDS: Final = 6.0
"""How long a query that is a name waits for the first index: a part of the tree may have but a
namesake."""

_NAME: Final = re.compile(r"[\w$]+(?:(?:\.|::|#|->|/)[\w$]+)*[?!=]?")

REFERENCE_SECONDS: Final = 10.0
"""How long references are looked for, and again if the page does not fit; then the answer holds
what was found so far, and how to continue."""

MOST_ERROR: Final = 1_000
"""Characters of an error. A longer one repeats the arguments, and is cut in its middle."""

LEAST_TOKENS: Final = 100
"""The least budget: a smaller one would leave no room for an answer."""

Arguments = Mapping[str, Any]


class Answer(NamedTuple):
    """text: Markdown for a model. data: the same for a program, by the tool's output schema; `None`
    for an error."""

    text: str
    data: Any = None
    is_error: bool = False


class ToolHandlers:
    """The handlers over one workspace of the given roots. Its methods may be called from any
    thread."""

    def __init__(
        self, roots: Sequence[Path], index_dir: str | None, offer: Offer = OWN_TOOLS
    ) -> None:
        self._trees, self._index_dir = WatchedTrees(share), index_dir
        self._by_root: dict[Path, FollowedWorkspace] = {}
        self._opening = threading.Lock()
        self.workspace = FollowedWorkspace(self._trees)
        for root in roots:
            self.workspace.add_folder(root, "", index_dir)
        self._offer = offer
        self._tools: dict[str, Callable[[Arguments], Answer]] = {
            "search": self._search,
            "symbol": self._symbol,
            "outline": self._outline,
            "references": self._references,
            "hierarchy": self._hierarchy,
            "status": self._status,
            "note": self._note,
            "add": self._add,
        }

    def turn(self, throttle: Throttle, tool: str, client: str) -> Turn | None:
        """The turn of a call; `None` for tools whose calls are not counted."""
        foreign = tool_of(self._offer.dialects, tool)
        if foreign is not None:
            return throttle.take(client, always=True) if foreign.is_counted else None
        return throttle.take(client) if tool == "search" else None

    def answer(
        self,
        tool: str,
        given: Arguments | None,
        given_up: threading.Event,
        turn: Turn | None = None,
    ) -> Answer:
        """The answer to a call. Raises only NotWantedError, for a call that was given up: a fault
        of our own is an answer too, since the SDK would hide it."""
        try:
            with wanted_until(given_up):
                if (foreign := tool_of(self._offer.dialects, tool)) is not None:
                    return self._in_dialect(foreign, given, turn)
                if not self._offer.has_own:
                    raise one_of(
                        "tool", tool[:100], [each["name"] for each in self._offer.tools_for("")]
                    )
                return self._in_own_words(tool, given, turn)
        except SymindexError as error:
            return Answer(_shortened(str(error)), is_error=True)
        except NotWantedError:
            raise
        except Exception as error:
            tell_fault(error)
            return Answer(
                _shortened(f"{describe_fault(error)}; another form of the call may work"),
                is_error=True,
            )

    def _in_dialect(self, tool: Tool, given: Arguments | None, turn: Turn | None) -> Answer:
        self.workspace.check_any_there()
        reply = tool.call(
            Caller(self.workspace, SOON, os.environ.get(SESSION, ""), turn, self._of_root), given
        )
        return Answer(
            _shortened(reply.text) if reply.is_error else reply.text, reply.data, reply.is_error
        )

    def _of_root(self, root: Path) -> "FollowedWorkspace":
        """What answers about one of the roots alone. Its tree is followed once, for all."""
        with self._opening:
            if root not in self._by_root:
                self._by_root[root] = FollowedWorkspace(self._trees)
                self._by_root[root].add_folder(root, "", self._index_dir)
            return self._by_root[root]

    def close(self) -> None:
        """Ends the following of the trees."""
        for each in (self.workspace, *self._by_root.values()):
            each.close()

    def _in_own_words(self, tool: str, given: Arguments | None, turn: Turn | None) -> Answer:
        """The answer of one of symindex's own tools. turn: of a search, where searches are
        counted."""
        if turn is not None and turn.is_refused:
            return Answer(turn.told, is_error=True)
        most = turn.most if turn is not None else None
        if tool in WRITES_BY_NAME and not are_writes_on():
            raise RequestError(
                f"{tool}: is off; the user turns it on by {WRITES}=1 in the server's environment"
            )
        if tool == "search" and is_about_text(without_empty(given)):
            answer = self._search_text(without_empty(given), most)
        else:
            arguments = read_arguments(tool, given)
            if most is not None and tool == "search":
                arguments["max_items"] = min(most, arguments.get("max_items", most))
            if tool != "status":
                self.workspace.check_any_there()
            answer = self._tools[tool](arguments)
        if turn is None:
            return answer
        data = msgspec.to_builtins(answer.data)
        if isinstance(data, dict):
            data["throttle"] = turn.told
        return Answer(f"{answer.text.rstrip()}\n\n> {turn.told}\n", data, answer.is_error)

    def _search(self, arguments: Arguments) -> Answer:
        queries = arguments.get("queries") or []
        if queries and arguments.get("query"):
            queries = [arguments["query"], *queries]
        if len(queries) > MOST_QUERIES:
            raise RequestError(
                f"search: {len(queries)} queries: at most {MOST_QUERIES} are answered at once"
            )
        if len(queries) > 1 and "pagination_id" in arguments:
            raise RequestError(
                "search: a pagination_id belongs to one query: give that query alone"
            )
        room = _room(arguments)
        if not queries:
            query = arguments.get("query", "")
            patience = (
                SOON._replace(first_index=NAME_SECONDS) if _NAME.fullmatch(query.strip()) else SOON
            )
            response, text = self._search_one(query, arguments, room, patience)
            return Answer(text, response)
        answers: list[Answer] = []
        errors: list[RequestError] = []
        for number, query in enumerate(queries):
            if answers and room < LEAST_TOKENS:
                break
            patience = SOON._replace(first_index=BATCH_SECONDS) if number == 1 else SOON
            share = max(room // (len(queries) - number), LEAST_TOKENS)
            try:
                response, text = self._search_one(query, arguments, share, patience)
                answers.append(Answer(text, response))
            except RequestError as error:
                errors.append(error)
                answers.append(_refused(query, f"query {number + 1} of {len(queries)}", error))
            room -= estimate_tokens(answers[-1].text)
        if len(errors) == len(answers) and len({*map(str, errors)}) == 1:
            raise errors[0]  # it is in what all of them share
        texts = [answer.text for answer in answers]
        if left := queries[len(answers) :]:
            same = {
                name: value for name, value in arguments.items() if name not in ("query", "queries")
            }
            call = code_span(tool_hint("search", queries=left, **same))
            texts.append(
                f"> No room for {count_of(len(left), 'query', 'queries')}. Ask again: {call}.\n"
            )
        return Answer(
            "\n".join(texts),
            {"batch": [answer.data for answer in answers]},
            is_error=len(errors) == len(answers),
        )

    def _search_one(
        self, query: str, arguments: Arguments, room: int, patience: Patience = SOON
    ) -> tuple[Any, str]:
        """The answer to one query as data and as text."""
        options = {name: arguments[name] for name in _OPTIONS if name in arguments}
        request = SearchRequest(
            query=query,
            kinds=arguments.get("kinds"),
            start_index=arguments.get("start_index", 0),
            **self._page(arguments),
            **options,
        )
        form = arguments.get("format", _FORMS[0])
        if form not in _FORMS:
            raise one_of("format", form[:100], _FORMS)
        is_rye = form == "rye"
        if is_rye:
            prepare_rye(request)
        response, text = fit_search(
            request,
            room,
            lambda asked, rule: self.workspace.search(asked, patience=patience, rule=rule),
            render_rye if is_rye else None,
        )
        if not is_rye and (elsewhere := elsewhere_hint(response, tool_hint)):
            text = f"{text}\n{elsewhere}"
        return (as_rye(response) if is_rye else response), text

    def _symbol(self, arguments: Arguments) -> Answer:
        named = [*filter(None, [arguments.get("symbol")]), *arguments.get("symbols", [])]
        if not named:
            raise RequestError("symbol: symbol is missing: give one, or several as symbols")
        if len(named) > MOST_QUERIES:
            raise RequestError(
                f"symbol: {len(named)} symbols: at most {MOST_QUERIES} are shown at once"
            )
        if len(named) == 1:
            return self._one_symbol(named[0], arguments, _room(arguments))
        room, answers = _room(arguments), []
        for number, each in enumerate(named):
            share = max(room // (len(named) - number), LEAST_TOKENS)
            try:
                answers.append(self._one_symbol(each, arguments, share))
            except RequestError as error:
                answers.append(
                    Answer(
                        "# Symbol:"
                        f" {code_span(shorten(each, _SHOWN_QUERY))}\n{quote(_shortened(str(error)))}\n"  # noqa: E501
                    )
                )
            room -= estimate_tokens(answers[-1].text)
        return Answer(
            "\n".join(answer.text for answer in answers),
            {"batch": [answer.data for answer in answers]},
        )

    def _one_symbol(self, text: str, arguments: Arguments, room: int) -> Answer:
        """One of the symbols of a call, or a trace."""
        if "\n" in text.strip():
            found = self.workspace.trace(text, patience=SOON)
            return Answer(render_trace(found), found)
        options = {
            name: arguments[name]
            for name in ("lines", "siblings", "history", "code")
            if name in arguments
        }
        if path := arguments.get("path"):
            options["path"] = path
        response = self.workspace.symbol(text, max_tokens=room, patience=SOON, **options)
        if not response.total and (item := self._item(text, room)) is not None:
            return item
        return Answer(render_symbol(response, tool_hint), response)

    def _item(self, text: str, room: int) -> Answer | None:
        """The item that a text means as `type:id` or as an id, from any space; `None` where there
        is none."""
        word, colon, rest = text.strip().partition(":")
        is_typed = colon and rest and "/" not in word
        request = (
            FetchRequest(item_type=word, item_id=rest)
            if is_typed
            else FetchRequest(item_id=text.strip())
        )
        with suppress(RequestError):
            found = self.workspace.fetch(request, patience=SOON)
            if isinstance(found, FetchResponse):
                whole, found.content = (
                    found.content,
                    cut_to_tokens(found.content, max(room - _ITEM_HEAD, LEAST_TOKENS)),
                )
                if len(found.content) < len(whole):
                    cut = (
                        f"{len(found.content):,} of {len(whole):,} characters are shown; a larger"
                        " max_tokens shows more"
                    )
                    found.notices = [*(found.notices or []), cut]
                return Answer(
                    render_fetch(found), {"symbol": None, "others": [], "total": 1, "item": found}
                )
        return None

    def _outline(self, arguments: Arguments) -> Answer:
        paths = arguments.get("path") or [""]
        path = paths[0] if len(paths) == 1 else paths
        if "since" in arguments:
            return self._changed(arguments, path)
        room = _room(arguments)
        shapes_tree = {"depth", "kinds"} & arguments.keys() or arguments.get("signatures")
        if not shapes_tree and (
            arguments.get("focus") or (isinstance(path, str) and self.workspace.is_folder(path))
        ):
            found = self.workspace.map(
                path, focus=arguments.get("focus", []), max_tokens=room - _MAP_HEAD, patience=SOON
            )
            return Answer(render_map(found), found)
        response = self.workspace.outline(
            path,
            depth=arguments.get("depth"),
            kinds=arguments.get("kinds"),
            max_tokens=room,
            include=["signature"] if arguments.get("signatures") else UNSET,
            patience=SOON,
        )
        return Answer(render_outline(response, tool_hint), response)

    def _changed(self, arguments: Arguments, path: str | list[str]) -> Answer:
        most = max(_room(arguments) // CHANGE_TOKENS, 1)
        found = self.workspace.changed(
            arguments["since"],
            path=path,
            tests=arguments.get("tests", False),
            max_items=most,
            patience=SOON,
        )
        found, text = fit_changed(found, _room(arguments), tool_hint)
        return Answer(cut_to_tokens(text, _room(arguments)), found)

    def _hierarchy(self, arguments: Arguments) -> Answer:
        given = {name: arguments[name] for name in ("depth", "max_items") if name in arguments}
        found = self.workspace.hierarchy(
            arguments["symbol"],
            arguments.get("direction", "subtypes"),
            seconds=REFERENCE_SECONDS,
            patience=SOON,
            **given,
        )
        return Answer(cut_to_tokens(render_hierarchy(found, tool_hint), _room(arguments)), found)

    def _references(self, arguments: Arguments) -> Answer:
        if "in" in arguments or arguments.get("regex") or arguments.get("ignore_case"):
            return self._grep(arguments)
        request = ReferencesRequest(
            name=arguments["name"], role=arguments.get("role", UNSET), **self._page(arguments)
        )
        response, text = fit_references(
            request,
            _room(arguments),
            lambda asked: self.workspace.references(asked, REFERENCE_SECONDS, patience=SOON),
        )
        return Answer(text, response)

    def _grep(self, arguments: Arguments) -> Answer:
        request = GrepRequest(
            pattern=arguments["name"],
            regex=arguments.get("regex", False),
            ignore_case=arguments.get("ignore_case", False),
            where=arguments.get("in", "all"),
            **self._page(arguments),
        )
        find = partial(self.workspace.grep, seconds=REFERENCE_SECONDS, patience=SOON)
        response, text = fit_grep(request, _room(arguments), find, tool_hint)
        return Answer(text, response)

    def _search_text(self, given: dict[str, Any], most: int | None) -> Answer:
        room = _room({"max_tokens": given.pop("max_tokens", MAX_TOKENS)})
        asked = {_SAME.get(name, name): value for name, value in given.items() if value is not None}
        if "query" in asked:
            query, others = asked.pop("query"), asked.get("queries", [])
            asked["queries"] = [query, *others] if isinstance(others, list) else others
        request = read_text_request(asked)
        if most is not None:
            request.limit = min(most, request.most)
        self.workspace.check_any_there()
        request.max_characters = min(request.max_characters, room * _CHARACTERS)
        while True:
            response = self.workspace.recall(request, patience=SOON)
            text = render_text_search(response)
            if estimate_tokens(text) <= room or request.max_characters < _LEAST_CHARACTERS:
                break
            request.max_characters //= 2
        return Answer(cut_to_tokens(text, room), response)

    def _note(self, arguments: Arguments) -> Answer:
        from symindex.workspace.workspace import (
            open_notes,
        )  # here, because most servers write nothing

        with open_notes(self._first_root()) as notes:
            kept = notes.add_scrubbed(
                source="mcp", **{**arguments, "links": arguments.get("links", [])}
            )
            notices = notes.take_notices()
        shown = "".join(f"> {notice}\n" for notice in notices)
        return Answer(
            f"note {kept.id}\n{shown}", {"id": kept.id, **({"notices": notices} if notices else {})}
        )

    def _add(self, arguments: Arguments) -> Answer:
        from symindex.workspace.workspace import open_content

        if ("text" in arguments) == ("url" in arguments):
            raise RequestError("add: give either text or url")
        with open_content(self._first_root()) as content:
            if "url" in arguments:
                source = content.add_page(arguments["url"], arguments["source"])
            else:
                source = content.add(
                    arguments["text"].encode("utf-8", "replace"), arguments["source"], "mcp"
                )
        return Answer(render_sources([source]), source)

    def _page(self, arguments: Arguments) -> dict[str, Any]:
        """The fields that requests for pages share."""
        return {
            "max_items": arguments.get("max_items"),
            "pagination_id": arguments.get("pagination_id"),
            "languages": arguments.get("language") or UNSET,
            "paths": self.workspace.as_shown(arguments.get("path", [])) or UNSET,
        }

    def _first_root(self) -> Path:
        self.workspace.check_any_there()
        return self.workspace.folders[0].root

    def _status(self, arguments: Arguments) -> Answer:
        rows = [self.workspace.status_of(folder) for folder in self.workspace.folders]
        text = "\n".join(
            [
                render_roots(rows),
                *(f"> {show_controls(notice)}\n" for notice in self.workspace.take_notices()),
            ]
        )
        return Answer(text, {"roots": rows})


_MAP_HEAD: Final = 80
"""What the first lines of a map cost."""

_ITEM_HEAD: Final = 150
"""What the head of an item costs beside its content."""


def _refused(query: str, which: str, error: RequestError) -> Answer:
    """The answer to one query of several that cannot be answered, beside those of the others."""
    text = (
        "# Search:"
        f" {code_span(shorten(query, _SHOWN_QUERY))}\n{quote(_shortened(f'{which}: {error}'))}\n"
    )
    return Answer(text, {"request": {"query": query}, "error": str(error)})


_SHOWN_QUERY: Final = 100
"""Characters of a query that is refused."""
_SAME: Final = {
    "max_items": "limit",
    "start_index": "offset",
    "kinds": "types",
    "kind": "types",
    "lang": "language",
    "languages": "language",
}
"""Arguments of a search for names that a search for text has under another name."""

_CHARACTERS: Final = 3
"""Of a token, about."""

_LEAST_CHARACTERS: Final = 300
_OPTIONS: Final = ("scope", "space", "fields", "filters", "fuzzy", "proximity", "sort_by")
"""Arguments of a search that are fields of its request."""

_FORMS: Final = ("markdown", "rye")


def _room(arguments: Arguments) -> int:
    """The most tokens of an answer."""
    return min(max(int(arguments.get("max_tokens", MAX_TOKENS)), LEAST_TOKENS), MOST_TOKENS)


def _shortened(text: str) -> str:
    text = show_controls(text)  # it may name files
    half = MOST_ERROR // 2
    return text if len(text) <= MOST_ERROR else f"{text[:half]}…{text[-half:]}"
