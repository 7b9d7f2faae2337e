"""Lists the repositories of an organisation by the API of its forge: GitHub, GitLab or Gitea.

The forges differ in addresses, headers and the names of fields (`forge_apis`); the loop over pages
is one. A listing is a stranger's: it may never end, repeat itself, or name addresses on other
machines. So pages, bytes, time and repositories are bounded, a repository must lie on the forge's
own server, and whatever is left out is counted and said. The token goes only to the address of the
API, in a header.
"""

import fnmatch
import json
import os
import re
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from symindex.errors import RequestError, StorageError
from symindex.fetch.http_reader import REDIRECTS, Answer, origin_of, request
from symindex.fleet.catalogue.addresses import read_address, shown_address
from symindex.fleet.catalogue.catalogue import Organisation
from symindex.fleet.catalogue.forge_apis import FORGES, ForgeApi
from symindex.fleet.catalogue.names import why_bad_name
from symindex.fleet.catalogue.repository import Repository
from symindex.fleet.catalogue.tokens import read_token

MOST_LISTED: Final = 50_000
"""Most repositories of one organisation."""

MOST_PAGES: Final = 2_000
"""Most pages of one listing. A page has 50 or 100 repositories, so this is never the first limit
to be reached, unless the pages are nearly empty."""

MOST_PAGE_BYTES: Final = 20_000_000
"""Largest page, in bytes. A hundred repositories take some 700,000."""

LISTING_SECONDS: float = 300.0
"""Time for one listing, in seconds."""

PAGE_SECONDS: float = 30.0
"""Time for one page, in seconds."""

_MOST_MOVES: Final = 3
_NEXT: Final = re.compile(r'<([^<>\s]{1,2000})>\s*;[^,<>]*?\brel="?next"?', re.IGNORECASE)


class Listing(NamedTuple):
    """The repositories of an organisation. is_whole: whether it is not cut: if it is, what is not
    listed may still be there. notices: what was left out, and why it is cut."""

    repositories: list[Repository]
    is_whole: bool
    notices: list[str]


def list_organisation(organisation: Organisation) -> Listing:
    """Asks a forge for the repositories of an organisation, a group with its subgroups, or a user.
    Raises RequestError for a wrong name, address or token, StorageError for a server that fails."""
    forge = FORGES[organisation.forge]
    reading = _Reading(organisation, forge)
    cut = reading.read()
    notices = [
        f"left out: {count:,} {reason}" for reason, count in sorted(reading.left_out.items())
    ]
    if cut:
        notices.append(f"the listing {cut}: only {len(reading.names):,} repositories are read")
    return Listing(
        reading.repositories, not cut, [f"{organisation.place}: {notice}" for notice in notices]
    )


