"""What a search for a name that found nothing says of its text: whether it stands in strings, comments or other files."""

from typing import TYPE_CHECKING, Final

from symindex.protocol.search import SearchRequest, SearchResponse, TextCount

if TYPE_CHECKING:
    from symindex.explore.tree import Tree

SECONDS: Final = 0.15
"""How long is looked."""

LEAST_LETTERS: Final = 3

_NARROWED: Final = ("kinds", "languages", "paths", "fields", "filters", "proximity", "scope", "space", "type")


def is_text(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether a plain text was searched for among all symbols, on a first page, and nothing was found."""
    if response.total or request.start_index or request.pagination_id is not None:
        return False
    text = request.query.strip()
    return len(text) >= LEAST_LETTERS and text.isprintable() and not any(getattr(request, name) for name in _NARROWED)


def count_elsewhere(tree: "Tree", request: SearchRequest, most_bytes: int) -> TextCount | None:
    """On how many lines the text of a request stands; `None` where it stands on none, as far as the time allows."""
    from symindex.explore.grep.search import count_text  # here, because most searches find something

    text = request.query.strip()
    lines, files = count_text(tree, text, most_bytes, SECONDS)
    return TextCount(text=text, lines=lines, files=files) if lines else None
