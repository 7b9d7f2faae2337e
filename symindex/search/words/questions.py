"""Decides which searches are questions in words that no symbol answers, so that texts are searched,
too."""

from typing import TYPE_CHECKING, Final

from symindex.protocol.search import SearchResponse
from symindex.protocol.search_options import NARROWING

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan

_NARROWED: Final = {*NARROWING, "include", "sort_by"} - {"languages"}
"""The fields of a request that is not a plain question."""

FEWEST_WORDS: Final = 2


def is_question(plan: "Plan", response: SearchResponse) -> bool:
    """Whether plain words were searched for on a first page, and no symbol contains all of them."""
    if not plan.is_first_page or not plan.given.isdisjoint(_NARROWED):
        return False
    words = plan.text.split()
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


NONE_HOLDS_ALL: Final = ("no symbol contains all ", "no symbol contains both ")
LACKS_SOME: Final = " words: no symbol contains "
"""Parts of the notices that such answers have (`search/words/plain`)."""
