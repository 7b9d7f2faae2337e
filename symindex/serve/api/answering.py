"""Answers one call: reads its request, asks the answers, and writes the response as JSON.

It runs in a thread of its own, without a loop and without HTTP.
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import UNSET

from symindex.cancellation import NotWantedError
from symindex.errors import RequestError, SymindexError
from symindex.protocol.fetch import FetchRequest
from symindex.protocol.freshness import SOON
from symindex.protocol.search import SearchRequest, add_notices
from symindex.serve.api.methods import (
    METHODS,
    MOST_ANSWER,
    MOST_ROWS,
    MOST_SECONDS,
    Method,
    bounded,
    decode_request,
)
from symindex.serve.faults import describe_fault, tell_fault
from symindex.workspace.answers import Answers, folder_of, search_plan
from symindex.workspace.planned_page import read_page, with_most, with_page

_DEFAULT_SECONDS: Final = 10.0

_SERVED_SPACES: Final = ("project", "all")
"""The spaces that a request may name: what is served has no other."""


class Reply(NamedTuple):
    """The status and the JSON of an answer. retry_seconds: when to try again; 0 for never."""

    status: int
    body: bytes
    retry_seconds: int = 0


def refusal(status: int, error: str, retry_seconds: int = 0) -> Reply:
    """Returns an error in one line."""
    return Reply(
        status, msgspec.json.encode({"error": " ".join(error.split())}) + b"\n", retry_seconds
    )


def answer(answers: Answers, name: str, parameters: Mapping[str, str], body: bytes) -> Reply:
    """Answers a call. parameters: of the address: `seconds`, and `page` (`PlannedPage` as JSON).
    Raises only NotWantedError."""
    try:
        method = METHODS[name]
        response = _ask(answers, name, method, parameters, decode_request(method, body))
        encoded = msgspec.json.encode(response)
    except RequestError as error:
        return refusal(400, str(error))
    except NotWantedError:
        raise
    except SymindexError as error:  # the store or the disk
        return refusal(503, str(error), retry_seconds=10)
    except Exception as error:  # a fault of ours: the others are served
        tell_fault(error)
        return refusal(500, describe_fault(error))
    if len(encoded) > MOST_ANSWER:
        return refusal(
            400,
            f"the answer has {len(encoded):,} bytes: at most {MOST_ANSWER:,} are sent; ask for"
            " fewer rows, or for a part of the tree",
        )
    return Reply(200, encoded + b"\n")


def _ask(
    answers: Answers, name: str, method: Method, parameters: Mapping[str, str], request: Any
) -> Any:
    for parameter in parameters:
        if parameter not in ("seconds", "page"):
            raise RequestError(
                f"unknown parameter {parameter[:100]!r}: the fields of a request are in its body"
            )
    if isinstance(request, SearchRequest):
        return _search(answers, request, parameters.get("page", ""))
    if "page" in parameters:
        raise RequestError(f"{name} has no parameter page")
    more: dict[str, Any] = {"freshness": SOON}
    if method.has_seconds:
        more["seconds"] = _seconds(parameters.get("seconds", ""))
    asked = bounded(method, request)
    if isinstance(asked, FetchRequest):
        asked = _of_repositories(asked)
    if name == "folder":
        response = folder_of(answers, asked, SOON)
    else:
        response = getattr(answers, name)(asked, **more)
    if asked is not request and isinstance(getattr(response, "request", None), method.request):
        response.request = request  # as it was sent
        if "max_items" in method.most and request.max_items is not None:
            add_notices(response, [f"at most {MOST_ROWS:,} rows are sent at once"])
    return response


def _of_repositories(request: FetchRequest) -> FetchRequest:
    """Returns a request for an item of what is served. Raises RequestError for one that writes, or
    that is about the machine of the service: its user's own items, packages and registries."""
    if request.destination is not None or request.force:
        raise RequestError("fetch: a fleet copies nothing: leave out destination and force")
    if request.source not in (None, *_SERVED_SPACES):
        raise RequestError(
            f"fetch: a fleet has no space {request.source[:100]!r}: leave out source"
        )
    return msgspec.structs.replace(request, source="project")


def _search(answers: Answers, request: SearchRequest, page: str) -> Any:
    if request.space not in (UNSET, *_SERVED_SPACES):
        raise RequestError(f"a fleet has no space {str(request.space)[:100]!r}: leave out space")
    plan = answers.source.plan(request)
    if page:
        try:
            fields = msgspec.json.decode(page)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            fields = None
        if not isinstance(fields, dict):
            raise RequestError("page is not an object in JSON")
        plan = with_page(plan, read_page(fields))
    return search_plan(answers, with_most(plan, MOST_ROWS), SOON)


def _seconds(text: str) -> float:
    try:
        seconds = float(text) if text else _DEFAULT_SECONDS
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= MOST_SECONDS:
        raise RequestError(f"seconds is {text[:100]}: expected a number up to {MOST_SECONDS:g}")
    return seconds


def describe(answers: Answers) -> Reply:
    """Returns what is served: the version, the methods, and what the answers say of themselves."""
    from symindex import __version__

    status = getattr(answers, "status", None)
    described = {
        "version": __version__,
        "methods": [*METHODS],
        "status": status() if status is not None else None,
    }
    return Reply(200, msgspec.json.encode(described) + b"\n")
