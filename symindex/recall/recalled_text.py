"""The texts that a search in prose shows, by their ids: `chunk:12`, `note:3`, `memory:…`, or the
`id` of an item's front matter.

They are shown where symbols are shown, so that every id of an answer leads somewhere.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from typing import Final, Protocol

from symindex.errors import StorageError
from symindex.index.snapshot import Snapshot
from symindex.protocol.explore import SymbolDetail, SymbolRequest, SymbolResponse
from symindex.protocol.recall import TextHit
from symindex.protocol.search import Range, add_notices
from symindex.text.token_budget import cut_to_tokens

_NUMBERED: Final = re.compile(r"(?P<root>.*/)?(?P<kind>chunk|note):(?P<number>\d{1,18})", re.DOTALL)


class Known(Protocol):
    """What one root knows apart from its symbols (`recall/recall`)."""

    def answering(self) -> AbstractContextManager[None]: ...

    def note(self, number: int) -> TextHit | None: ...

    def chunk(self, number: int, prefix: str) -> TextHit | None: ...

    def memory(self, found: str) -> TextHit | None: ...

    def entity(self, found: str, snapshot: Snapshot, prefix: str) -> TextHit | None: ...


class Recalled(Protocol):
    """The roots, as `workspace/roots` has them."""

    def recalled(self) -> "Iterator[tuple[Known, Snapshot, str]]": ...


LONGEST: Final = 500
"""Characters of an id."""


def hit_of(roots: Recalled, found: str) -> TextHit | None:
    """The text of an id, as a hit with all of it; `None` where nothing has it, or it cannot be read
    now. Raises RequestError for a note that is damaged. An id with `#` is a symbol's: those are
    asked for while a search holds the locks that this takes."""
    if not found or len(found) > LONGEST or "#" in found:
        return None
    with suppress(StorageError):
        return next(_hits(roots, found), None)
    return None


def _hits(roots: Recalled, found: str) -> Iterator[TextHit]:
    named = _NUMBERED.fullmatch(found)
    for known, snapshot, prefix in roots.recalled():
        with known.answering():
            if found.startswith("memory:"):
                hit = known.memory(found)
            elif named is not None:
                of_root = (named["root"] or "") == prefix
                if named["kind"] == "note":
                    hit = known.note(int(named["number"])) if not named["root"] else None
                else:
                    hit = known.chunk(int(named["number"]), prefix) if of_root else None
            else:
                hit = known.entity(found, snapshot, prefix)
        if hit is not None:
            yield hit


def as_symbol(hit: TextHit, request: SymbolRequest) -> SymbolResponse:
    """A text as the answer to a request for a symbol. What is longer than its tokens allow is cut,
    and a notice says so."""
    code = hit.content.rstrip("\n") + "\n"
    shown = cut_to_tokens(code, request.max_tokens) if request.max_tokens else code
    lines = Range(start_line=hit.line, end_line=hit.line + code.count("\n") - 1)
    detail = SymbolDetail(
        id=hit.id,
        name=hit.title,
        kind="item",
        language="markdown",
        file_path=hit.source,
        line=hit.line,
        range=lines,
        container=None,
        container_chain=[],
        signature="",
        doc="",
        flags=[],
        code=shown,
        code_start_line=hit.line,
        code_end_line=hit.line + shown.count("\n") - 1,
        is_whole=shown == code,
        more_lines="",
        members=[],
        hidden_members=0,
        siblings=[],
        hidden_siblings=0,
    )
    response = SymbolResponse(request=request, symbol=detail, others=[], total=1)
    if shown != code:
        add_notices(response, [f"{hit.id} is cut: ask for it with more max_tokens"])
    return response
