"""The pages about the past of a file or folder: blame, the commits of lines, changed symbols."""

from typing import Any, Final

from symindex.errors import RequestError
from symindex.protocol.changes import ChangedFile
from symindex.protocol.freshness import SOON
from symindex.protocol.history import BlameHunk, LineChange
from symindex.serve.web import addresses
from symindex.serve.web.addresses import Address
from symindex.serve.web.content.code_lines import Line
from symindex.serve.web.pages.crumbs import crumbs
from symindex.serve.web.site import Page, Repository, Site, Visit

COMMITS: Final = 30
"""Commits of a page of history."""

MOST_PATCHES: Final = 150_000
"""Characters of all differences on a page; later ones are a link."""

CHANGED: Final = 300
"""Changed symbols on a page."""

SHORT_HASH: Final = 12
"""Characters of a hash in an address: enough for the largest repositories."""


def history_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns the commits that changed a file, or the lines that `lines=` names."""
    lines = visit.get("lines").replace("L", "") or None
    response = site.answers.line_history(
        repository.answer_path(address.path),
        lines=lines,
        max_items=COMMITS,
        patches=lines is not None,
        revision=address.commit,
        freshness=SOON,
    )
    here = addresses.address_of(repository.name, address.path)
    return Page(
        "history.html",
        {
            "title": f"History of {address.path}",
            "repository": repository,
            "crumbs": crumbs(repository, address),
            "here": here,
            "lines": lines,
            "response": response,
            "rows": _commit_rows(repository, address, response.items),
            "notices": response.notices or (),
            "has_more": response.has_more,
        },
    )


def _commit_rows(
    repository: Repository, address: Address, changes: list[LineChange]
) -> list[dict[str, Any]]:
    rows, room = [], MOST_PATCHES
    for change in changes:
        room -= len(change.patch)
        commit = change.commit[:SHORT_HASH]
        href = addresses.address_of(repository.name, address.path, commit=commit)
        patch = change.patch if room >= 0 else ""
        rows.append({"change": change, "commit": commit, "href": href, "patch": patch})
    return rows


def blame_of(
    site: Site, repository: Repository, address: Address, lines: list[Line]
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    """Returns who last changed lines of a file: by the first line of each hunk; and notices."""
    if not lines:
        return {}, []
    response = site.answers.blame(
        repository.answer_path(address.path),
        lines=f"{lines[0].number}-{lines[-1].number}",
        revision=address.commit,
        freshness=SOON,
    )
    rows = {hunk.start_line: _hunk_row(repository, address, hunk) for hunk in response.hunks}
    return rows, [*(response.notices or ())]


def _hunk_row(repository: Repository, address: Address, hunk: BlameHunk) -> dict[str, Any]:
    commit = hunk.commit[:SHORT_HASH]
    href = addresses.address_of(repository.name, address.path, commit=commit) if commit else ""
    return {"hunk": hunk, "commit": commit, "href": href}


def changes_page(site: Site, visit: Visit, repository: Repository, address: Address) -> Page:
    """Returns the symbols that have changed since the commit that `since=` names."""
    since = visit.get("since") or "HEAD"
    context: dict[str, Any] = {
        "title": f"Changed since {since}",
        "repository": repository,
        "address": address,
        "crumbs": crumbs(repository, address),
        "since": since,
        "problem": "",
        "response": None,
        "files": [],
        "notices": (),
    }
    try:
        response = site.answers.changed(
            since,
            path=repository.answer_path(address.path).rstrip("/"),
            max_items=CHANGED,
            freshness=SOON,
        )
    except RequestError as error:
        return Page("changes.html", {**context, "problem": str(error)}, 404)
    files = [_changed_file(site, file) for file in response.files]
    shown = {"response": response, "files": files, "notices": response.notices or ()}
    return Page("changes.html", {**context, **shown})


def _changed_file(site: Site, file: ChangedFile) -> dict[str, Any]:
    is_there = file.status != "removed"
    return {
        "file": file,
        "href": site.file_address(file.file_path) if is_there else "",
        "symbols": [
            (
                symbol,
                site.file_address(file.file_path, symbol.line)
                if is_there and symbol.status != "removed"
                else "",
            )
            for symbol in file.symbols
        ],
    }
