"""Makes the map of a source tree: the symbols that matter most, grouped by file, as many as fit."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

import numpy as np

from symindex.errors import EmptyFolderError, RequestError
from symindex.explore.chosen_paths import ChosenPaths, choose_paths
from symindex.explore.missing import NO_FILES, nothing_there, told_of
from symindex.explore.overview.reference_graph import Weights, weigh
from symindex.explore.targets.names import symbols_named
from symindex.files.skips import SkipReason
from symindex.index.columns.arrays import F64, I32, Mask
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag
from symindex.protocol.overview import MapFile, MapFolder, MapRequest, MapResponse, MapSymbol
from symindex.protocol.search import add_notices
from symindex.requests import check_limit, check_texts
from symindex.resolve.modules.links import links_of, uses_of
from symindex.resolve.tree import IndexedFile, Row, Tree, indexed_files, is_glob
from symindex.search.names.centrality import central_points
from symindex.text.counts import count_of
from symindex.text.escaping import shorten
from symindex.text.token_budget import estimate_tokens

MOST_CONSIDERED: Final = 6_000
"""Most symbols that are considered, the heaviest: more than any budget needs."""

MOST_FOLDERS: Final = 12

MOST_SIGNATURE: Final = 70
"""Most characters of a signature: its beginning tells what a symbol is."""

KIND_WEIGHTS: Final = (1.0, 0.2, 0.05, 0.1, 0.05)
"""Weights of references by KindRow.quality: a type represents all its members, and a reader needs
to know it first."""

UNUSED: Final = 1e-9
"""Weight of a symbol without references: it is shown if there is room."""

MEMBER: Final = 0.25
"""Factor for a member: it belongs to a type that is shown."""

CENTRAL: Final = 1.5
"""Exponent of how central a symbol is: its content, docs and place (`search/names/centrality`). A
third of it if the request has a focus."""

_ASIDE: Final = (
    SymbolFlag.TEST
    | SymbolFlag.LOCAL
    | SymbolFlag.GENERATED
    | SymbolFlag.VENDORED
    | SymbolFlag.DECLARATION
)
_PRIVATE: Final = 0.4

MOST_OF_FILE: Final = 0.06
LEAST_OF_FILE: Final = 60
"""The share of a map that one file may take while others have something to show, and the tokens
that it may always take."""


class _Chosen(NamedTuple):
    score: float
    row: Row


def make_map(tree: Tree, request: MapRequest) -> MapResponse:
    """Answers a request. Raises RequestError for a path that does not exist, and for an empty
    tree."""
    check_limit("max_tokens", request.max_tokens)
    check_texts([], *(("focus", text) for text in request.focus))
    paths = [file.path for file in indexed_files(tree)]
    chosen = choose_paths(tree, request.path, paths) if request.path else None
    path = ", ".join(chosen.shown) if chosen is not None else ""
    parts = [part for part in tree.snapshot.parts if part.index.n_files]
    if not any(part.index.n_symbols for part in parts):
        raise EmptyFolderError(NO_FILES)
    masks = [_mask(part, chosen) for part in parts]
    if not any(mask.any() for mask in masks):
        raise nothing_there(tree, path)
    notices = chosen.notices if chosen is not None else []
    focus = _in_focus(tree, parts, request.focus, notices)
    ranks = _ranks(tree, parts, focus)
    heaviest = _heaviest(parts, ranks, masks, CENTRAL if focus is None else CENTRAL / 3)
    files, folders = _fit(heaviest, request.max_tokens), _folders(parts, masks, path)
    if len(folders) > MOST_FOLDERS:
        more = count_of(len(folders) - MOST_FOLDERS, "smaller folder is", "smaller folders are")
        notices = [*notices, f"{more} not listed"]
    counted = [mask & _with_symbols(part) for part, mask in zip(parts, masks, strict=True)]
    n_symbols = sum(
        int(np.diff(part.index.file_first)[mask].sum())
        for part, mask in zip(parts, counted, strict=True)
    )
    if (
        path
        and not n_symbols
        and (skip := tree.left_out(path)) is not None
        and skip.reason is SkipReason.UNREADABLE
    ):
        raise RequestError(told_of(path, skip))
    response = MapResponse(
        request=request,
        path=path,
        files=files,
        files_in_all=sum(int(mask.sum()) for mask in counted),
        symbols_in_all=n_symbols,
        folders=folders[:MOST_FOLDERS],
    )
    add_notices(response, notices)
    return response


def _mask(part: Part, chosen: ChosenPaths | None) -> Mask:
    """Returns by file of a part whether it is shown."""
    live = np.ones(part.index.n_files, dtype=bool) if part.live is None else part.live
    if chosen is None:
        return live
    selected: Mask = np.array(
        [chosen.keeps(part.prefix + path) for path in part.index.paths.all], dtype=bool
    )
    return live & selected


def _with_symbols(part: Part) -> Mask:
    mask: Mask = np.diff(part.index.file_first) > 0
    return mask


class _Ranks(NamedTuple):
    """By part: how often a reader comes to its symbols, and how central they are."""

    weights: list[Weights]
    points: list[I32]


def _ranks(tree: Tree, parts: Sequence[Part], focus: Sequence[Mask] | None) -> _Ranks:
    memo: Any = tree.snapshot.memo
    if focus is None and "map" in memo:
        cached: _Ranks = memo["map"]
        return cached
    links = links_of(tree, parts)
    ranks = _Ranks(weigh(links, parts, focus), central_points(parts, uses_of(links, parts)))
    if focus is None:
        memo["map"] = ranks
    return ranks


def _in_focus(
    tree: Tree, parts: Sequence[Part], focus: Sequence[str], notices: list[str]
) -> list[Mask] | None:
    """Returns by part and file whether the focus names it or a symbol in it; `None` without a
    focus. notices: those about names that match nothing are added."""
    masks = [np.zeros(part.index.n_files, dtype=bool) for part in parts]
    numbers = {id(part): number for number, part in enumerate(parts)}
    for text in focus:
        files = [
            meant.row.file for meant in symbols_named(tree, text.rpartition("#")[2])
        ] or _files_of(tree, text)
        for file in files:
            if id(file.part) in numbers:
                masks[numbers[id(file.part)]][file.number] = True
        if not files:
            notices.append(
                f"focus: nothing is named {shorten(text, 100)}, neither a symbol nor a file"
            )
    return masks if any(mask.any() for mask in masks) else None


def _files_of(tree: Tree, path: str) -> list[IndexedFile]:
    """Returns the files that a path, folder or glob means; none if it leads out of the roots."""
    files = indexed_files(tree)
    with suppress(RequestError):
        keeps = choose_paths(tree, path, [file.path for file in files]).keeps
        return [file for file in files if keeps(file.path)]
    return []


def _heaviest(
    parts: Sequence[Part], ranks: _Ranks, masks: Sequence[Mask], exponent: float
) -> list[_Chosen]:
    """Returns the symbols that count, heaviest first, equal ones by path and line. exponent: of how
    central they are."""
    symbols: list[_Chosen] = []
    weights, central = ranks
    most = max((_most_central(*pair) for pair in zip(parts, central, strict=True)), default=1.0)
    for part, weight, mask, points in zip(parts, weights, masks, central, strict=True):
        index = part.index
        factor = np.array([_factor(traits) for traits in index.columns.traits_of])[index.traits]
        rows = np.arange(index.n_symbols)
        nested = index.all_containers() > 0
        scores: F64 = (
            np.sqrt(weight.rows + UNUSED)
            * factor
            * np.where(nested, MEMBER, 1.0)
            * mask[index.file_of(rows)]
        )
        scores = scores * (points / most) ** exponent
        if not (hits := np.flatnonzero(scores)).size:
            continue
        if len(hits) > MOST_CONSIDERED:
            n_less = len(hits) - MOST_CONSIDERED
            hits = hits[scores[hits] >= np.partition(scores[hits], n_less)[n_less]]
        best = hits[np.lexsort((index.place[hits], -scores[hits]))][:MOST_CONSIDERED]
        symbols += [_Chosen(float(scores[row]), Row(part, int(row))) for row in best.tolist()]
    return sorted(
        symbols, key=lambda chosen: (-chosen.score, chosen.row.file.path, chosen.row.line)
    )[:MOST_CONSIDERED]


def _most_central(part: Part, points: I32) -> float:
    """Returns the points of the most central symbol of a part, 1 at least."""
    counting = points if part.live is None else points[part.hidden.live]
    return max(float(counting.max(initial=1)), 1.0)


def _factor(traits: int) -> float:
    kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
    if flags & _ASIDE:
        return 0.0
    return KIND_WEIGHTS[KINDS[kind].quality] * (_PRIVATE if flags & SymbolFlag.PRIVATE else 1.0)


def _fit(chosen: Sequence[_Chosen], room: int) -> list[MapFile]:
    """Returns as many of the heaviest symbols as fit, by file; no file takes more than its share
    while others have some to show."""
    files: dict[str, MapFile] = {}
    spent: Counter[str] = Counter()
    shown: set[tuple[str, str]] = set()
    file_share, room_left = room * MOST_OF_FILE, room
    for share in (file_share, float(room)):
        for score, row in chosen:
            path = row.file.path
            if (path, row.qualified_name) in shown:
                continue
            symbol = _symbol(row, score)
            cost = estimate_tokens(map_row(symbol) + "\n") + (
                0 if path in files else estimate_tokens(path + "\n")
            )
            if cost > room_left:
                break
            if spent[path] + cost > max(share, LEAST_OF_FILE):
                continue
            shown.add((path, row.qualified_name))
            files.setdefault(
                path, MapFile(file_path=path, language=row.file.known_language, symbols=[])
            ).symbols.append(symbol)
            spent[path] += cost
            room_left -= cost
    for file in files.values():
        file.symbols.sort(key=lambda symbol: symbol.line)
    return list(files.values())


def _symbol(row: Row, score: float) -> MapSymbol:
    signature = " ".join(row.index.signature(row.number).split())
    return MapSymbol(
        name=row.qualified_name,
        kind=row.kind_word,
        line=row.line,
        signature=shorten(signature, MOST_SIGNATURE) if signature != row.name else "",
        score=round(1000 * score, 3),
    )


def map_row(symbol: MapSymbol) -> str:
    """Returns a row for a symbol, as a measure of its tokens."""
    return f"- {symbol.line} `{symbol.signature or f'{symbol.kind} {symbol.name}'}`"


def _folders(parts: Sequence[Part], masks: Sequence[Mask], path: str) -> list[MapFolder]:
    """Returns the folders below the path, ordered by their numbers of files with symbols."""
    above = "" if not path or is_glob(path) or path.startswith("!") or ", " in path else f"{path}/"
    counts: Counter[str] = Counter()
    for part, mask in zip(parts, masks, strict=True):
        for number in np.flatnonzero(mask & _with_symbols(part)).tolist():
            folder, slash, _ = (part.prefix + part.index.paths[number])[len(above) :].partition("/")
            if slash:
                counts[folder] += 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [MapFolder(name=name, files=count) for name, count in ordered]
