"""What a search for a name that found nothing says of its text: whether it stands in strings,
comments or other files."""

from typing import TYPE_CHECKING, Final

from symindex.extract.word_lists import is_token
from symindex.protocol.search import SearchRequest, SearchResponse, TextCount

if TYPE_CHECKING:
    from symindex.explore.tree import Tree

SECONDS: Final = 0.15
"""How long is looked."""

NAME_SECONDS: Final = 0.015
"""The same for a single name, which is typed, and looked for again at every letter. The files that
mention it come first."""

LEAST_LETTERS: Final = 3

_NARROWED: Final = (
    "kinds",
    "languages",
    "paths",
    "fields",
    "filters",
    "proximity",
    "scope",
    "space",
    "type",
)


def is_text(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a plain text was searched for among all symbols, on a first page, and nothing was
    found."""
    if response.total or request.start_index or request.pagination_id is not None:
        return False
    text = request.query.strip()
    return (
        len(text) >= LEAST_LETTERS
        and text.isprintable()
        and not any(getattr(request, name) for name in _NARROWED)
    )


def count_elsewhere(tree: "Tree", request: SearchRequest, most_bytes: int) -> TextCount | None:
    """On how many lines the text of a request stands; `None` where it stands on none, as far as the
    time allows."""
    from symindex.explore.grep.search import (
        count_text,
    )  # here, because most searches find something

    text = request.query.strip()
    is_name = is_token(text)
    found = count_text(
        tree, text, most_bytes, NAME_SECONDS if is_name else SECONDS, text if is_name else ""
    )
    return found if found.lines else None
