"""context-mode's ctx_search: answers a batch of questions about everything in a project, one
section per question, with a counter of calls."""

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import UNSET

from symindex.dialects.dialect import CallContext, Dialect, Parameter, Reply, Tool
from symindex.errors import RequestError

if TYPE_CHECKING:
    from symindex.protocol.recall import TextResponse, TextSection

DEFAULT_LIMIT: Final = 3
MOST_LIMIT: Final = 50
MOST_QUERIES: Final = 20


def search(caller: CallContext, arguments: dict[str, Any]) -> Reply:
    """Answers each query with a Markdown section. By relevance, only notes of the caller's session
    count. Raises RequestError."""
    from symindex.protocol.recall import (
        TextRequest,
    )  # deferred, here and below: a list of tools only needs the schema

    turn = caller.turn
    if turn is not None and turn.is_refused:
        raise RequestError(f"ctx_search: {turn.counter}: blocked; {turn.advice}")
    queries = arguments["queries"]
    if not queries:
        raise RequestError(
            "ctx_search: queries is missing: send a list of questions, 2 to 4 specific words each"
        )
    limit = (
        arguments["limit"]
        if turn is None or turn.most is None
        else min(turn.most, arguments["limit"])
    )
    request = TextRequest(
        queries=queries,
        limit=limit,
        source=arguments["source"] or "",
        content_type=arguments["contentType"],
        sort=arguments["sort"],
        session=caller.session,
        this_session=True,
    )
    response = caller.workspace.recall(request, freshness=caller.freshness)
    data: dict[str, Any] = {
        "sections": [msgspec.to_builtins(section) for section in response.sections]
    }
    count = (
        "" if turn is None else f"{turn.counter}; {turn.advice}" if turn.advice else turn.counter
    )
    if count:
        data["throttle"] = count
    return Reply(
        _markdown(response, count), data, sum(len(section.items) for section in response.sections)
    )


def _markdown(response: "TextResponse", count: str) -> str:
    from symindex.render.markdown import quote_notices

    lines: list[str] = []
    for section in response.sections:
        lines += _section(section, response.request.source)
    lines += quote_notices(response.notices)
    if count:
        lines.append(f"> {count}")
    return "\n".join(lines).rstrip() + "\n"


def _section(section: "TextSection", source: str) -> list[str]:
    from symindex.render.markdown import code_span, fence, quote_notices
    from symindex.render.prose import place_of

    lines = [f"## {code_span(section.query)}", ""]
    if section.error is not UNSET:
        return [*lines, section.error, ""]
    if not section.items:
        lines += [
            f"No results in sources with {code_span(source)} in their label."
            if source
            else "No results.",
            "",
        ]
    for hit in section.items:
        marks = fence(hit.content, least=3)
        title = f"### {code_span(hit.title)}" if hit.title else "###"
        lines += [
            title,
            f"{place_of(hit, True)} {code_span(hit.id)}",
            marks,
            hit.content.rstrip(),
            marks,
            "",
        ]
    return [*lines, *quote_notices(section.notices)]


_RESULT: Final[dict[str, Any]] = {
    "sections": {"type": "array", "items": {"type": "object"}},
    "throttle": {"type": "string"},
}

DIALECT: Final = Dialect(
    "context-mode",
    "context-mode",
    (
        "`ctx_search` searches stored knowledge: added content, documents, code, session "
        "memory. Ask all questions in one call."
    ),
    (
        Tool(
            "ctx_search",
            (
                "Search indexed content and session memory. Send all questions in one "
                "call, 2 to 4 specific words each."
            ),
            (
                Parameter(
                    name="queries",
                    kind="array",
                    most=MOST_QUERIES,
                    about="Search queries; each gets its own section",
                ),
                Parameter(
                    name="limit",
                    kind="integer",
                    default=DEFAULT_LIMIT,
                    least=1,
                    most=MOST_LIMIT,
                    about="Results per query",
                ),
                Parameter(
                    name="source",
                    kind="string",
                    about=(
                        "Only sources whose label contains this; for notes, the "
                        "category: decision, error, error-resolution, blocker, plan, "
                        "user-prompt, rejected-approach, compaction"
                    ),
                ),
                Parameter(
                    name="contentType",
                    kind="string",
                    choices=("code", "prose"),
                    about="Only code, or only prose",
                ),
                Parameter(
                    name="sort",
                    kind="string",
                    default="relevance",
                    choices=("relevance", "timeline"),
                    about=(
                        "relevance: best first, notes of this session only; "
                        "timeline: newest first, all sessions"
                    ),
                ),
            ),
            _RESULT,
            search,
            is_counted=True,
        ),
    ),
)
