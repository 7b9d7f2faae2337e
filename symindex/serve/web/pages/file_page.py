"""The page of a file: its code by windows, its outline, and who changed it."""

from typing import Any, Final

from starlette.responses import RedirectResponse, Response

from symindex.errors import RequestError
from symindex.protocol.freshness import SOON
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.pages.card import card_page
from symindex.serve.web.pages.crumbs import crumbs, link_resolver
from symindex.serve.web.pages.file_text import WINDOW, lines_of, read_text, window_of
from symindex.serve.web.pages.history_page import SHORT_HASH, blame_of, history_page
from symindex.serve.web.pages.raw_files import PICTURES
from symindex.serve.web.site import Page, Repository, Site, Visit

OUTLINE_TOKENS: Final = 5_000
"""The budget of the outline beside a file, in tokens; its largest parts are collapsed."""

BEFORE: Final = 100
"""Lines before the requested one on a page."""

_OF_HISTORY: Final = ("history", "permalink", "blame")
"""The views that git answers."""

_PROSE: Final = (".md", ".markdown", ".mdown", ".mkd")


def file_page(
    site: Site, visit: Visit, repository: Repository, address: Address
) -> Page | Response:
    """Returns a file, a part of it, or what its address asks about it."""
    if address.commit or visit.get("view") in _OF_HISTORY:
        site.check_history()
    if visit.get("at"):
        return card_page(site, visit, repository, address)
    if visit.get("view") == "history":
        return history_page(site, visit, repository, address)
    if visit.get("view") == "permalink":
        return _permalink(site, repository, address)
    if visit.part in ("lines", "preview"):
        return _lines(site, visit, repository, address)
    if address.path.rpartition(".")[2].lower() in PICTURES and visit.get("view") != "code":
        return _unreadable(repository, address, is_picture=True)
    try:
        return _whole(site, visit, repository, address)
    except RequestError as error:
        if not str(error).endswith("only text is shown"):
            raise
        return _unreadable(repository, address)


def _unreadable(repository: Repository, address: Address, is_picture: bool = False) -> Page:
    """Returns the page of a picture, or of a file that is no text."""
    context = {
        "title": address.path,
        "repository": repository,
        "address": address,
        "crumbs": crumbs(repository, address),
        "here": addresses.address_of(repository.name, address.path),
        "is_picture": is_picture and not address.commit,
    }
    return Page("binary.html", context)


def _lines(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns the lines that the script asks for."""
    first, last = lines_of(visit.get("lines")) or (1, WINDOW)
    last = min(last, first + WINDOW - 1)
    here = addresses.address_of(repository.name, address.path, commit=address.commit)
    text = read_text(site, repository, address, (first, last))
    file = here if visit.part == "preview" else ""
    lines, _ = window_of(site, text, first, last, file)
    marked = lines_of(visit.get("mark"))
    context: dict[str, Any] = {
        "title": address.path,
        "lines": lines,
        "marked": marked,
        "file": file,
        "blame": {},
    }
    return Page("lines.html", context)


def _whole(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    marked = lines_of(visit.get("lines"))
    first = max(1, marked[0] - BEFORE) if marked else 1
    if marked and address.commit:
        # Says that there is no such line, if so.
        read_text(site, repository, address, marked)
    wanted = (marked[0] if marked else 1, first + WINDOW - 1)
    text = read_text(site, repository, address, (first, wanted[1]) if address.commit else wanted)
    lines, why_plain = window_of(site, text, first, first + WINDOW - 1)
    here = addresses.address_of(repository.name, address.path, commit=address.commit)
    view, is_old = visit.get("view"), bool(address.commit)
    blame, told = blame_of(site, repository, address, lines) if view == "blame" else ({}, [])
    end = lines[-1].number if lines else 0
    before = with_view(here, view, max(1, first - WINDOW)) if first > 1 else ""
    context: dict[str, Any] = {
        "title": address.path,
        "repository": repository,
        "address": address,
        "here": here,
        "now": addresses.address_of(repository.name, address.path),
        "crumbs": crumbs(repository, address),
        "lines": lines,
        "blame": blame,
        "view": view,
        "text": text,
        "first": first,
        "last": end,
        "before": before,
        "after": with_view(here, view, end + 1) if end < text.n_lines else "",
        "marked": marked,
        "outline": [] if is_old else _outline(site, text.path),
        "prose": None,
        "notices": [*filter(None, [why_plain]), *text.notices, *told],
    }
    if _is_prose(address.path) and not (view or marked or text.first > 1):
        resolve = link_resolver(repository, address)
        context["prose"] = site.prose.render(text.code, address.path, resolve)
    return Page("file.html", context)


def with_view(here: str, view: str, line: int) -> str:
    """Returns the address of the window that begins with a line."""
    return here + addresses.with_parameters({"view": view, "lines": str(line)})


def _permalink(site: Site, repository: Repository, address: Address) -> Response:
    """Sends the browser to the file in the current commit."""
    head = site.answers.head(repository.answer_path(address.path), freshness=SOON).heads[0]
    if head.status not in ("unchanged", ""):
        raise RequestError(
            f"{address.path} has changes that no commit contains: commit them, and its address can"
            " name the commit"
        )
    commit = head.commit[:SHORT_HASH]
    target = addresses.address_of(repository.name, address.path, commit=commit)
    return RedirectResponse(target, 303)


def _outline(site: Site, path: str) -> list[Any]:
    """Returns the symbols of a file as a tree; empty for a file without symbols."""
    try:
        response = site.answers.outline(path, max_tokens=OUTLINE_TOKENS, freshness=SOON)
    except RequestError:
        return []
    files = response.items
    if len(files) == 1 and files[0].kind == "file":
        return files[0].items
    return files


def _is_prose(path: str) -> bool:
    return path.lower().endswith(_PROSE)
