"""The addresses of pages, which people share: they survive a restart, a rebuilt index and, for a
symbol, moved lines.

    /                         the repositories; with a single one, its root
    /search?q=QUERY           a search
    /REPO/-/PATH              a file or a folder, as it is now; #L10-L20 marks lines
    /REPO@COMMIT/-/PATH       the same in a commit
    /REPO/-/symbol/ID         a symbol by its id, PATH#Qualified.name
    /-/NAME                   what belongs to no repository: help, settings, style

A path and an id are percent-encoded, also where they are not UTF-8. `symbol/…#…` could be a file,
too: the address of such a file begins with one more slash, `/REPO/-//symbol/…`.
"""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlencode

from symindex.errors import RequestError

LONGEST: Final = 16_000
"""Longest address, in bytes."""

_SAFE: Final = "/~!$&'()*+,;=:@-._"
"""Characters that a path may contain as they are."""

_SYMBOL: Final = "symbol/"

_COMMIT: Final = re.compile(r"(?P<repository>.+)@(?P<commit>[0-9A-Za-z][0-9A-Za-z._/-]*)")


class Address(NamedTuple):
    """The page that an address means. repository: its name; empty for pages of no repository.
    commit: empty for the files as they are now. path: a file or a folder. symbol: an id; then path
    is empty."""

    repository: str
    commit: str = ""
    path: str = ""
    symbol: str = ""


def parse(raw_path: bytes) -> Address | None:
    """Parses the path of an address as the browser sent it. Returns `None` for one that is not the
    address of a repository.

    Raises RequestError for a path that leads out of the repository.
    """
    text = unquote_to_bytes(raw_path).decode("utf-8", "surrogateescape")
    before, separator, path = text.partition("/-/")
    if not before.startswith("/") or not (separator or before.strip("/")):
        return None
    repository, commit = before[1:].rstrip("/"), ""
    if separator and (match := _COMMIT.fullmatch(repository)):
        repository, commit = match["repository"], match["commit"]
    if not repository:
        return None
    if "\0" in text or ".." in path.split("/"):
        raise RequestError("the address leads out of the repository: it may not contain `..`")
    if path.startswith(_SYMBOL) and "#" in path:
        return Address(repository, commit, symbol=path.removeprefix(_SYMBOL))
    return Address(repository, commit, path.strip("/"))


def address_of(
    repository: str, path: str = "", *, commit: str = "", is_folder: bool = False
) -> str:
    """Returns the address of a file, or of a folder or the root of a repository."""
    slash = "/" if path.startswith(_SYMBOL) and "#" in path else ""
    end = "/" if is_folder and path else ""
    version = f"@{commit}" if commit else ""
    return f"/{_quote(repository + version)}/-/{slash}{_quote(path)}{end}"


def symbol_address(repository: str, symbol: str) -> str:
    """Returns the address of a symbol. symbol: its id, without the prefix of the repository."""
    return f"/{_quote(repository)}/-/{_SYMBOL}{_quote(symbol)}"


def search_address(query: str, **more: str | None) -> str:
    """Returns the address of a search. Parameters that are empty or `None` are left out."""
    return "/search" + with_parameters({"q": query, **more})


FAR_LINE: Final = 400
"""The first line that may not be on the first page of a file."""


def at_line(address: str, line: int, last: int = 0) -> str:
    """Returns the address of lines of a file, which also works without a script: the page of a long
    file has only some of its lines."""
    if not line:
        return address
    window = f"?lines={line}" if line >= FAR_LINE else ""
    return f"{address}{window}#L{line}" + (f"-L{last}" if last > line else "")


def with_parameters(parameters: Mapping[str, str | None]) -> str:
    """Returns parameters as the end of an address, with the question mark; empty if none is set."""
    given = {
        name: value.encode("utf-8", "surrogateescape")
        for name, value in parameters.items()
        if value
    }
    return "?" + urlencode(given) if given else ""


def _quote(text: str) -> str:
    return quote(text.encode("utf-8", "surrogateescape"), safe=_SAFE)
