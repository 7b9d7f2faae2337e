"""Compares an answer in pages with the whole answer, whichever request it answers."""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

SIZES: Final = (1, 2, 3)

MOST_PAGES: Final = 200
"""Pages after which an answer counts as endless."""


class Page(NamedTuple):
    """A page of any answer. rows: in a form that tests compare. total: `None` if the answer gives
    none. token: `None` if it has no token. notices: all of them, joined. n_counted: how many things
    that the total counts are on the page, if these are not its rows."""

    rows: Sequence[Any]
    total: int | None
    has_more: bool
    token: str | None = None
    notices: str = ""
    n_counted: int | None = None


Ask = Callable[[int | None, int, str | None], Page]
"""Returns a page. Its arguments are the size (`None` for the whole answer), the number of rows to
skip, and the token."""


def by_token(ask: Ask, size: int) -> list[Page]:
    """Returns all pages; each token leads to the next page."""
    pages = [ask(size, 0, None)]
    while pages[-1].token is not None:
        pages.append(ask(size, 0, pages[-1].token))
        assert len(pages) < MOST_PAGES, "the pages do not end"
    return pages


def by_offset(ask: Ask, size: int) -> list[Page]:
    """Returns all pages; each begins behind the rows of those before."""
    pages = [ask(size, 0, None)]
    while pages[-1].has_more:
        pages.append(ask(size, sum(len(page.rows) for page in pages), None))
        assert len(pages) < MOST_PAGES, "the pages do not end"
    return pages


Way = Callable[[Ask, int], list[Page]]


def check_pages(ask: Ask, *ways: Way, sizes: Sequence[int] = SIZES, least: int = 4) -> None:
    """Checks that pages of some sizes, joined, are the whole answer, that none has another total,
    that the last one has the total, and that only the last one ends the answer.

    least: rows that the whole answer has at least, so that there are several pages.
    """
    whole = ask(None, 0, None)
    assert len(whole.rows) >= least, f"{len(whole.rows)} rows: too few to test pages"
    assert (whole.has_more, whole.token) == (False, None)
    assert whole.total == (len(whole.rows) if whole.n_counted is None else whole.n_counted)
    for way in ways:
        for size in sizes:
            pages = way(ask, size)
            joined = [row for page in pages for row in page.rows]
            where = f"{way.__name__}, pages of {size}"
            assert joined == list(whole.rows), where
            assert {page.total for page in pages} <= {whole.total, None}, where
            assert pages[-1].total == whole.total, where
            assert [page.has_more for page in pages] == [True] * (len(pages) - 1) + [False], where
            assert all(len(page.rows) == size for page in pages[:-1]), where
            assert pages[-1].rows, f"{where}: the last page is empty"
            if way is by_token:
                assert [page.token is not None for page in pages] == [
                    page.has_more for page in pages
                ], where
