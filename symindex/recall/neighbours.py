"""What is related to a hit: symbols in the same container, callers and callees, sections that
mention it, notes that link to it.

Calls are those that `explore/relations` finds; the rest is found by name. Callers are searched in
files, so that search has a time limit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from symindex.errors import RequestError, SymindexError
from symindex.extract.path_flags import path_flags
from symindex.protocol.hierarchy import RelatedItem
from symindex.protocol.kinds import SymbolFlag
from symindex.protocol.recall import Related, TextHit, TextRequest
from symindex.protocol.search import SearchRequest
from symindex.recall.chunks.symbol_lookup import NameHit, SymbolLookup
from symindex.text.snippets import MARK

SIBLINGS: Final = 3
"""Most symbols of the same container that are shown."""

MENTIONED: Final = 5
"""Most symbols that a text mentions, or texts that mention a symbol, that are shown."""

CALLS: Final = 10
"""Most callers, and most callees, that are shown."""

SECONDS: Final = 2.0
"""Longest search for the calls of one hit, in seconds, where its neighbours are requested."""

SECONDS_IN_RANKING: Final = 0.5
"""Longest search for the calls of one hit, in seconds, where neighbours extend a ranking."""

MOST_READ: Final = 20_000
"""Characters of a text that are searched for names."""

_NAMED: Final = re.compile(
    r"(?<!\w)(?:[A-Za-z_]\w*+(?:(?:\.|::|#)\w++)+|[A-Za-z_]\w*+(?=\()|[a-z]++_\w++|[A-Za-z]+[a-z][A-Z]\w*+"
    r"|(?<=`)[A-Za-z_]\w{2,}+(?=`))"
)
"""Matches words of prose that look like names of symbols. It begins only where a word does: else a
long word takes quadratic time."""


def neighbours(names: SymbolLookup, hits: Sequence[TextHit], most: int) -> list[NameHit]:
    """Returns what is related to these hits, nearest first, without the hits themselves."""
    ids = {hit.id for hit in hits}
    hits_by_id: dict[str, NameHit] = {}
    for hit in hits:
        near = [
            *(symbol.hit for symbol in [*_siblings(names, hit), *_mentioned(names, hit)]),
            *_callees(names, hit, SECONDS_IN_RANKING),
        ]
        for neighbour in [*near, *_callers(names, hit, SECONDS_IN_RANKING)]:
            if neighbour.id not in ids:
                neighbour.result_origin = "graph"
                hits_by_id.setdefault(
                    neighbour.id, NameHit(("symbol", neighbour.id), neighbour, False, ())
                )
    return [*hits_by_id.values()][:most]


def related(names: SymbolLookup, hit: TextHit) -> Iterator[Related]:
    """Yields everything related to one hit."""
    if hit.result_origin != "symbol":
        for symbol in _mentioned(names, hit):
            yield Related(relation="mentions", hit=symbol.hit)
        return
    for sibling in _siblings(names, hit):
        yield Related(relation="same container", hit=sibling.hit)
    yield from (Related(relation="caller", hit=caller) for caller in _callers(names, hit, SECONDS))
    yield from (Related(relation="callee", hit=callee) for callee in _callees(names, hit, SECONDS))
    yield from _texts_about(names, hit)


def _texts_about(names: SymbolLookup, hit: TextHit) -> Iterator[Related]:
    """Yields texts and notes that contain the name of a symbol, or link to it."""
    name = hit.title.rpartition(".")[2]
    for origin, relation in (("text", "mentioned in"), ("notes", "note")):
        request = TextRequest(
            queries=[name],
            within=origin,  # type: ignore[arg-type]
            limit=MENTIONED,
            include_graph=False,
            marks=True,
        )
        for section in names.ask(request):
            for text in section.items:
                has_name = text.result_origin != "symbol" and (
                    f"{MARK}{name}{MARK}" in text.content or name in text.title
                )
                text.content = text.content.replace(MARK, "")
                if has_name or hit.id in (text.metadata.get("links") or ()):
                    yield Related(relation=relation, hit=text)


def _siblings(names: SymbolLookup, hit: TextHit) -> Iterable[NameHit]:
    """Returns other symbols in the container of a symbol."""
    container = hit.title.rpartition(".")[0]
    if hit.result_origin != "symbol" or not container:
        return []
    request = SearchRequest(
        query=f"{container}.", paths=[_as_glob(hit.source)], max_items=SIBLINGS + 1
    )
    return [symbol for symbol in names.named(request) if symbol.hit.title != hit.title][:SIBLINGS]


def _mentioned(names: SymbolLookup, hit: TextHit) -> Iterator[NameHit]:
    """Yields the symbols that a text links to or mentions."""
    if hit.result_origin == "symbol":
        return
    links = [str(link).partition("#")[2] for link in hit.metadata.get("links") or ()]
    mentions = (match[0] for match in _NAMED.finditer(hit.content[:MOST_READ]))
    yield from _exact(names, dict.fromkeys([*filter(None, links), *mentions]), MENTIONED)


def _exact(names: SymbolLookup, candidates: Iterable[str], most: int) -> Iterator[NameHit]:
    """Yields up to `most` symbols whose name is one of the candidates; looks up four times as many
    candidates at most."""
    n_found = 0
    for number, name in enumerate(candidates):
        if n_found == most or number == 4 * most:
            return
        with suppress(RequestError):
            for symbol in names.named(SearchRequest(query=name, max_items=1, fuzzy=False)):
                if symbol.is_exact:
                    n_found += 1
                    yield symbol


def _callers(names: SymbolLookup, hit: TextHit, seconds: float) -> Iterator[TextHit]:
    if hit.result_origin != "symbol":
        return
    with suppress(SymindexError):
        for caller in names.calls(hit.id, "callers", CALLS, seconds):
            if caller.id and caller.id != hit.id:
                place, _, line = caller.at.rpartition(":")
                number = int(line) if line.isdigit() else caller.line
                yield _hit_of(caller, place or caller.file_path, number)


def _callees(names: SymbolLookup, hit: TextHit, seconds: float) -> Iterator[TextHit]:
    """Yields the symbols that the code of a symbol calls, where they are defined; those in tests
    only for a test."""
    if hit.result_origin != "symbol":
        return
    is_test = path_flags(hit.source, None) & SymbolFlag.TEST
    with suppress(SymindexError):
        for callee in names.calls(hit.id, "callees", CALLS, seconds):
            in_test = path_flags(callee.file_path, None) & SymbolFlag.TEST
            if callee.id and callee.id != hit.id and (is_test or not in_test):
                yield _hit_of(callee, callee.file_path, callee.line)


def _hit_of(item: RelatedItem, source: str, line: int) -> TextHit:
    return TextHit(
        id=item.id,
        type="symbol",
        title=item.name,
        source=source,
        line=line,
        content=item.text,
        score=0.0,
        content_type="code",
        added="",
        result_origin="symbol",
    )


def _as_glob(path: str) -> str:
    """Returns a glob that matches one path alone."""
    return "/" + re.sub(r"([\\*?\[\]{}!])", r"\\\1", path)
