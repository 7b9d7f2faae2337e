"""The pages of a tree, called without a socket."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

from symindex.protocol.freshness import SOON
from symindex.serve.uvicorn_limits import ACCEPT
from symindex.serve.web.app import make_app
from symindex.serve.web.guard import Guard
from symindex.serve.web.tree_site import TreeSite
from symindex.workspace.watched_tree import WatchedTrees
from tests.support.waiting import until


class Answer(NamedTuple):
    """A response. headers: names in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Pages:
    """The pages of some roots, behind the guard."""

    def __init__(self, site: TreeSite, token: str = "") -> None:
        self.site = site
        self.guard = Guard(make_app(site), ["localhost", "127.0.0.1"], token)

    def get(
        self,
        address: str,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        body: bytes = b"",
    ) -> Answer:
        """Asks for a page as a browser does."""
        return asyncio.run(
            self._ask(address, {"host": "localhost", **(headers or {})}, method, body)
        )

    async def _ask(
        self, address: str, headers: Mapping[str, str], method: str, body: bytes
    ) -> Answer:
        path, _, query = address.partition("?")
        messages: list[dict[str, Any]] = []
        is_sent = False

        async def receive() -> dict[str, Any]:
            nonlocal is_sent
            if not is_sent:
                is_sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Any) -> None:
            messages.append(message)

        from urllib.parse import unquote

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("localhost", 7658),
            "state": {ACCEPT: lambda: None},
        }
        await self.guard(scope, receive, send)
        start = messages[0]
        return Answer(
            start["status"],
            {name.decode(): value.decode() for name, value in start["headers"]},
            b"".join(message.get("body", b"") for message in messages[1:]),
        )


@contextmanager
def pages_of(*roots: Path, index_dir: Path, token: str = "") -> Iterator[Pages]:
    """The pages of trees whose indexes are up to date."""
    site = TreeSite(roots, str(index_dir), WatchedTrees())
    try:
        until(
            lambda: all(folder.tree.state == "ready" for folder in site.workspace.folders.all),
            "an index",
            instead=lambda: [folder.tree.error for folder in site.workspace.folders.all],
        )
        site.workspace.search("", max_items=1, freshness=SOON)
        yield Pages(site, token)
    finally:
        site.close()


class Elements(HTMLParser):
    """The elements of a page: their names with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.all: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def links(self) -> list[str]:
        """Returns where the links of the page lead."""
        return [given["href"] for tag, given in self.all if tag == "a" and "href" in given]

    def named(self, tag: str) -> list[dict[str, str]]:
        return [given for name, given in self.all if name == tag]
