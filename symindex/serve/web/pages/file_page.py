"""The page of a file: its code by windows, its outline, and who changed it."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from symindex.errors import RequestError
from symindex.protocol.explore import SymbolRequest
from symindex.protocol.freshness import SOON
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.content.code_lines import Line, shown_lines
from symindex.serve.web.pages.card import card_page
from symindex.serve.web.site import Page, Repository, Site, Visit

WINDOW: Final = 500
"""Lines of code on a page; more would make a page of half a megabyte."""

OUTLINE_TOKENS: Final = 5_000
"""The budget of the outline beside a file, in tokens; its largest parts are collapsed."""

BEFORE: Final = 100
"""Lines before the requested one on a page."""

MOST_HTML: Final = 90_000
"""Characters of code on a page, as HTML; a window ends earlier if its lines are long."""

_LINES: Final = re.compile(r"L?(\d{1,9})(?:-L?(\d{1,9}))?")

_LAST_LINE: Final = 10_000_000


def file_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns a file, the lines that the script asks for, or the card of a name in it."""
    path = repository.answer_path(address.path)
    if visit.get("at"):
        return card_page(site, visit, repository, address)
    text = _read(site, path, address)
    first, last = lines_of(visit.get("lines")) or (1, WINDOW)
    is_fragment = visit.part in ("lines", "preview")
    if first > text.n_lines:
        raise RequestError(f"{path} has {text.n_lines:,} lines: there is no line {first:,}")
    start = first if is_fragment else max(1, first - BEFORE)
    end = min(last if is_fragment else start + WINDOW - 1, start + WINDOW - 1, text.n_lines)
    here = addresses.address_of(repository.name, address.path, commit=address.commit)
    lines, why_plain = code_window(
        site, text.code, path, text.language, start, end, here if visit.part == "preview" else ""
    )
    if is_fragment:
        return Page(
            "lines.html",
            {
                "title": path,
                "lines": lines,
                "marked": lines_of(visit.get("mark")),
                # The lines of a preview are links to the page of the file.
                "file": site.file_address(path) if visit.part == "preview" else "",
            },
        )
    shown_to = lines[-1].number if lines else 0
    context: dict[str, Any] = {
        "title": address.path,
        "repository": repository,
        "address": address,
        "here": here,
        "crumbs": crumbs(repository, address),
        "lines": lines,
        "n_lines": text.n_lines,
        "language": text.language,
        "first": start,
        "last": shown_to,
        "before": f"{here}?lines={max(1, start - WINDOW)}" if start > 1 else "",
        "after": f"{here}?lines={shown_to + 1}" if shown_to < text.n_lines else "",
        "marked": lines_of(visit.get("lines")),
        "permalink": "",
        "outline": [] if address.commit else outline_of(site, path),
        "prose": None,
        "notices": [*filter(None, [why_plain]), *text.notices],
    }
    if is_prose(address.path) and visit.get("view") != "code" and not visit.get("lines"):
        resolve = link_resolver(repository, address)
        context["prose"] = site.prose.render(text.code, address.path, resolve)
    return Page("file.html", context)


class _Text:
    """The text of a file."""

    def __init__(self, code: str, language: str, n_lines: int, notices: list[str]) -> None:
        self.code, self.language, self.n_lines, self.notices = code, language, n_lines, notices


def _read(site: Site, path: str, address: Address) -> _Text:
    if address.commit:
        raise RequestError("files of a commit are not shown yet")
    request = SymbolRequest(symbol=path, lines=f"1-{_LAST_LINE}")
    response = site.workspace.symbol(request, freshness=SOON)
    text = response.text
    if not text:
        raise RequestError(f"{path}: no such file")
    return _Text(text.code, text.language, text.n_lines, [*(response.notices or ())])


def code_window(
    site: Site, code: str, path: str, language: str, start: int, end: int, address: str = ""
) -> tuple[list[Line], str]:
    """Returns lines of a file as HTML, as many as a page may have, and why they are not
    highlighted.

    code: the whole file, because its first lines decide how later ones are read.
    """
    highlighted = site.highlighter.highlight(code, path, language)
    lines = shown_lines(highlighted.lines[start - 1 : end], start, names_known(site), address)
    room = MOST_HTML
    for number, line in enumerate(lines):
        room -= len(line.code) + 60
        if room < 0 and number:
            return lines[:number], highlighted.why_plain
    return lines, highlighted.why_plain


def names_known(site: Site) -> Callable[[str], bool]:
    """Returns a function that says whether the index has symbols of a name, for one page."""
    return lru_cache(maxsize=None)(site.workspace.has_symbols_named)


def lines_of(text: str) -> tuple[int, int] | None:
    """Parses `10`, `10-20` or `L10-L20`; returns `None` for anything else."""
    match = _LINES.fullmatch(text)
    if match is None:
        return None
    first = max(1, int(match[1]))
    return first, max(first, int(match[2] or first))


def outline_of(site: Site, path: str) -> list[Any]:
    """Returns the symbols of a file as a tree; empty for a file without symbols."""
    try:
        response = site.workspace.outline(path, max_tokens=OUTLINE_TOKENS, freshness=SOON)
    except RequestError:
        return []
    files = response.items
    if len(files) == 1 and files[0].kind == "file":
        return files[0].items
    return files


def crumbs(repository: Repository, address: Address) -> list[tuple[str, str]]:
    """Returns the folders above a file with their addresses, and the file itself."""
    parts = address.path.split("/") if address.path else []
    rows = [(repository.name, addresses.address_of(repository.name, is_folder=True))]
    for number, part in enumerate(parts, start=1):
        above = "/".join(parts[:number])
        is_folder = number < len(parts)
        rows.append((part, addresses.address_of(repository.name, above, is_folder=is_folder)))
    return rows


def is_prose(path: str) -> bool:
    return path.lower().endswith((".md", ".markdown", ".mdown", ".mkd"))


def link_resolver(repository: Repository, address: Address) -> Callable[[str], str | None]:
    """Returns a function that turns a link in a document into the address of a page."""
    from posixpath import dirname, normpath
    from urllib.parse import unquote, urlsplit

    folder = dirname(address.path)

    def resolve(href: str) -> str | None:
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            return None
        if not parts.path:
            return f"#user-content-{parts.fragment}" if parts.fragment else None
        target = unquote(parts.path)
        joined = target.lstrip("/") if target.startswith("/") else f"{folder}/{target}"
        path = normpath(joined).lstrip("/")
        if path.startswith(".."):
            return None
        path = "" if path == "." else path
        mark = f"#{parts.fragment}" if parts.fragment else ""
        is_picture = re.search(r"\.(png|jpe?g|gif|webp|svg|avif)\Z", path, re.IGNORECASE)
        view = "?view=raw" if is_picture else ""
        return addresses.address_of(repository.name, path, commit=address.commit) + view + mark

    return resolve
