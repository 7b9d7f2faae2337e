"""Answers a request for the places where an identifier occurs in code.

Nothing of this is stored but which files may contain a name (`known_files`). Each request searches
these until the page is full: first their bytes for the name, then the identifiers of those that
contain it. A first page goes on briefly, to count the rest.
"""

import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from symindex.errors import RequestError, one_of
from symindex.explore.references.candidates import CandidateFile, candidates_of
from symindex.explore.references.known_files import KnownFiles
from symindex.explore.references.mention_job import Sought
from symindex.explore.references.mentions import MentionSearch, most_file_seconds, real_roots
from symindex.explore.references.narrowing import ReferenceJudge
from symindex.explore.references.reference_cursor import (
    FIRST_PAGE,
    read_token,
)
from symindex.explore.references.reference_page import ReferencePage, is_searchable
from symindex.explore.targets.inherited import tell_inherited
from symindex.explore.targets.names import has_parts_left_out, how_they_differ, symbols_named
from symindex.explore.targets.target import file_not_there, find_target, refuse_left_out
from symindex.explore.targets.type_parts import (
    created_by,
    overloads_named,
    tell_overloads,
    tell_together,
)
from symindex.protocol.explore import (
    ROLES,
    ReferencesRequest,
    ReferencesResponse,
)
from symindex.requests import check_request
from symindex.resolve.binding.resolver import Resolver
from symindex.resolve.tree import Tree
from symindex.text.escaping import shorten
from symindex.text.patterns.whole_words import forms_of
from symindex.text.separators import BETWEEN_NAMES

MOST_NAME: Final = 4_000
"""Longest name with its qualifiers, in characters."""

COUNT_SECONDS: Final = 1.5
"""Longest time that a full first page continues to count, in seconds."""


def find_references(
    tree: Tree,
    request: ReferencesRequest,
    max_file_bytes: int,
    file_seconds: float,
    *,
    seconds: float,
    progress: Callable[[int, int], object] | None = None,
) -> ReferencesResponse:
    """Answers a request. Raises RequestError for a request that is not valid, StorageError if no
    process can be started.

    Args:
        max_file_bytes: larger files are not searched.
        file_seconds: limit of processor time for one file; the answer names files that exceed it.
        seconds: limit for all; the token of the answer goes on from there.
        progress: called with the number of finished files and the number of all.
    """
    check_request(request)
    request = _with_name(tree, request, max_file_bytes)
    asked, request = request, _of_inherited(tree, request, max_file_bytes)
    name = last_part(request.name)
    roles = _roles(request)
    narrowing = _narrowing(tree, request, max_file_bytes)
    names = [name, *(narrowing.aliases if narrowing is not None else ())]
    forms = [form for one in names for form in forms_of(one)]
    choose = KnownFiles(tree).choosing(forms, max_file_bytes, time.monotonic() + seconds / 4)
    family = narrowing.family if narrowing is not None else frozenset[str]()
    candidates, n_files, notices = candidates_of(
        tree, request.languages, request.paths, choose, family
    )
    told = [tell_inherited(asked.name, narrowing.row)] if narrowing and asked is not request else []
    notices = [*told, *_told_first(tree, request, name, narrowing), *notices]
    first, previous = 0, FIRST_PAGE
    if request.pagination_id is not None:
        first, previous = read_token(
            request, name, tree.snapshot.generation, [candidate.key for candidate in candidates]
        )
        if previous.has_changed:
            notices.append(
                "the index has changed since the last page; this one goes on after the last place"
                " shown"
            )
    if not is_searchable(name):
        notices.append(
            f"{shorten(name, 100)} is not an identifier: only identifiers are searched for"
        )
        candidates = []
    page = ReferencePage(
        request, name, notices, previous, len(candidates[first:]), roles, narrowing
    )
    now = time.monotonic()
    clock = _Clock(now + seconds, now + min(COUNT_SECONDS, seconds / 2), progress)
    sought = Sought(real_roots(tree), forms, max_file_bytes)
    most = most_file_seconds(file_seconds, seconds)
    is_over = _fill(tree, page, sought, candidates[first:], most, clock)
    if is_over and not page.lists_unsure and page.list_unsure(len(candidates)):
        _fill(tree, page, sought, candidates, most, clock)
    return page.response(tree, n_files)


def _told_first(
    tree: Tree, request: ReferencesRequest, name: str, narrowing: ReferenceJudge | None
) -> Iterator[str]:
    """Says if something else is searched for than the request names. Raises RequestError for a name
    in a file that the index leaves out."""
    asked = request.name.strip()
    if narrowing is not None:
        if notice := file_not_there(tree, asked, narrowing.row):
            yield notice
        elif not narrowing.row.id.endswith(asked.removeprefix("./")):
            meant = symbols_named(tree, asked)
            if meant and has_parts_left_out(meant):
                yield how_they_differ(meant)
        rows = overloads_named(narrowing.resolver, narrowing.row, asked)
        notice = tell_together(rows) if rows else tell_overloads(narrowing.resolver, narrowing.row)
        if notice:
            yield notice
        if (created := created_by(tree, narrowing.row)) is not None:
            yield f"what creates a {created.name} names the type: see the uses of {created.id}"
    elif name != unicodedata.normalize("NFC", asked):
        refuse_left_out(tree, asked)
        yield f"only {name} is searched for, the last part of {shorten(asked, 100)}"


