"""The page of a plan as data, for an answer that another process makes.

A front end reads a request once (`search/answer/plan`), and may then ask for more fields, fewer
rows or a lean page. A request cannot say that. So both are sent, and the other process makes the
same plan from them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from symindex.errors import one_of
from symindex.protocol.search import ITEM_EXTRAS, PAGE_EXTRAS
from symindex.requests import check_limit, read_request
from symindex.search.answer.plan import PageRule, Plan

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class PlannedPage(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a plan adds to its request: the fields of a `PageRule`, and the page, which may differ
    from the request's."""

    include: Sequence[str] = ()
    most: int | None = None
    lean_rows: int | None = None
    max_items: int | None = None
    start_index: int = 0
    pagination_id: str | None = None


def page_of(plan: Plan) -> PlannedPage:
    """Returns the page of a plan."""
    return PlannedPage(
        include=[*plan.page.include],
        most=plan.page.most,
        lean_rows=plan.page.lean_rows,
        max_items=plan.max_items,
        start_index=plan.start_index,
        pagination_id=plan.token,
    )


def read_page(fields: "Mapping[str, Any]") -> PlannedPage:
    """Returns a page from its fields. Raises RequestError for values that no page has."""
    page = read_request(fields, PlannedPage)
    for name in ("most", "lean_rows", "max_items"):
        check_limit(name, getattr(page, name))
    for word in page.include:
        if word not in (allowed := (*ITEM_EXTRAS, *PAGE_EXTRAS)):
            raise one_of("include field", word, allowed)
    return page


def with_page(plan: Plan, page: PlannedPage) -> Plan:
    """Returns a plan for another page."""
    return replace(
        plan,
        page=PageRule(page.include, page.most, page.lean_rows),
        max_items=page.max_items,
        start_index=max(page.start_index, 0),
        token=page.pagination_id,
    )


def with_most(plan: Plan, most: int) -> Plan:
    """Returns a plan whose page has at most that many items."""
    if plan.most_items is not None and plan.most_items <= most:
        return plan
    return plan.paged(most=most)
