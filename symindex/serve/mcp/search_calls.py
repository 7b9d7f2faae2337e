"""Answers calls of `search`: for symbols, one query or several, or for text."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from msgspec import UNSET

from symindex.dialects.rye_page import as_rye, prepare_rye, render_rye
from symindex.errors import RequestError, one_of
from symindex.protocol.freshness import SOON, Freshness
from symindex.protocol.search import SearchRequest, SearchResponse, lacks_words
from symindex.protocol.search_options import SEARCH_OPTIONS
from symindex.recall.chunks.read_request import read_text_request
from symindex.render.hints import SAY_OTHERWISE, SAY_WHAT, elsewhere_hint, tool_hint
from symindex.render.markdown import code_span
from symindex.render.prose import render_text_search
from symindex.serve.mcp.answers import (
    LEAST_TOKENS,
    MOST_QUERIES,
    Arguments,
    ToolAnswer,
    failed_part,
    token_budget,
)
from symindex.serve.mcp.fitted_pages import fit_search
from symindex.serve.mcp.tools import MAX_TOKENS
from symindex.text.counts import count_of
from symindex.text.token_budget import cut_to_tokens, estimate_tokens
from symindex.workspace.answers import Answers, search_plan

BATCH_SECONDS: Final = 10.0
"""How long the second query of a batch, and a question in several phrasings, waits for the first
index, in seconds: a search without an index takes a second, during which no index is built, and
finds too little of a question."""

NAME_SECONDS: Final = 6.0
"""How long a query that is a name waits for the first index, in seconds: the part of the tree that
was read so far may contain only a namesake."""

_NAME: Final = re.compile(r"[\w$]+(?:(?:\.|::|#|->|/)[\w$]+)*[?!=]?")

_SAME: Final = {
    "max_items": "limit",
    "start_index": "offset",
    "kinds": "types",
    "kind": "types",
    "lang": "language",
    "languages": "language",
}
"""Arguments of a symbol search, by the names that a text search has for them."""

_CHARACTERS: Final = 3
"""Characters per token, roughly."""

_LEAST_CHARACTERS: Final = 300
_OPTIONS: Final = (
    "phrasings",
    "scope",
    "space",
    *(option.name for option in SEARCH_OPTIONS if option.tool),
)
"""Arguments that are passed on as fields of the request."""

_FORMS: Final = ("markdown", "rye")


class SearchCalls:
    """Answers calls of `search`."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def search(self, arguments: Arguments) -> ToolAnswer:
        queries = arguments.get("queries") or []
        if queries and arguments.get("query"):
            queries = [arguments["query"], *queries]
        if len(queries) > MOST_QUERIES:
            raise RequestError(
                f"search: {len(queries)} queries: at most {MOST_QUERIES} are answered per call"
            )
        if queries and arguments.get("phrasings"):
            raise RequestError("search: phrasings belong to one query: send it as query")
        if len(queries) > 1 and "pagination_id" in arguments:
            raise RequestError("search: a pagination_id belongs to one query: send only that query")
        budget = token_budget(arguments)
        if not queries:
            query = arguments.get("query", "")
            response, text = self._search_one(
                query, arguments, budget, _freshness(query, arguments)
            )
            text = text if arguments else f"{text}\n{SAY_WHAT}"
            return ToolAnswer(_with_hint(text, [response]), response)
        answers: list[ToolAnswer] = []
        errors: list[RequestError] = []
        for number, query in enumerate(queries):
            if answers and budget < LEAST_TOKENS:
                break
            freshness = SOON._replace(first_index=BATCH_SECONDS) if number == 1 else SOON
            share = max(budget // (len(queries) - number), LEAST_TOKENS)
            try:
                response, text = self._search_one(query, arguments, share, freshness)
                answers.append(ToolAnswer(text, response))
            except RequestError as error:
                errors.append(error)
                message = f"query {number + 1} of {len(queries)}: {error}"
                answers.append(
                    ToolAnswer(
                        failed_part("Search", query, message),
                        {"request": {"query": query}, "error": str(error)},
                    )
                )
            budget -= estimate_tokens(answers[-1].text)
        if len(errors) == len(answers) and len({*map(str, errors)}) == 1:
            raise errors[0]  # the error is in an argument that all queries share
        texts = [answer.text for answer in answers]
        if unanswered := queries[len(answers) :]:
            same = {
                name: value for name, value in arguments.items() if name not in ("query", "queries")
            }
            call = code_span(tool_hint("search", queries=unanswered, **same))
            texts.append(
                "> Not answered for lack of space: "
                f"{count_of(len(unanswered), 'query', 'queries')}. Ask again: "
                f"{call}.\n"
            )
        return ToolAnswer(
            _with_hint("\n".join(texts), [answer.data for answer in answers]),
            {"batch": [answer.data for answer in answers]},
            is_error=len(errors) == len(answers),
        )

    def _search_one(
        self, query: str, arguments: Arguments, budget: int, freshness: Freshness = SOON
    ) -> tuple[Any, str]:
        """Answers one query. Returns the answer as data and as text."""
        options = {name: arguments[name] for name in _OPTIONS if name in arguments}
        request = SearchRequest(
            query=query,
            kinds=arguments.get("kinds"),
            start_index=arguments.get("start_index", 0),
            **self.page_fields(arguments),
            **options,
        )
        form = arguments.get("format", _FORMS[0])
        if form not in _FORMS:
            raise one_of("format", form[:100], _FORMS)
        is_rye = form == "rye"
        if is_rye:
            prepare_rye(request)
        response, text = fit_search(
            self._answers.source.plan(request),
            budget,
            partial(search_plan, self._answers, freshness=freshness),
            render_rye if is_rye else None,
        )
        if not is_rye and (elsewhere := elsewhere_hint(response, tool_hint)):
            text = f"{text}\n{elsewhere}"
        return (as_rye(response) if is_rye else response), text

    def search_text(self, arguments: dict[str, Any], max_rows: int | None) -> ToolAnswer:
        budget = token_budget({"max_tokens": arguments.pop("max_tokens", MAX_TOKENS)})
        fields = {
            _SAME.get(name, name): value for name, value in arguments.items() if value is not None
        }
        if "query" in fields:
            query, queries = fields.pop("query"), fields.get("queries", [])
            fields["queries"] = [query, *queries] if isinstance(queries, list) else queries
        request = read_text_request(fields)
        if max_rows is not None:
            request.limit = min(max_rows, request.most)
        request.max_characters = min(request.max_characters, budget * _CHARACTERS)
        while True:
            response = self._answers.recall(request, freshness=SOON)
            text = render_text_search(response)
            if estimate_tokens(text) <= budget or request.max_characters < _LEAST_CHARACTERS:
                break
            request.max_characters //= 2
        return ToolAnswer(cut_to_tokens(text, budget), response)

    def page_fields(self, arguments: Arguments) -> dict[str, Any]:
        """Returns the fields that all requests with pages share."""
        paths = arguments.get("path")
        return {
            "max_items": arguments.get("max_items"),
            "pagination_id": arguments.get("pagination_id"),
            "languages": arguments.get("language") or UNSET,
            "paths": self._answers.source.shown_paths(paths) if paths else UNSET,
        }


def _freshness(query: str, arguments: Arguments) -> Freshness:
    """Returns how long a single query waits for the first index."""
    if arguments.get("phrasings"):
        return SOON._replace(first_index=BATCH_SECONDS)
    if _NAME.fullmatch(query.strip()):
        return SOON._replace(first_index=NAME_SECONDS)
    return SOON


def _with_hint(text: str, answers: Sequence[Any]) -> str:
    """Adds the hint on phrasings if one of the answers lacks words of its question."""
    is_lacking = any(
        isinstance(answer, SearchResponse) and lacks_words(answer) for answer in answers
    )
    return f"{text}\n{SAY_OTHERWISE}" if is_lacking else text