class _Clock(NamedTuple):
    """Times of one request. ends: when the time is up. counts_until: when a full first page stops
    counting. progress: as in `find_references`."""

    ends: float
    counts_until: float
    progress: Callable[[int, int], object] | None


def _fill(
    tree: Tree,
    page: ReferencePage,
    sought: Sought,
    candidates: Sequence[CandidateFile],
    file_seconds: float,
    clock: _Clock,
) -> bool:
    """Searches files until the page is full or the time is up. Returns whether it is neither."""
    seconds = max(0.0, clock.ends - time.monotonic())
    with MentionSearch(tree, sought, candidates, file_seconds) as search:
        for searched in search.in_order(seconds, clock.progress):
            candidate = candidates[searched.number]
            if searched.mentions is not None:
                page.add(candidate, searched.mentions)
            if page.is_full and (not page.is_first or time.monotonic() > clock.counts_until):
                break
            page.n_searched, page.last = searched.number + 1, candidate.key
    return not page.is_full and page.n_searched == len(candidates)


def _with_name(tree: Tree, request: ReferencesRequest, max_file_bytes: int) -> ReferencesRequest:
    """Returns the request with a place (`app.py:12`) replaced by the id of its symbol, and a call
    (`App.run()`) by its name."""
    text = request.name.strip()
    if _PLACE.fullmatch(text):
        rows = find_target(tree, text, max_file_bytes).rows
        if not rows:
            raise RequestError(
                f"{shorten(text, 100)} is in no symbol: give a line of one, or a name"
            )
        return msgspec.structs.replace(request, name=rows[0].id)
    call = _CALL.fullmatch(text)
    return msgspec.structs.replace(request, name=call[1]) if call is not None else request


def _of_inherited(tree: Tree, request: ReferencesRequest, max_file_bytes: int) -> ReferencesRequest:
    """Returns the request with a member that a type only inherits (`Cat.run`) replaced by the id of
    the one that is inherited."""
    if len(BETWEEN_NAMES.split(request.name.strip())) < 2:
        return request
    with suppress(RequestError):
        target = find_target(tree, request.name, max_file_bytes)
        if target.is_inherited and target.is_sure:
            return msgspec.structs.replace(request, name=target.rows[0].id)
    return request


_PLACE: Final = re.compile(r"[^#]{1,1000}\.\w{1,20}:\d{1,9}")
_CALL: Final = re.compile(r"(.{0,1000}\w[?!]?)(?<!operator)\([^()]{0,1000}\)?")


def last_part(text: str) -> str:
    """Returns the identifier at the end of a name, a qualified name or an id. Raises RequestError
    if there is none."""
    text = unicodedata.normalize("NFC", text.strip())
    if not text:
        raise RequestError("the name is empty: give an identifier, as `parse` or `Parser.parse`")
    if len(text) > MOST_NAME:
        raise RequestError(
            f"the name {shorten(text, 100)} has {len(text):,} characters: at most {MOST_NAME:,} are"
            " searched for"
        )
    path, mark, rest = text.partition("#")
    if mark and path and not path.endswith((".", ":")):
        text = re.sub(r"~\d+\Z", "", rest) or text
    return BETWEEN_NAMES.split(text)[-1]


def _roles(request: ReferencesRequest) -> frozenset[str]:
    """Returns the roles that a request selects; empty for all."""
    words = [request.role] if isinstance(request.role, str) else request.role or []
    roles = [_ROLE_WORDS.get(word.lower(), word.lower()) for word in words]
    for word in roles:
        if word not in ROLES:
            raise one_of("role", word, ROLES)
    return frozenset(roles)


_ROLE_WORDS: Final = {
    "calls": "call",
    "caller": "call",
    "callers": "call",
    "imports": "import",
    "types": "type",
    "inherits": "inherit",
    "extends": "inherit",
    "implements": "inherit",
    "reads": "read",
    "writes": "write",
    "definitions": "definition",
    "declarations": "declaration",
    "decl": "declaration",
    "def": "definition",
}


def _narrowing(
    tree: Tree, request: ReferencesRequest, max_file_bytes: int
) -> ReferenceJudge | None:
    """Returns the judge of a symbol's references; `None` for a bare name, and for one that several
    symbols have. A qualified name must match the end of the symbol's own: `requests.get` is not
    just any function `get`."""
    path, mark, _ = request.name.partition("#")
    is_id = bool(mark and path) and not path.endswith((".", ":"))
    parts = [part for part in BETWEEN_NAMES.split(request.name.strip()) if part]
    if not is_id and len(parts) < 2:
        return None
    try:
        target = find_target(tree, request.name, max_file_bytes)
    except RequestError:
        return None
    if not target.rows:
        return None
    together = overloads_named(Resolver(tree), target.rows[0], request.name)
    are_all = {*target.rows} <= {*together}
    if not (target.is_sure or are_all):
        return None
    row = together[0] if together else target.rows[0]
    return (
        ReferenceJudge(tree, row, with_overloads=bool(together))
        if is_id or f".{row.qualified_name}".endswith(f".{parts[-2]}.{parts[-1]}")
        else None
    )
