"""The map of a tree: the symbols that matter most, grouped by file, as many as a budget holds."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from symindex.errors import RequestError
from symindex.explore.missing import NO_FILES, nothing_there
from symindex.explore.overview.reference_graph import Weights, weigh
from symindex.explore.resolve.names import symbols_named
from symindex.explore.tree import Row, Tree, find_file, is_glob, shown_path
from symindex.index.arrays import F64, Mask
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag
from symindex.protocol.overview import MapFile, MapFolder, MapRequest, MapResponse, MapSymbol
from symindex.requests import check_limit, check_texts
from symindex.search.centrality import central_points
from symindex.search.filters import path_files
from symindex.text.escaping import shorten
from symindex.text.token_budget import estimate_tokens

MOST_CONSIDERED: Final = 6_000
"""Of the heaviest symbols; no budget holds more."""

MOST_FOLDERS: Final = 12

MOST_SIGNATURE: Final = 70
"""Characters of a signature: its beginning says what a symbol is."""

KIND_WEIGHTS: Final = (1.0, 0.2, 0.05, 0.1, 0.05)
"""What references count, by KindRow.quality: a type stands for all its members, and is what a reader of the rest must know."""

UNUSED: Final = 1e-9
"""What a symbol weighs that nothing refers to: where there is room, it is shown."""

MEMBER: Final = 0.25
"""What a member counts beside what stands by itself: it belongs to a type that is shown."""

CENTRAL: Final = 1.5
"""How much it counts what a symbol holds, what is said about it and where it stands (`search/centrality`), as an exponent; a
third of it where the reader has said what the map should be about."""

_ASIDE: Final = SymbolFlag.TEST | SymbolFlag.LOCAL | SymbolFlag.GENERATED | SymbolFlag.VENDORED | SymbolFlag.DECLARATION
_PRIVATE: Final = 0.4

MOST_OF_FILE: Final = 0.06
LEAST_OF_FILE: Final = 60
"""The share of a map that one file may take while others have something to show, and the tokens that it always may."""


class _Chosen(NamedTuple):
    score: float
    row: Row


def make_map(tree: Tree, request: MapRequest) -> MapResponse:
    """The answer to a request. Raises RequestError for a path that names nothing, and for an empty tree."""
    check_limit("max_tokens", request.max_tokens)
    check_texts([], *(("focus", text) for text in request.focus))
    path = shown_path(tree, request.path)
    parts = [part for part in tree.snapshot.parts if part.index.n_symbols]
    if not parts:
        raise RequestError(NO_FILES)
    masks = [_mask(part, path) for part in parts]
    if not any(mask.any() for mask in masks):
        raise nothing_there(tree, path)
    weights = _weights(tree, parts, request.focus)
    chosen = _heaviest(parts, weights, masks, CENTRAL if not request.focus else CENTRAL / 3)
    files, folders = _fit(chosen, request.max_tokens), _folders(parts, masks, path)
    counted = [mask & _with_symbols(part) for part, mask in zip(parts, masks, strict=True)]
    n_symbols = sum(int(np.diff(part.index.file_first)[mask].sum()) for part, mask in zip(parts, counted, strict=True))
    return MapResponse(
        request=request,
        path=path,
        files=files,
        files_in_all=sum(int(mask.sum()) for mask in counted),
        symbols_in_all=n_symbols,
        folders=folders,
    )


def _mask(part: Part, path: str) -> Mask:
    """By file of a part: whether it is shown."""
    live = np.ones(part.index.n_files, dtype=bool) if part.live is None else part.live
    if not path:
        return live
    globs = (path,) if is_glob(path) else (f"/{path}", f"/{path}/**")
    return live & path_files(part.index, globs, part.prefix)


def _with_symbols(part: Part) -> Mask:
    found: Mask = np.diff(part.index.file_first) > 0
    return found


def _weights(tree: Tree, parts: Sequence[Part], focus: Sequence[str]) -> list[Weights]:
    if focus:
        return weigh(parts, _in_focus(tree, parts, focus))
    kept: Any = tree.snapshot.memo
    if "map" not in kept:
        kept["map"] = weigh(parts)
    known: list[Weights] = kept["map"]
    return known


def _in_focus(tree: Tree, parts: Sequence[Part], focus: Sequence[str]) -> list[Mask]:
    """By part and file: whether the focus names it, or a symbol of it."""
    masks = [np.zeros(part.index.n_files, dtype=bool) for part in parts]
    numbers = {id(part): number for number, part in enumerate(parts)}
    for text in focus:
        file = find_file(tree, text)
        found = [file] if file is not None else [meant.row.file for meant in symbols_named(tree, text.rpartition("#")[2])]
        for each in found:
            if id(each.part) in numbers:
                masks[numbers[id(each.part)]][each.number] = True
    return masks


def _heaviest(parts: Sequence[Part], weights: Sequence[Weights], masks: Sequence[Mask], exponent: float) -> list[_Chosen]:
    """The symbols that count, the heaviest first. exponent: of how central they are."""
    found: list[_Chosen] = []
    central = central_points(parts)
    for part, weight, mask, points in zip(parts, weights, masks, central, strict=True):
        index = part.index
        factor = np.array([_factor(traits) for traits in index.columns.traits_of])[index.traits]
        rows = np.arange(index.n_symbols)
        nested = index.all_containers() > 0
        scores: F64 = np.sqrt(weight.rows + UNUSED) * factor * np.where(nested, MEMBER, 1.0) * mask[index.file_of(rows)]
        scores = scores * (points / max(float(points.max()), 1.0)) ** exponent
        best = np.argsort(-scores, kind="stable")[:MOST_CONSIDERED]
        found += [_Chosen(float(scores[row]), Row(part, int(row))) for row in best.tolist() if scores[row] > 0]
    return sorted(found, key=lambda chosen: (-chosen.score, chosen.row.file.path, chosen.row.line))[:MOST_CONSIDERED]


def _factor(traits: int) -> float:
    kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
    if flags & _ASIDE:
        return 0.0
    return KIND_WEIGHTS[KINDS[kind].quality] * (_PRIVATE if flags & SymbolFlag.PRIVATE else 1.0)


def _fit(chosen: Sequence[_Chosen], room: int) -> list[MapFile]:
    """As many of the heaviest as there is room for, by file; no file takes more than its share while others have some to show."""
    files: dict[str, MapFile] = {}
    spent: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    most, left = room * MOST_OF_FILE, room
    for share in (most, float(room)):
        for score, row in chosen:
            path = row.file.path
            if (path, row.qualified_name) in seen:
                continue
            symbol = _symbol(row, score)
            cost = estimate_tokens(map_row(symbol) + "\n") + (0 if path in files else estimate_tokens(path + "\n"))
            if cost > left:
                break
            if spent[path] + cost > max(share, LEAST_OF_FILE):
                continue
            seen.add((path, row.qualified_name))
            files.setdefault(path, MapFile(file_path=path, language=row.file.known_language, symbols=[])).symbols.append(symbol)
            spent[path] += cost
            left -= cost
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
    """A symbol as a row of a map costs about this."""
    return f"- {symbol.line} `{symbol.signature or f'{symbol.kind} {symbol.name}'}`"


def _folders(parts: Sequence[Part], masks: Sequence[Mask], path: str) -> list[MapFolder]:
    """The folders below the path, by how many files with symbols they hold."""
    above = "" if is_glob(path) or not path else f"{path}/"
    counts: Counter[str] = Counter()
    for part, mask in zip(parts, masks, strict=True):
        for number in np.flatnonzero(mask & _with_symbols(part)).tolist():
            folder, slash, _ = (part.prefix + part.index.paths[number])[len(above) :].partition("/")
            if slash:
                counts[folder] += 1
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_FOLDERS]
    return [MapFolder(name=name, files=count) for name, count in ordered]
