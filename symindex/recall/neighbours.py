"""What stands beside a hit: symbols of the same container, callers and callees by name, sections
that mention it, notes that link to it.

It is all by name, as nothing else is known without a compiler. Callers are read from files, so they
are looked for only so long.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol

import msgspec

from symindex.errors import RequestError, SymindexError
from symindex.extract.path_flags import path_flags
from symindex.protocol.hierarchy import KinItem
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.recall import TextHit, TextRequest, TextSection
from symindex.protocol.search import SearchRequest
from symindex.recall.chunks.answer import NameHit
from symindex.text.snippets import MARK

SIBLINGS: Final = 3
MENTIONED: Final = 5
CALLS: Final = 10
"""So many of each kind are told."""

SECONDS: Final = 2.0
SECONDS_BESIDE: Final = 0.5
"""How long callers are looked for: of one hit, and for a ranking."""

MOST_READ: Final = 20_000
_NAMED: Final = re.compile(
    r"(?<!\w)(?:[A-Za-z_]\w*+(?:(?:\.|::|#)\w++)+|[A-Za-z_]\w*+(?=\()|[a-z]++_\w++|[A-Za-z]+[a-z][A-Z]\w*+"
    r"|(?<=`)[A-Za-z_]\w{2,}+(?=`))"
)
"""What in prose looks like the name of a symbol. It begins where a word does: else a long word
costs the square of it."""

_CALLED: Final = re.compile(r"(?<!\w)([A-Za-z_]\w*+)\s*+\(")


class Known(Protocol):
    """What is asked, as `recall/recall` answers it."""

    def named(self, request: SearchRequest) -> list[NameHit]:
        """The symbols that a request means."""

    def ask(self, request: TextRequest) -> list[TextSection]:
        """The answers to a request in words."""

    def callers(self, found: str, most: int, seconds: float) -> list[KinItem]:
        """What calls the symbol of an id, as `explore/relations/hierarchy` tells it."""

    def code_of(self, found: str) -> str:
        """The code of the symbol of an id."""


class Related(msgspec.Struct, kw_only=True):
    """relation: `same container`, `caller`, `callee`, `mentions`, `mentioned in`, `note`; by
    metadata `has`, `belongs_to`."""

    relation: str
    hit: TextHit


def beside(names: Known, hits: Sequence[TextHit], most: int) -> list[NameHit]:
    """What stands beside some hits, the nearest first, without what they are themselves."""
    known = {hit.id for hit in hits}
    found: dict[str, NameHit] = {}
    for hit in hits:
        near = [
            *(each.hit for each in [*_siblings(names, hit), *_mentioned(names, hit)]),
            *_callees(names, hit),
        ]
        for each in [*near, *_callers(names, hit, SECONDS_BESIDE)]:
            if each.id not in known:
                each.result_origin = "graph"
                found.setdefault(each.id, NameHit(("symbol", each.id), each, False, ()))
    return [*found.values()][:most]


def related(names: Known, hit: TextHit) -> Iterator[Related]:
    """All that stands beside one hit."""
    if hit.result_origin == "symbol":
        for each in _siblings(names, hit):
            yield Related(relation="same container", hit=each.hit)
        yield from (Related(relation="caller", hit=each) for each in _callers(names, hit, SECONDS))
        yield from (Related(relation="callee", hit=each) for each in _callees(names, hit))
        name = hit.title.rpartition(".")[2]
        for origin, relation in (("text", "mentioned in"), ("notes", "note")):
            asked = TextRequest(
                queries=[name],
                within=origin,  # type: ignore[arg-type]
                limit=MENTIONED,
                include_graph=False,
                marks=True,
            )
            for section in names.ask(asked):
                for text in section.items:
                    is_it = text.result_origin != "symbol" and (
                        f"{MARK}{name}{MARK}" in text.content or name in text.title
                    )
                    text.content = text.content.replace(MARK, "")
                    if is_it or hit.id in (text.metadata.get("links") or ()):
                        yield Related(relation=relation, hit=text)
    else:
        yield from (Related(relation="mentions", hit=each.hit) for each in _mentioned(names, hit))


def _siblings(names: Known, hit: TextHit) -> Iterable[NameHit]:
    container = hit.title.rpartition(".")[0]
    if hit.result_origin != "symbol" or not container:
        return []
    request = SearchRequest(
        query=f"{container}.", paths=[_as_glob(hit.source)], max_items=SIBLINGS + 1
    )
    return [each for each in names.named(request) if each.hit.title != hit.title][:SIBLINGS]


def _mentioned(names: Known, hit: TextHit) -> Iterator[NameHit]:
    """The symbols that a text names."""
    if hit.result_origin == "symbol":
        return
    links = [str(link).partition("#")[2] for link in hit.metadata.get("links") or ()]
    text = hit.content[:MOST_READ]
    yield from _exact(
        names,
        dict.fromkeys([*filter(None, links), *(found[0] for found in _NAMED.finditer(text))]),
        MENTIONED,
    )


def _exact(names: Known, wanted: Iterable[str], most: int) -> Iterator[NameHit]:
    n_found = 0
    for number, name in enumerate(wanted):
        if n_found == most or number == 4 * most:
            return
        with suppress(RequestError):
            for each in names.named(SearchRequest(query=name, max_items=1, fuzzy=False)):
                if each.is_exact:
                    n_found += 1
                    yield each


def _callers(names: Known, hit: TextHit, seconds: float) -> Iterator[TextHit]:
    if hit.result_origin != "symbol":
        return
    with suppress(SymindexError):
        for caller in names.callers(hit.id, CALLS, seconds):
            if caller.id and caller.id != hit.id:
                place, _, line = caller.at.rpartition(":")
                yield TextHit(
                    id=caller.id,
                    type="symbol",
                    title=caller.name,
                    source=place or caller.file_path,
                    line=int(line) if line.isdigit() else caller.line,
                    content=caller.text,
                    score=0.0,
                    content_type="code",
                    added="",
                    result_origin="symbol",
                )


def _callees(names: Known, hit: TextHit) -> Iterator[TextHit]:
    if hit.result_origin != "symbol":
        return
    try:
        code = names.code_of(hit.id)
    except SymindexError:
        return
    own = hit.title.rpartition(".")[2]
    called = dict.fromkeys(name for name in _CALLED.findall(code[:MOST_READ]) if name != own)
    is_test = path_flags(hit.source, None) & SymbolFlag.TEST
    for each in _exact(names, called, CALLS):
        if is_test or not path_flags(each.hit.source, None) & SymbolFlag.TEST:
            yield each.hit


def _as_glob(path: str) -> str:
    """A path as a glob that means it alone."""
    return "/" + re.sub(r"([\\*?\[\]{}!])", r"\\\1", path)
