"""The page of a search for text: the lines of files that contain it, with their symbols."""

from typing import Any, Final

from symindex.errors import RequestError
from symindex.protocol.freshness import SOON
from symindex.protocol.grep import FileText, GrepRequest
from symindex.serve.web import addresses
from symindex.serve.web.site import Page, Site, Visit

ROWS: Final = 100
"""Rows of a page."""

SECONDS: Final = 5.0
"""How long files are searched, in seconds."""


def text_page(site: Site, visit: Visit, query: str) -> Page:
    """Returns the lines that contain a text as it is typed; with `regex=1`, that match it."""
    is_regex = bool(visit.get("regex"))
    # As ripgrep's smart case: a capital letter asks for this very case.
    ignores_case = query == query.lower()
    context: dict[str, Any] = {
        "title": query,
        "query": query,
        "is_regex": is_regex,
        "ignores_case": ignores_case and query != query.upper(),
    }
    request = GrepRequest(
        pattern=query,
        regex=is_regex,
        ignore_case=ignores_case,
        max_items=ROWS,
        pagination_id=visit.get("page") or None,
    )
    try:
        response = site.answers.grep(request, seconds=SECONDS, freshness=SOON)
    except RequestError as error:
        return Page("text.html", {**context, "problem": str(error), "response": None}, 400)
    options = {"in": "text", "regex": "1" if is_regex else None}
    token = response.pagination_id
    return Page(
        "text.html",
        {
            **context,
            "problem": "",
            "response": response,
            "files": [_file(site, file) for file in response.files],
            "notices": response.notices or (),
            "next": addresses.search_address(query, **options, page=token) if token else "",
        },
    )


def _file(site: Site, file: FileText) -> dict[str, Any]:
    rows = [
        (row, site.file_address(file.file_path, row.line), _others(site, file, row.lines))
        for row in file.items
    ]
    return {"path": file.file_path, "href": site.file_address(file.file_path), "rows": rows}


def _others(site: Site, file: FileText, lines: list[int]) -> list[tuple[int, str]]:
    """Returns the other lines of a row with their addresses."""
    return [(line, site.file_address(file.file_path, line)) for line in lines]
