"""Finds the texts that recall shows by their ids: `chunk:12`, `note:3`, `memory:…`, or the `id` in
an item's front matter.

The command that shows symbols shows them, too, so that every id of an answer leads somewhere.
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


class TextsOfRoot(Protocol):
    """The texts of one root, as `recall/recall.Recall` implements them."""

    def answering(self) -> AbstractContextManager[None]: ...

    def note(self, number: int) -> TextHit | None: ...

    def chunk(self, number: int, prefix: str) -> TextHit | None: ...

    def memory(self, memory_id: str) -> TextHit | None: ...

    def entity(self, item_id: str, snapshot: Snapshot, prefix: str) -> TextHit | None: ...


class RootsWithTexts(Protocol):
    """The roots, as `workspace/answers` implements them."""

    def recalled(self) -> "Iterator[tuple[TextsOfRoot, Snapshot, str]]": ...


LONGEST: Final = 500
"""Longest id that is looked up, in characters."""


def hit_of(roots: RootsWithTexts, text_id: str) -> TextHit | None:
    """Returns a text by its id, as a hit with all of it; `None` if there is none, or it cannot be
    read now. Raises RequestError for a damaged note.

    Ids with `#` belong to symbols. They must not be looked up here: a search asks for them while
    it owns the locks that this function needs.
    """
    if not text_id or len(text_id) > LONGEST or "#" in text_id:
        return None
    with suppress(StorageError):
        return next(_hits(roots, text_id), None)
    return None


def _hits(roots: RootsWithTexts, text_id: str) -> Iterator[TextHit]:
    numbered = _NUMBERED.fullmatch(text_id)
    for root, snapshot, prefix in roots.recalled():
        with root.answering():
            if text_id.startswith("memory:"):
                hit = root.memory(text_id)
            elif numbered is not None:
                of_root = (numbered["root"] or "") == prefix
                if numbered["kind"] == "note":
                    hit = root.note(int(numbered["number"])) if not numbered["root"] else None
                else:
                    hit = root.chunk(int(numbered["number"]), prefix) if of_root else None
            else:
                hit = root.entity(text_id, snapshot, prefix)
        if hit is not None:
            yield hit


def as_symbol(hit: TextHit, request: SymbolRequest) -> SymbolResponse:
    """Returns a text as the answer to a request for a symbol, cut to the request's tokens; a notice
    tells of the cut."""
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
        add_notices(response, [f"{hit.id} is cut: request it with more max_tokens"])
    return response
