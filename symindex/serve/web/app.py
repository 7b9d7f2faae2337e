"""The application: turns a request into a page, in a thread that ends its work when the browser no
longer waits for it."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Router

from symindex.cancellation import NotWantedError, wanted_until
from symindex.errors import RequestError, SymindexError
from symindex.serve.faults import describe_fault, tell_fault
from symindex.serve.lanes import BusyError, Lanes
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.lanes import PLACES, lane_of
from symindex.serve.web.pages.file_page import file_page
from symindex.serve.web.pages.other_pages import help_page, login_page, settings_page
from symindex.serve.web.pages.raw_files import raw_file
from symindex.serve.web.pages.search_page import search_page
from symindex.serve.web.pages.symbol_page import symbol_page
from symindex.serve.web.pages.tree_page import home_page, tree_page
from symindex.serve.web.site import STATIC_TYPES, Page, Site, Visit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST_PARAMETERS: Final = 30

GONE: Final = 499
"""The status of a request whose browser has left; nobody reads it."""

PART: Final = "x-symindex-part"
"""The header of a fragment of a page: the script shows nothing else in place."""

_STATIC: Final = "/-/static/"

_FREE_PAGES: Final[dict[str, Callable[[Site, Visit], Page]]] = {
    "/": home_page,
    "/search": search_page,
    "/-/help": help_page,
    "/-/settings": settings_page,
    "/-/login": login_page,
}
"""The pages that belong to no repository."""


def make_app(site: Site) -> "ASGIApp":
    """Returns the application of a site, without its guard."""
    lanes = Lanes(PLACES)
    threads = anyio.CapacityLimiter(sum(PLACES.values()))

    async def serve(scope: "Scope", receive: "Receive", send: "Send") -> None:
        request = Request(scope, receive)
        if request.url.path.startswith(_STATIC):
            response = _static(site, request.url.path.removeprefix(_STATIC))
        else:
            response = await _page(site, request, lanes, threads)
        await response(scope, receive, send)

    router = Router(redirect_slashes=False, default=serve)
    return GZipMiddleware(router, minimum_size=1_000, compresslevel=5)


def _static(site: Site, name: str) -> Response:
    data = site.static_file(name)
    if data is None:
        return Response("no such file\n", 404, media_type="text/plain")
    forever = {"cache-control": "public, max-age=31536000, immutable"}
    return Response(data, media_type=STATIC_TYPES[name], headers=forever)


async def _page(
    site: Site, request: Request, lanes: Lanes, threads: anyio.CapacityLimiter
) -> Response:
    visit = Visit("", None, {})
    try:
        visit = _visit(request)
        async with lanes.place(lane_of(visit)):
            given_up = threading.Event()
            gone = asyncio.ensure_future(_wait_until_gone(request, given_up))
            try:
                return await anyio.to_thread.run_sync(
                    partial(_answer, site, visit, given_up), limiter=threads
                )
            finally:
                gone.cancel()
    except RequestError as error:
        return _html(site, _error(str(error), 404), visit)
    except BusyError:
        busy = "the server is busy with other requests: try again in a moment"
        return _html(site, _error(busy, 503), visit)


async def _wait_until_gone(request: Request, given_up: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    given_up.set()


def _answer(site: Site, visit: Visit, given_up: threading.Event) -> Response:
    """Makes the response to a request. Every error becomes a page."""
    try:
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
    return Visit(request.url.path, addresses.parse(raw), dict(given))


def _make(site: Site, visit: Visit) -> Page | Response:
    if (free := _FREE_PAGES.get(visit.path)) is not None:
        return free(site, visit)
    if visit.address is None:
        raise RequestError("no such page: the addresses are /search?q=… and /REPOSITORY/-/PATH")
    address = site.with_whole_name(visit.address)
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
    title = {404: "Not found", 503: "Busy"}.get(status, "Internal error")
    return Page("error.html", {"title": title, "text": text}, status)


def _html(site: Site, page: Page, visit: Visit) -> Response:
    html = str(site.render(page, visit)).encode("utf-8", "replace")
    headers = {"cache-control": "no-cache"}
    if visit.part and page.status == 200:
        headers[PART] = "1"
    return HTMLResponse(html, page.status, headers=headers)
