"""What `symindex refs` does beside its options: a request from them, and the answer written."""

import sys

import msgspec
from msgspec import UNSET

from symindex.protocol import ReferencesRequest, ReferencesResponse


def make_request(
    name: str, languages: tuple[str, ...], paths: tuple[str, ...], max_items: int | None, pagination_id: str | None
) -> ReferencesRequest:
    """The request that the options mean; 0 items are all."""
    return ReferencesRequest(
        name=name,
        max_items=None if max_items == 0 else max_items,
        pagination_id=pagination_id,
        languages=list(languages) or UNSET,
        paths=list(paths) or UNSET,
    )


def print_references(response: ReferencesResponse, notices: list[str], as_json: bool) -> int:
    """Writes the answer to standard output, and returns the exit code. notices: of the refresh before."""
    if notices:
        response.notices = [*(response.notices or []), *notices]
    if as_json:
        sys.stdout.write(msgspec.json.encode(response).decode() + "\n")
    else:
        from symindex.render.references import render_references

        sys.stdout.write(render_references(response))
    return 0 if response.at_least else 1
