"""Decides which searches are questions in words that no symbol answers, so that texts are searched,
too."""

from typing import TYPE_CHECKING, Final

from symindex.protocol.search import SearchResponse, is_incomplete
from symindex.protocol.search_options import NARROWING

if TYPE_CHECKING:
    from symindex.search.answer.plan import Plan

_NARROWED: Final = {*NARROWING, "include", "sort_by"} - {"languages"}
"""The fields of a request that is not a plain question."""

FEWEST_WORDS: Final = 2


def is_question(plan: "Plan", response: SearchResponse) -> bool:
    """Whether plain words were searched for on a first page, and no symbol contains all of them."""
    if not plan.is_first_page or plan.narrowing or not plan.given.isdisjoint(_NARROWED):
        return False
    texts = [phrasing.text for phrasing in plan.phrasings] or [plan.text]
    if not any(map(_is_plain, texts)):
        return False
    return not response.total or any(map(is_incomplete, response.notices or ()))


def _is_plain(text: str) -> bool:
    """Whether a text consists of several words without an operator."""
    words = text.split()
    return (
        len(words) >= FEWEST_WORDS
        and all(
            word.strip("?!.,;'\"").replace("-", "").replace("_", "").isalnum() for word in words
        )
        and not any(word in ("AND", "OR", "NOT") for word in words)
    )
