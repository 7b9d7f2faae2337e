"""The path at the top of a page, and the links of documents, as addresses."""

import re
from collections.abc import Callable
from posixpath import dirname, normpath
from typing import Final
from urllib.parse import unquote, urlsplit

from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.site import Repository

_PICTURE: Final = re.compile(r"\.(png|jpe?g|gif|webp|svg|avif)\Z", re.IGNORECASE)


def crumbs(repository: Repository, address: Address) -> list[tuple[str, str]]:
    """Returns the folders above a file with their addresses, and the file itself."""
    parts = address.path.split("/") if address.path else []
    commit = address.commit
    name = repository.name + (f"@{commit[:12]}" if commit else "")
    rows = [(name, addresses.address_of(repository.name, is_folder=True))]
    for number, part in enumerate(parts, start=1):
        above = "/".join(parts[:number])
        is_folder = number < len(parts)
        href = addresses.address_of(
            repository.name, above, is_folder=is_folder, commit="" if is_folder else commit
        )
        rows.append((part, href))
    return rows


def link_resolver(repository: Repository, address: Address) -> Callable[[str], str | None]:
    """Returns a function that turns a relative link in a document into the address of a page."""
    folder = dirname(address.path)

    def resolve(href: str) -> str | None:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return None
        if not parts.path:
            return f"#{parts.fragment}" if parts.fragment else None
        target = unquote(parts.path)
        joined = target.lstrip("/") if target.startswith("/") else f"{folder}/{target}"
        path = normpath(joined).lstrip("/")
        if path.startswith(".."):
            return None
        path = "" if path == "." else path
        mark = f"#{parts.fragment}" if parts.fragment else ""
        view = "?view=raw" if _PICTURE.search(path) else ""
        return addresses.address_of(repository.name, path, commit=address.commit) + view + mark

    return resolve
