"""Answers a request for the symbols that nothing uses.

Only what can be believed is listed: a symbol that other programs cannot reach, in a language with
rules for it, whose name nothing else contains where the language can see it.
"""

from collections.abc import Iterator
from itertools import groupby

from symindex.errors import RequestError
from symindex.explore.chosen_paths import choose_paths
from symindex.explore.missing import nothing_there
from symindex.explore.unused.candidates import Reach, candidates_of, judged_files
from symindex.explore.unused.families import Families
from symindex.explore.unused.search import NameSearch, Unused
from symindex.protocol.kinds import expand_kinds
from symindex.protocol.search import add_notices
from symindex.protocol.unused import UnusedFile, UnusedRequest, UnusedResponse, UnusedSymbol
from symindex.requests import check_limit
from symindex.resolve.tree import Tree, indexed_files
from symindex.search.answer.filters import Filter
from symindex.text.counts import count_of


def find_unused(
    tree: Tree, request: UnusedRequest, most_bytes: int, seconds: float
) -> UnusedResponse:
    """Answers a request. Raises RequestError for a path, kind or language that does not exist."""
    check_limit("max_items", request.max_items)
    if request.start_index < 0:
        raise RequestError(f"start_index is {request.start_index}: it must be 0 or more")
    kinds = expand_kinds(request.kinds) if request.kinds else None
    languages = frozenset(map(tree.languages.id_of, request.languages or ()))
    chosen = choose_paths(tree, request.path or "", [one.path for one in indexed_files(tree)])
    if request.path and not any(chosen.keeps(one.path) for one in indexed_files(tree)):
        raise nothing_there(tree, ", ".join(chosen.shown))
    files, others = judged_files(tree, Filter((), languages, ()), chosen.keeps)
    with_candidates = {}
    for file in files:
        candidates = [*candidates_of(file, kinds, request.exported)]
        if candidates:
            with_candidates[file.file.path] = (file, candidates)
    search = NameSearch(tree, with_candidates, most_bytes, seconds)
    families = Families(tree)
    found = sorted(
        (one for one in search.unused() if families.let_go(one.row)),
        key=lambda one: (one.row.file.path, one.row.line, one.row.number),
    )
    end = request.start_index + request.max_items
    response = UnusedResponse(
        request=request,
        files=[*_by_file(found[request.start_index : end])],
        total=len(found),
        judged=sum(len(candidates) for _, candidates in with_candidates.values()),
        searched=search.reading.n_read,
        is_whole=search.is_whole,
        has_more=end < len(found),
    )
    add_notices(response, chosen.notices if request.path else ())
    _tell(response, search, others)
    return response


def _by_file(found: list[Unused]) -> Iterator[UnusedFile]:
    for file, several in groupby(found, key=lambda one: one.row.file):
        symbols = [
            UnusedSymbol(
                name=one.row.qualified_name,
                kind=one.row.kind_word,
                line=one.row.line,
                id=one.row.id,
                reason=_reason(one),
            )
            for one in several
        ]
        yield UnusedFile(file_path=file.path, language=file.known_language, symbols=symbols)


_PLACES = {
    Reach.FUNCTION: "in its function",
    Reach.FILE: "in its file",
    Reach.FOLDER: "in its folder",
    Reach.TREE: "in any file",
    Reach.ANYWHERE: "in any file",
}


def _reason(one: Unused) -> str:
    """Returns why a symbol counts as unused."""
    named = "nothing names it" if one.own == "nowhere" else f"it is named only {one.own}"
    return f"{one.reach}: {named}{f' {_PLACES[one.reach]}' if one.own == 'nowhere' else ''}"


def _tell(response: UnusedResponse, search: NameSearch, others: list[str]) -> None:
    """Adds notices about what was not searched or judged."""
    reading = search.reading
    if not search.is_whole:
        add_notices(
            response,
            [
                f"the time was over after {reading.n_read:,} of"
                f" {count_of(reading.n_files, 'file')}: symbols that several files may use are"
                " left out; allow more seconds"
            ],
        )
    left_out = len(reading.unread) + len(reading.too_large)
    if left_out:
        first = [*reading.unread, *reading.too_large][0]
        files = count_of(left_out, "file was", "files were")
        add_notices(response, [f"{files} not searched for names, as {first}"])
    if others:
        add_notices(response, [f"not judged, for lack of rules: {', '.join(others)}"])
