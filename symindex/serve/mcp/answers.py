"""The answer to a call, its budget, and the text of its errors."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from symindex.render.markdown import code_span, quote
from symindex.serve.mcp.tools import MAX_TOKENS
from symindex.text.escaping import shorten, show_controls
from symindex.text.token_budget import MOST_TOKENS

MOST_QUERIES: Final = 20
"""Most queries, or symbols, of one call."""

LEAST_TOKENS: Final = 100
"""Smallest budget of an answer, in tokens: a smaller one leaves no room for an answer."""

MOST_ERROR: Final = 1_000
"""Longest error message, in characters. A longer one repeats the arguments, and is cut in its
middle."""

_SHOWN_QUERY: Final = 100
"""Longest part of a refused query that is shown, in characters."""

Arguments = Mapping[str, Any]
"""The arguments of a call, by name."""


class ToolAnswer(NamedTuple):
    """The answer to a call.

    text: Markdown for a model. data: the same answer for a program, as the tool's output schema
    describes it; `None` for an error.
    """

    text: str
    data: Any = None
    is_error: bool = False


def token_budget(arguments: Arguments) -> int:
    """Returns the most tokens that the answer to a call may have."""
    return min(max(int(arguments.get("max_tokens", MAX_TOKENS)), LEAST_TOKENS), MOST_TOKENS)


def shorten_error(text: str) -> str:
    """Escapes control characters, since an error may contain file names, and cuts a long message
    in its middle."""
    text = show_controls(text)
    half = MOST_ERROR // 2
    return text if len(text) <= MOST_ERROR else f"{text[:half]}…{text[-half:]}"


def failed_part(title: str, query: str, message: str) -> str:
    """Returns the section of an answer for a query or symbol that failed while others of the same
    call succeeded.

    title: the section's heading, "Search" or "Symbol".
    """
    return (
        f"# {title}: {code_span(shorten(query, _SHOWN_QUERY))}\n{quote(shorten_error(message))}\n"
    )
