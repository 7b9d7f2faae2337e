"""The page of a search: rows with what matched, notices above them, facets beside them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup
from msgspec import UNSET

from symindex.errors import RequestError
from symindex.protocol.freshness import IMMEDIATE, SOON
from symindex.protocol.recall import TextHit
from symindex.protocol.search import SearchItem, SearchRequest, SearchResponse, is_guess
from symindex.serve.web import addresses
from symindex.serve.web.content.visible import show_controls_as_html
from symindex.serve.web.pages.facets import add_term, facets_of
from symindex.serve.web.pages.text_page import text_page
from symindex.serve.web.pages.tree_page import home_page
from symindex.serve.web.site import Page, Site, Visit
from symindex.text.escaping import shorten

ROWS: Final = 50
"""Rows of a page."""

LIVE_ROWS: Final = 20
"""Rows of an answer to a query that is still being typed."""

LONGEST_QUERY: Final = 10_000

_INCLUDED: Final = ("id", "signature", "doc", "range", "language", "flags", "snippet", "spans")

IN_CONTAINER: Final = 3
"""Rows of one container, or of the top level of one file, that are shown unfolded."""

_WITH_MEMBERS: Final = frozenset(
    ("class", "struct", "interface", "trait", "enum", "module", "namespace", "object")
)
"""Kinds of symbols that usually have members."""

LONGEST_DOC: Final = 160
"""Characters of the doc in a row."""


@dataclass
class Row:
    """A hit. href: its page, and place: the address of its line; empty for a symbol of a package,
    which has no page. name: with the matched letters marked. folded: hits in the same container
    that a visitor can unfold."""

    item: SearchItem
    name: Markup
    href: str
    place: str
    repository: str
    path: str
    doc: str
    is_guess: bool
    has_members: bool
    folded: "list[Row]" = field(default_factory=list)


def search_page(site: Site, visit: Visit) -> Page:
    """Returns the answer to a query. Without one, what a visitor can browse."""
    query = visit.get("q")
    is_live = visit.part == "live"
    if not query.strip() and not is_live:
        return home_page(site, visit)
    if len(query) > LONGEST_QUERY:
        raise RequestError(
            f"the query has {len(query):,} characters: at most {LONGEST_QUERY:,} are read"
        )
    query = _within(site, query, visit.get("within"))
    if visit.get("in") == "text":
        return text_page(site, visit, query)
    context: dict[str, Any] = {"title": query, "query": query, "is_live": is_live}
    template = "results.html" if visit.part else "search.html"
    if "\n" in query.strip():
        return Page("trace.html", {**context, **_trace(site, query)})
    request = SearchRequest(
        query=query,
        max_items=LIVE_ROWS if is_live else ROWS,
        pagination_id=visit.get("page") or None,
        include=[*_INCLUDED, "facets"],
    )
    try:
        response = site.answers.search(request, freshness=IMMEDIATE if is_live else SOON)
    except RequestError as error:
        status = 200 if is_live else 400  # a query that is being typed is often unfinished
        return Page(template, {**context, "problem": str(error), "response": None}, status)
    return Page(template, {**context, "problem": "", **_shown(site, query, response)})


def _within(site: Site, query: str, name: str) -> str:
    """Returns a query that is narrowed to a repository; the query itself without one."""
    if not name or len(site.repositories) < 2 or "\n" in query.strip():
        return query
    return add_term(query, f"path:{site.repository(name).prefix}**")


def _shown(site: Site, query: str, response: SearchResponse) -> dict[str, Any]:
    next_page = response.pagination_id
    return {
        "response": response,
        "rows": _folded([_row(site, item) for item in response.items]),
        "texts": [_text_row(site, hit) for hit in response.text or ()],
        "facets": facets_of(query, response),
        "notices": response.notices or (),
        "is_incomplete": any(map(_is_incomplete, response.notices or ())),
        "suggestions": response.suggestions or (),
        "elsewhere": response.elsewhere or None,
        "next": addresses.search_address(query, page=next_page) if next_page else "",
    }


def _is_incomplete(notice: str) -> bool:
    """Whether a later answer will be better, because an index is being built or brought up to
    date."""
    return "is still being built" in notice or "may be incomplete" in notice


def _row(site: Site, item: SearchItem) -> Row:
    is_elsewhere = bool(item.package)  # its files are in no repository
    repository, path = site.place(item.file_path)
    doc = item.doc or item.snippet or ""
    return Row(
        item=item,
        name=mark_spans(item.name, item.spans or []),
        href="" if is_elsewhere else site.symbol_address(item.id or item.file_path),
        place="" if is_elsewhere else site.file_address(item.file_path, item.line),
        repository="" if is_elsewhere else repository.name,
        path=item.file_path if is_elsewhere else path,
        doc=_first_line(doc),
        is_guess=is_guess(item),
        has_members=item.kind in _WITH_MEMBERS and not is_elsewhere,
    )


def _folded(rows: list[Row]) -> list[Row]:
    """Returns the rows with those of one container, except the first ones, below the last that is
    shown: a type with fifty members that match must not hide all others."""
    shown: list[Row] = []
    by_container: dict[tuple[str, str | None], list[Row]] = {}
    for row in rows:
        together = by_container.setdefault((row.item.file_path, row.item.container), [])
        if len(together) < IN_CONTAINER:
            together.append(row)
            shown.append(row)
        else:
            together[-1].folded.append(row)
    return shown


def _text_row(site: Site, hit: TextHit) -> dict[str, Any]:
    is_file = hit.result_origin not in ("note", "content") and hit.line > 0
    href = site.file_address(hit.source, hit.line) if is_file else ""
    return {"hit": hit, "href": href, "content": hit.content[:600]}


def _first_line(doc: str) -> str:
    line = next((line.strip() for line in doc.splitlines() if line.strip()), "")
    return shorten(line, LONGEST_DOC)


def mark_spans(name: str, spans: Sequence[tuple[int, int]]) -> Markup:
    """Returns a name with the characters that a query matched in `<mark>`."""
    pieces: list[Markup] = []
    shown = 0
    for start, end in spans:
        pieces.append(show_controls_as_html(name[shown:start]))
        pieces.append(Markup("<mark>{}</mark>").format(show_controls_as_html(name[start:end])))
        shown = end
    return Markup("").join([*pieces, show_controls_as_html(name[shown:])])


def _trace(site: Site, text: str) -> dict[str, Any]:
    """Returns the frames of a pasted stack trace."""
    try:
        response = site.answers.trace(text, freshness=SOON)
    except RequestError as error:
        return {"problem": str(error), "trace": None, "notices": ()}
    return {
        "problem": "",
        "trace": response,
        "notices": () if response.notices is UNSET else response.notices,
    }