class _Reading:
    """One reading of a listing. names: digests of all names in it, also of those left
    out."""

    def __init__(self, organisation: Organisation, forge: ForgeApi) -> None:
        self.repositories: list[Repository] = []
        self.left_out: Counter[str] = Counter()
        self.names: set[int] = set()
        self._organisation = organisation
        self._forge = forge
        self._origin = origin_of(organisation.url)
        self._deadline = time.monotonic() + LISTING_SECONDS

    def read(self) -> str:
        """Reads all pages. Returns why the listing is cut; empty if it is whole."""
        url, answer = self._first_page()
        for _ in range(MOST_PAGES):
            rows = self._rows(url, answer)
            n_before = len(self.names)
            for row in rows:
                if len(self.names) >= MOST_LISTED:
                    return f"has more than {MOST_LISTED:,} repositories"
                self._take(row)
            if rows and len(self.names) == n_before:
                return "repeats itself"
            following = self._next(url, answer)
            if not following:
                return ""
            if time.monotonic() >= self._deadline:
                return f"takes longer than {LISTING_SECONDS:g} s"
            url = following
            answer = self._page(url)
            self._check(url, answer)
        return f"has more than {MOST_PAGES:,} pages"

    def _first_page(self) -> tuple[str, Answer]:
        """Asks for an organisation, and for a user of that name if there is none."""
        name = quote(self._organisation.name, safe="")
        for path in self._forge.paths:
            url = self._organisation.url + path.format(name)
            answer = self._page(url)
            if answer.status != 404:
                self._check(url, answer)
                return url, answer
        raise RequestError(
            f"{self._organisation.place}: {shown_address(self._organisation.url)} knows no"
            f" organisation, group or user {self._organisation.name!r}: check the name, the url,"
            " and whether a token_env is needed"
        )

    def _page(self, url: str) -> Answer:
        """Requests one page, and follows redirects on the same server."""
        headers = {"Accept": self._forge.accept}
        if variable := self._organisation.token_env:
            name, form = self._forge.header
            headers[name] = form.format(read_token(variable, self._organisation.place))
        for _ in range(_MOST_MOVES + 1):
            answer = request(url, MOST_PAGE_BYTES, self._origin, headers, PAGE_SECONDS)
            if answer.status not in REDIRECTS:
                return answer
            url = self._on_this_server(url, answer.headers.get("location", ""))
        raise StorageError(
            f"{self._organisation.place}: {shown_address(url)} redirects more than {_MOST_MOVES}"
            " times; check the url"
        )

    def _on_this_server(self, url: str, target: str) -> str:
        """Returns the address to which a page leads. Raises StorageError for another server: the
        token must not go there."""
        try:
            leads = urljoin(url, target)
            is_here = origin_of(leads) == self._origin
        except (ValueError, RequestError):
            leads, is_here = target, False
        if not is_here:
            raise StorageError(
                f"{self._organisation.place}: {shown_address(url)} leads to another server,"
                f" {shown_address(leads)}, where the token must not go; check the url"
            )
        return leads

    def _check(self, url: str, answer: Answer) -> None:
        """Raises the error for an answer that is no page."""
        place, shown = self._organisation.place, shown_address(url)
        if answer.status == 200:
            return
        if answer.status == 429 or answer.headers.get("x-ratelimit-remaining") == "0":
            raise StorageError(
                f"{place}: {shown} wants to be asked less often: try again later, or give a"
                " token_env, with which more is allowed"
            )
        if answer.status in (401, 403, 404):
            raise RequestError(
                f"{place}: {shown} refuses ({answer.status}): check the token in token_env, and"
                " what it may read"
            )
        raise StorageError(
            f"{place}: {shown} fails ({answer.status} {shown_address(answer.reason)}): try again"
            " later"
        )

    def _rows(self, url: str, answer: Answer) -> list[dict[str, Any]]:
        try:
            rows = json.loads(answer.body)
        except (ValueError, RecursionError):
            rows = None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise StorageError(
                f"{self._organisation.place}: {shown_address(url)} is no listing of repositories:"
                " check that the url is that of the API"
            )
        return rows

    def _next(self, url: str, answer: Answer) -> str:
        """Returns the address of the next page; empty after the last one."""
        if link := _NEXT.search(answer.headers.get("link", "")):
            return self._on_this_server(url, link[1])
        number = answer.headers.get("x-next-page", "").strip()
        if not (number.isascii() and number.isdigit()):
            return ""
        base = re.sub(r"&page=\d+", "", url)
        return f"{base}&page={int(number[:9])}"

    def _take(self, row: Mapping[str, Any]) -> None:
        """Adds the repository of a row, or counts why it is left out."""
        name, clone = row.get(self._forge.name), row.get(self._forge.clone)
        if not isinstance(name, str) or not isinstance(clone, str):
            self.names.add(hash(("", len(self.names))))
            self.left_out["without a name or an address"] += 1
            return
        key = hash(name)  # a name may have any length
        if key in self.names:
            return
        self.names.add(key)
        address = self._address(clone)
        reason = self._reason(row, name, address)
        if reason:
            self.left_out[reason] += 1
            return
        organisation = self._organisation
        self.repositories.append(
            Repository(
                name,
                "git",
                address,
                token_env=organisation.token_env,
                place=f"{organisation.place}: {name}",
            )
        )

    def _reason(self, row: Mapping[str, Any], name: str, address: str) -> str:
        organisation, folded = self._organisation, name.casefold()
        if organisation.include and not _matches(folded, organisation.include):
            return "not included"
        if _matches(folded, organisation.exclude):
            return "excluded"
        if row.get("archived") is True and not organisation.archived:
            return "archived"
        if self._forge.is_fork(row) and not organisation.forks:
            return "forks"
        if self._forge.is_empty(row):
            return "empty"
        if why_bad_name(name):
            return "with a name that no repository may have"
        return "" if address else "with an address on another server"

    def _address(self, text: str) -> str:
        """Returns the address of a repository for git; empty unless it is on the server of the API,
        or on the one that this belongs to (`api.example.org`)."""
        host = self._origin.host
        try:
            address = read_address(text, Path(os.sep))
            named = urlsplit(address.location).hostname or ""
        except (RequestError, ValueError):
            return ""
        if address.transport not in ("https", "http") or named not in (
            host,
            host.removeprefix("api."),
        ):
            return ""
        return address.location


def _matches(name: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, glob.casefold()) for glob in globs)
