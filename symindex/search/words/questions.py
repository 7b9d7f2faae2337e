"""Decides which searches are questions in words that no symbol answers, so that texts are searched,
too."""

from typing import Final

from symindex.protocol.search import SearchRequest, SearchResponse

_NARROWED: Final = (
    "kinds",
    "paths",
    "fields",
    "filters",
    "proximity",
    "scope",
    "space",
    "type",
    "include",
    "sort_by",
)

FEWEST_WORDS: Final = 2


def is_question(request: SearchRequest, response: SearchResponse) -> bool:
    """Whether plain words were searched for on a first page, and no symbol contains all of them."""
    if (
        request.start_index
        or request.pagination_id is not None
        or any(getattr(request, name) for name in _NARROWED)
    ):
        return False
    words = request.query.split()
    if len(words) < FEWEST_WORDS or not all(
        word.strip("?!.,;'\"").replace("-", "").replace("_", "").isalnum() for word in words
    ):
        return False
    if any(word in ("AND", "OR", "NOT") for word in words):
        return False
    notices = response.notices or ()
    return not response.total or any(
        notice.startswith(NONE_HOLDS_ALL) or LACKS_SOME in notice for notice in notices
    )


NONE_HOLDS_ALL: Final = ("no symbol holds all ", "no symbol holds both ")
LACKS_SOME: Final = " words: no symbol holds "
"""Parts of the notices that such answers have (`search/words/plain`)."""
