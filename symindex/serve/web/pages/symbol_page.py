"""The page of a symbol: what it is, its code, and what is related to it."""

from dataclasses import dataclass
from typing import Any, Final

from symindex.errors import RequestError
from symindex.protocol.explore import (
    FileReferences,
    ReferencesResponse,
    SymbolDetail,
    SymbolLine,
    SymbolResponse,
)
from symindex.protocol.freshness import SOON
from symindex.protocol.hierarchy import HierarchyResponse, RelatedItem
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.content.code_lines import Line, shown_lines
from symindex.serve.web.pages.crumbs import crumbs, link_resolver
from symindex.serve.web.pages.file_text import WINDOW, fitting, names_known
from symindex.serve.web.site import Page, Repository, Site, Visit

REFERENCES: Final = 200
"""References of a page of them."""

SECONDS: Final = 5.0
"""How long references and relations are searched for, in seconds."""

MOST_MEMBERS: Final = 200
"""Members of a symbol on a page."""

RELATED: Final = 100

RELATIONS: Final = {
    "references": "References",
    "callers": "Callers",
    "callees": "Calls",
    "subtypes": "Implementations",
    "supertypes": "Supertypes",
    "tests": "Tests",
}
"""What the panel of a symbol shows, with the title."""


@dataclass
class Listed:
    """A symbol in a list, with its page."""

    line: SymbolLine
    href: str
    place: str


def symbol_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns a symbol, or the part of its page that the script asks for."""
    symbol = repository.answer_path(address.symbol)
    relation = visit.get("show")
    if visit.part and relation in RELATIONS:
        return Page("panel.html", _panel(site, visit, symbol, relation))
    is_list = visit.part == "members"
    response = site.answers.symbol(symbol, history=not is_list, code=not is_list, freshness=SOON)
    if response.symbol is None:
        return _gone(site, repository, address, response)
    detail = response.symbol
    if is_list:
        members = [_listed(site, line) for line in detail.members[:MOST_MEMBERS]]
        n_hidden = max(0, len(detail.members) - MOST_MEMBERS)
        context = {"title": detail.name, "members": members, "n_hidden": n_hidden}
        return Page("members.html", context)
    if not detail.members:  # they are in the code; without code, they are listed
        bare = site.answers.symbol(detail.id, code=False, freshness=SOON).symbol
        detail.members = bare.members if bare is not None else []
    context = _shown(site, repository, response, detail)
    context["panel"] = _panel(site, visit, detail.id, relation) if relation in RELATIONS else None
    return Page("symbol.html", context)


def _shown(
    site: Site, repository: Repository, response: SymbolResponse, detail: SymbolDetail
) -> dict[str, Any]:
    inside = Address(repository.name, path=repository.inside(detail.file_path))
    file = site.file_address(detail.file_path)
    return {
        "title": detail.name,
        "repository": repository,
        "symbol": detail,
        "here": site.symbol_address(detail.id),
        "file": file,
        "crumbs": crumbs(repository, inside),
        "doc": site.prose.render(detail.doc, "", link_resolver(repository, inside)),
        "lines": _code(site, detail, file),
        "containers": [_listed(site, line) for line in detail.container_chain],
        "members": [_listed(site, line) for line in detail.members[:MOST_MEMBERS]],
        "n_hidden": detail.hidden_members + max(0, len(detail.members) - MOST_MEMBERS),
        "others": [_listed(site, line) for line in response.others[:MOST_MEMBERS]],
        "n_others": max(0, response.total - 1),
        "relations": RELATIONS,
        "commit": detail.last_commit or None,
        "notices": response.notices or (),
    }


def _code(site: Site, detail: SymbolDetail, file: str) -> list[Line]:
    highlighted = site.highlighter.highlight(detail.code, detail.file_path, detail.language)
    lines = highlighted.lines[:WINDOW]
    return fitting(shown_lines(lines, detail.code_start_line, names_known(site), file))


def _listed(site: Site, line: SymbolLine) -> Listed:
    href = site.symbol_address(line.id) if line.id else site.file_address(line.file_path, line.line)
    return Listed(line, href, site.file_address(line.file_path, line.line))


def _gone(site: Site, repository: Repository, address: Address, response: SymbolResponse) -> Page:
    """Says that a symbol does not exist any more, and what is nearest."""
    name = address.symbol.rpartition("#")[2].rpartition(".")[2].partition("~")[0]
    near = site.answers.search(name, max_items=10, include=["id"], freshness=SOON)
    rows = [
        (item, site.symbol_address(item.id or ""), site.file_address(item.file_path, item.line))
        for item in near.items
    ]
    others = [_listed(site, line) for line in response.others]
    return Page(
        "gone.html",
        {
            "title": "No such symbol",
            "symbol": address.symbol,
            "name": name,
            "rows": rows,
            "others": others,
            "suggestions": response.suggestions or (),
            "notices": response.notices or (),
            "search": addresses.search_address(name),
        },
        404 if not others else 300,
    )


def _panel(site: Site, visit: Visit, symbol: str, relation: str) -> dict[str, Any]:
    """Returns one relation of a symbol."""
    context: dict[str, Any] = {
        "title": RELATIONS[relation],
        "relation": relation,
        "symbol_id": symbol,
        "here": site.symbol_address(symbol),
        "relations": RELATIONS,
        "role": visit.get("role"),
        "problem": "",
        "references": None,
        "related": None,
        "files": [],
        "elsewhere": "",
        "next": "",
        "notices": (),
    }
    try:
        if relation == "references":
            return {**context, **_references(site, visit, symbol)}
        return {**context, **_related(site, symbol, relation)}
    except RequestError as error:
        return {**context, "problem": str(error)}


def _references(site: Site, visit: Visit, symbol: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"max_items": REFERENCES}
    if role := visit.get("role"):
        fields["role"] = role
    if token := visit.get("page"):
        fields["pagination_id"] = token
    everywhere = visit.get("all")
    repository, _ = site.place(symbol)
    if repository.prefix and not everywhere:
        fields["paths"] = [f"{repository.prefix}**"]
    response: ReferencesResponse = site.answers.references(
        symbol, seconds=SECONDS, freshness=SOON, **fields
    )
    asked = {"show": "references", "role": visit.get("role"), "all": everywhere}
    more = {**asked, "page": response.pagination_id}
    here = site.symbol_address(symbol)
    return {
        "references": response,
        "files": [_reference_file(site, file) for file in response.files],
        "notices": response.notices or (),
        "elsewhere": here + addresses.with_parameters({**asked, "all": "1"})
        if repository.prefix and not everywhere
        else "",
        "next": here + addresses.with_parameters(more) if response.pagination_id else "",
    }


def _reference_file(site: Site, file: FileReferences) -> dict[str, Any]:
    return {"file": file, "href": site.file_address(file.file_path), "items": file.items}


def _related(site: Site, symbol: str, relation: str) -> dict[str, Any]:
    response: HierarchyResponse = site.answers.hierarchy(
        symbol,
        direction=relation,  # type: ignore[arg-type]
        max_items=RELATED,
        seconds=SECONDS,
        freshness=SOON,
    )
    return {
        "related": [_related_row(site, item) for item in response.items],
        "notices": response.notices or (),
    }


def _related_row(site: Site, item: RelatedItem) -> dict[str, Any]:
    at, _, line = item.at.rpartition(":")
    return {
        "item": item,
        "href": site.symbol_address(item.id) if item.id else "",
        "place": site.file_address(item.file_path, item.line) if item.file_path else "",
        "at": site.file_address(at, int(line)) if at and line.isdigit() else "",
        "items": [_related_row(site, below) for below in item.items],
    }
