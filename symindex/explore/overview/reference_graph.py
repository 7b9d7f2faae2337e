"""Weighs symbols by how often a random reader of the source tree would come to them.

A reader in a file picks one of the names that it mentions and goes to a file that defines the name:
of several, to one that the file sees by its imports or package (`resolve/modules/links`). Now and
then the reader starts again anywhere. The share of time spent in a file is its PageRank (Brin and
Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998, section 2.1). The weight
of a name's symbols is how often the reader goes there for that name. aider made the first such maps
of repositories for language models (https://aider.chat/2023/10/22/repomap.html). Readers who start
in files of the conversation are personalized PageRank (section 2.1.2).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import F64, Mask
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag
from symindex.resolve.modules.links import APART, Links
from symindex.search.names.centrality import are_aside

DAMPING: Final = 0.85
"""Probability that a reader goes on instead of starting again; the value of the paper."""

ROUNDS: Final = 25
"""Rounds of the power iteration: the first guess keeps a weight of 0.85 ** 25, under 2 %."""

START_ASIDE: Final = 0.1
"""Weight of starting in a test, copy or example; other files have 1. These refer to much that few
readers need."""

FOCUS: Final = 0.9
"""Share of the starts in files in focus, if there are any."""

SELF: Final = 0.1
"""Share of a focused file's rank that its symbols get, regardless of references."""


class Weights(NamedTuple):
    """The weights of one part. rows: by symbol, its share of all references. files: by file, its
    PageRank."""

    rows: F64
    files: F64


def weigh(
    links: Links, parts: Sequence[Part], focus: Sequence[Mask] | None = None
) -> list[Weights]:
    """Returns the weights by part. links: those of the parts. focus: by part and file, whether the
    reader starts there."""
    bases = np.cumsum([0, *(part.index.n_files for part in parts)])
    definitions, edges = links.definitions, _Edges(links, int(bases[-1]))
    rank = edges.page_rank(_starts(parts, focus))
    flow = edges.flow(rank)
    weights = []
    for number, part in enumerate(parts):
        rows = np.zeros(part.index.n_symbols)
        mine = definitions.part == number
        rows[definitions.row[mine]] = flow[mine]
        if focus is not None:
            rows += (
                SELF
                * (rank[bases[number] : bases[number + 1]] * focus[number])[
                    part.index.file_of(np.arange(len(rows)))
                ]
            )
        weights.append(Weights(rows, rank[bases[number] : bases[number + 1]]))
    return weights


class _Edges:
    """Edges from files that mention names to the definitions of the names. n_files: of all
    parts."""

    def __init__(self, links: Links, n_files: int) -> None:
        self._definition, self._source = links.definition, links.source
        self._target = links.definitions.file[links.definition]
        outgoing = np.bincount(self._source, links.weight, n_files)
        self._weight = links.weight / outgoing[self._source]
        self._ends = outgoing == 0
        self._n_files, self._n_definitions = n_files, len(links.definitions.row)

    def page_rank(self, starts: F64) -> F64:
        """Returns the rank of each file. starts: probability that a reader starts there; they sum
        to 1."""
        rank = starts.copy()
        for _ in range(ROUNDS):
            gone: F64 = np.bincount(
                self._target, rank[self._source] * self._weight, self._n_files
            ).astype(np.float64)
            rank = (1 - DAMPING) * starts + DAMPING * (gone + rank[self._ends].sum() * starts)
        return rank

    def flow(self, rank: F64) -> F64:
        """Returns how often a reader comes for each definition."""
        flow: F64 = np.bincount(
            self._definition, rank[self._source] * self._weight, self._n_definitions
        ).astype(np.float64)
        return flow


def _starts(parts: Sequence[Part], focus: Sequence[Mask] | None) -> F64:
    aside = np.concatenate([are_aside(part.index) | _of_tests(part) for part in parts])
    live = np.concatenate(
        [np.ones(part.index.n_files) if part.live is None else part.live for part in parts]
    )
    starts: F64 = np.where(aside > 0, START_ASIDE, 1.0) * live
    starts /= max(starts.sum(), 1e-9)
    if focus is not None and (chosen := np.concatenate(focus) * live).any():
        starts = (1 - FOCUS) * starts + FOCUS * chosen / chosen.sum()
    return starts


def _of_tests(part: Part) -> Mask:
    """Returns by file whether all its symbols are tests or copies."""
    index = part.index
    flags = np.array(
        [bool(traits >> 8 & APART & ~SymbolFlag.LOCAL) for traits in index.columns.traits_of],
        dtype=bool,
    )
    files = index.file_of(np.arange(index.n_symbols))
    aside = np.bincount(files, flags[index.traits], index.n_files)
    mask: Mask = (aside > 0) & (aside == np.bincount(files, minlength=index.n_files))
    return mask
