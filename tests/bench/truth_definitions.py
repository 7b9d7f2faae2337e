"""How often the definition of a used name is found, by a file of truth: each place that a language
server counts as a use of a symbol is asked for its definition."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from symindex import Workspace
from symindex.explore.definition import meaning_of
from symindex.explore.relations.uses import Limits, Use, UseSearch
from symindex.resolve.tree import Tree, find_file
from tests.bench.truth_data import OWN, Symbol, TreeTruth, read_truth

SEED = 20261129
MOST_PLACES = 6
"""Most places of one symbol that are asked about."""


def definition_lines(paths: Sequence[Path], n_wrong: int) -> Iterator[str]:
    """Yields a table of the languages of some files of truth, after `n_wrong` of the faults in the
    half that may be seen."""
    rows = ["| language | half | uses | sure and right | shown | sure, but wrong |"]
    rows.append("|---|---|--:|--:|--:|--:|")
    for path in paths:
        truth = read_truth(path)
        for half in ("seen", "unseen"):
            outcomes: Counter[str] = Counter()
            for tree in truth.trees:
                figures = define_all(tree, half)
                outcomes += figures.outcomes
                if half == "seen":
                    yield from figures.wrong[:n_wrong]
            n_uses, n_sure = outcomes.total() or 1, outcomes["sure"]
            shares = (
                n_sure / n_uses,
                (n_sure + outcomes["possible"]) / n_uses,
                outcomes["wrong"] / max(1, n_sure + outcomes["wrong"]),
            )
            cells = " | ".join(f"{share:.3f}" for share in shares)
            rows.append(f"| {truth.language} | {half} | {n_uses} | {cells} |")
    yield from rows


class DefinitionFigures(NamedTuple):
    """outcomes: `sure`, `possible` (listed), `wrong` (sure and another), `none`. wrong: the
    places of the latter two."""

    outcomes: Counter[str]
    wrong: list[str]


def define_all(truth: TreeTruth, half: str) -> DefinitionFigures:
    """Asks for the definition of places of the symbols of one half."""
    workspace = Workspace(truth.folder)
    outcomes: Counter[str] = Counter()
    wrong: list[str] = []

    def ask(tree: Tree) -> None:
        for symbol in truth.symbols:
            if symbol.half == half:
                _ask(tree, symbol, outcomes, wrong)

    workspace.refresh()
    ask(workspace.source.tree())
    return DefinitionFigures(outcomes, wrong)


def _ask(tree: Tree, symbol: Symbol, outcomes: Counter[str], wrong: list[str]) -> None:
    drawn = random.Random(f"{SEED}{symbol.id}")
    places = [(*place,) for place in symbol.places.get(OWN, ())]
    places = [place for place in places if place != tuple(symbol.name_place)]
    search = UseSearch(tree, Limits(4_000_000, 10.0, 60.0))
    for path, line, column in drawn.sample(places, min(MOST_PLACES, len(places))):
        file = find_file(tree, path)
        if file is None:
            continue
        uses = search.find([symbol.name], only=[file])
        use = next((one for one in uses if _is_at(one, line, column)), None)
        outcome = "none"
        if use is not None:
            meaning = meaning_of(search, use, uses)
            ids = [row.id for row in meaning.rows]
            is_own = any(
                f"{row.file.path}#{row.qualified_name}" == symbol.id.partition("~")[0]
                for row in meaning.rows
            )
            if is_own:
                outcome = "sure" if meaning.is_sure else "possible"
            elif meaning.is_sure:
                outcome = "wrong"
                wrong.append(f"{path}:{line}:{column} {symbol.id}, not {', '.join(ids)}")
            if outcome == "none":
                wrong.append(f"NONE {path}:{line}:{column} {symbol.id}: {ids} {meaning.library}")
        outcomes[outcome] += 1


def _is_at(use: Use, line: int, column: int) -> bool:
    return (use.mention.line, use.mention.column) == (line, column)
