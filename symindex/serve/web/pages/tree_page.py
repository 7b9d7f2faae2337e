"""The pages of folders: the home page, the root of a repository, and the folders in it."""

from typing import Any, Final

from symindex.errors import RequestError, SymindexError
from symindex.protocol.freshness import SOON
from symindex.protocol.overview import MapResponse
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.pages.crumbs import crumbs, link_resolver
from symindex.serve.web.pages.history_page import changes_page
from symindex.serve.web.site import Page, Repository, Site, Visit

MAP_TOKENS: Final = 1_500
"""The budget of the map on the page of a folder, in tokens."""

MOST_REPOSITORIES: Final = 2_000
"""Repositories on the home page; a search finds the others."""

MOST_ENTRIES: Final = 1_000
"""Files and folders on the page of a folder."""

_READMES: Final = (
    "readme.md",
    "readme.markdown",
    "readme.rst",
    "readme.txt",
    "readme.org",
    "readme",
)

_LAST_LINE: Final = 20_000


def home_page(site: Site, visit: Visit) -> Page:
    """Returns the root of the only repository, or the list of repositories."""
    if len(site.repositories) == 1:
        repository = site.repositories[0]
        return tree_page(site, visit, repository, Address(repository.name))
    rows = [
        {
            "status": site.status_of(repository),
            "note": site.note_on(repository),
            "repository": repository,
            "href": addresses.address_of(repository.name, is_folder=True),
        }
        for repository in site.repositories[:MOST_REPOSITORIES]
    ]
    context = {
        "title": "Repositories",
        "rows": rows,
        "n_repositories": len(site.repositories),
        "n_more": len(site.repositories) - len(rows),
    }
    return Page("repositories.html", context)


def tree_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns a folder: its files and folders, its README, and what matters most in it."""
    if visit.get("since"):
        site.check_history()
        return changes_page(site, visit, repository, address)
    path = repository.answer_path(address.path).rstrip("/")
    entries, notices = _entries(site, repository, path)
    code_map, why = _map(site, path)
    return Page(
        "tree.html",
        {
            "title": address.path or repository.name,
            "repository": repository,
            "address": address,
            "crumbs": crumbs(repository, address),
            "entries": entries,
            "code_map": code_map,
            "map_files": [
                {
                    "path": repository.inside(file.file_path),
                    "href": site.file_address(file.file_path),
                    "symbols": [
                        (
                            symbol,
                            site.symbol_address(f"{file.file_path}#{symbol.name}"),
                        )
                        for symbol in file.symbols
                    ],
                }
                for file in (code_map.files if code_map is not None else ())
            ],
            "readme": _readme(site, repository, address, entries),
            "notices": [*notices, *filter(None, [why])],
            "status": site.status_of(repository),
        },
    )


def _entries(
    site: Site, repository: Repository, path: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns the folders and files in a folder, with what they contain."""
    listed = site.reader.folder(path, freshness=SOON)
    rows = []
    for entry in listed.entries[:MOST_ENTRIES]:
        inside = repository.inside(f"{path}/{entry.name}".lstrip("/"))
        href = addresses.address_of(repository.name, inside, is_folder=entry.is_folder)
        rows.append({"entry": entry, "href": href})
    n_more = len(listed.entries) - MOST_ENTRIES
    told = [f"{n_more:,} more files and folders are not listed"] if n_more > 0 else []
    return rows, [*told, *(listed.notices or ())]


def _map(site: Site, path: str) -> tuple[MapResponse | None, str]:
    try:
        return site.answers.map(path, max_tokens=MAP_TOKENS, freshness=SOON), ""
    except SymindexError as error:
        return None, str(error)


def _readme(
    site: Site, repository: Repository, address: Address, entries: list[dict[str, Any]]
) -> Any:
    names = {row["entry"].name.lower(): row["entry"].name for row in entries}
    name = next((names[name] for name in _READMES if name in names), None)
    if name is None:
        return None
    path = f"{address.path}/{name}".lstrip("/")
    try:
        response = site.answers.symbol(
            repository.answer_path(path), lines=f"1-{_LAST_LINE}", freshness=SOON
        )
    except RequestError:
        return None
    if not response.text:
        return None
    resolve = link_resolver(repository, Address(repository.name, path=path))
    return {"path": path, "prose": site.prose.render(response.text.code, path, resolve)}
