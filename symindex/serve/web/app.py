"""The application: turns a request into a page, in a thread that ends its work when the browser no
longer waits for it."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from symindex.cancellation import NotWantedError, wanted_until
from symindex.errors import RequestError, SymindexError
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.pages.file_page import file_page
from symindex.serve.web.pages.other_pages import help_page, login_page, settings_page
from symindex.serve.web.pages.raw_files import raw_file
from symindex.serve.web.pages.search_page import search_page
from symindex.serve.web.pages.symbol_page import symbol_page
from symindex.serve.web.pages.tree_page import home_page, tree_page
from symindex.serve.web.site import Page, Site, Visit

AT_ONCE: Final = 6
"""How many pages are made at the same time; others wait. So many tabs cost no more than a few."""

MOST_PARAMETERS: Final = 30

STATIC_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

GONE: Final = 499
"""The status of a request whose browser has left; nobody reads it."""

_FREE_PAGES: Final[dict[str, Callable[[Site, Visit], Page]]] = {
    "/": home_page,
    "/search": search_page,
    "/-/help": help_page,
    "/-/settings": settings_page,
    "/-/login": login_page,
}
"""The pages that belong to no repository."""


def make_app(site: Site) -> Starlette:
    """Returns the application of a site, without its guard."""
    limiter = anyio.CapacityLimiter(AT_ONCE)

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        data = site.static_file(name)
        suffix = "." + name.rpartition(".")[2]
        if data is None or suffix not in STATIC_TYPES:
            return Response("no such file\n", 404, media_type="text/plain")
        forever = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(data, media_type=STATIC_TYPES[suffix], headers=forever)

    async def page(request: Request) -> Response:
        given_up = threading.Event()
        gone = asyncio.ensure_future(_wait_until_gone(request, given_up))
        try:
            return await anyio.to_thread.run_sync(
                partial(_answer, site, request, given_up), limiter=limiter
            )
        finally:
            gone.cancel()

    return Starlette(
        routes=[
            Route("/-/static/{name}", static, methods=["GET"]),
            Route("/{path:path}", page, methods=["GET"]),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)],
    )


async def _wait_until_gone(request: Request, given_up: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    given_up.set()


def _answer(site: Site, request: Request, given_up: threading.Event) -> Response:
    """Makes the response to a request. Every error becomes a page."""
    visit = Visit("", None, {})
    try:
        visit = _visit(request)
        with wanted_until(given_up):
            made = _make(site, visit)
            if isinstance(made, Response):
                return made
            return _html(site, made, visit)
    except NotWantedError:
        return Response(status_code=GONE)
    except SymindexError as error:
        return _html(site, _error(str(error), 404), visit)
    except Exception as error:  # a fault of ours: the others are served
        tell_fault(error)
        return _html(site, _error(describe_fault(error), 500), visit)


def _visit(request: Request) -> Visit:
    raw = request.scope["raw_path"]
    if len(raw) + len(request.scope["query_string"]) > addresses.LONGEST:
        raise RequestError(
            f"the address is too long: at most {addresses.LONGEST:,} characters are read"
        )
    given = request.query_params.multi_items()
    if len(given) > MOST_PARAMETERS:
        raise RequestError(f"the address has more than {MOST_PARAMETERS} parameters")
    parameters = dict(given)
    return Visit(request.url.path, addresses.parse(raw), parameters)


def _make(site: Site, visit: Visit) -> Page | Response:
    if (free := _FREE_PAGES.get(visit.path)) is not None:
        return free(site, visit)
    address = visit.address
    if address is None:
        raise RequestError("no such page: the addresses are /search?q=… and /REPOSITORY/-/PATH")
    repository = site.repository(address.repository)
    if address.symbol:
        return symbol_page(site, visit, repository, address)
    if visit.get("view") == "raw":
        return raw_file(site, repository, address)
    if not address.commit and site.is_folder(repository, address.path):
        if address.path and not visit.path.endswith("/"):
            return _to_folder(repository.name, address)
        return tree_page(site, visit, repository, address)
    return file_page(site, visit, repository, address)


def _to_folder(repository: str, address: Address) -> Response:
    return RedirectResponse(addresses.address_of(repository, address.path, is_folder=True), 303)


def _error(text: str, status: int) -> Page:
    return Page("error.html", {"title": "Not found", "text": text}, status)


def _html(site: Site, page: Page, visit: Visit) -> Response:
    html = str(site.render(page, visit)).encode("utf-8", "replace")
    return HTMLResponse(html, page.status, headers={"cache-control": "no-cache"})
