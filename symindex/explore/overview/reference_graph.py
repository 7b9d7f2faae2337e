"""Weighs symbols by how often a random reader of the source tree would come to them.

A reader in a file picks one of the names that it mentions and goes to a file that defines the name:
of several, to one that the file sees by its imports or package (`resolve/modules/sight`). Now and
then the reader starts again anywhere. The share of time spent in a file is its PageRank (Brin and
Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998, section 2.1). The weight
of a name's symbols is how often the reader goes there for that name. aider made the first such maps
of repositories for language models (https://aider.chat/2023/10/22/repomap.html). Readers who start
in files of the conversation are personalized PageRank (section 2.1.2).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.index.columns.arrays import F64, I64, Mask
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, SymbolFlag, SymbolKind
from symindex.resolve.modules.imported_files import Wanted, sight_of
from symindex.resolve.modules.sight import FOREIGN, Sight
from symindex.resolve.tree import Tree
from symindex.search.names.centrality import are_aside, hashes_of_names, mention_hash_of

DAMPING: Final = 0.85
"""Probability that a reader goes on instead of starting again; the value of the paper."""

ROUNDS: Final = 25
"""Rounds of the power iteration: the first guess keeps a weight of 0.85 ** 25, under 2 %."""

MOST_DEFINERS: Final = 12
"""Most files that define a name: with more, a mention does not tell which is meant."""

START_ASIDE: Final = 0.1
"""Weight of starting in a test, copy or example; other files have 1. These refer to much that few
readers need."""

FOCUS: Final = 0.9
"""Share of the starts in files in focus, if there are any."""

SELF: Final = 0.1
"""Share of a focused file's rank that its symbols get, regardless of references."""

_APART: Final = (
    SymbolFlag.TEST
    | SymbolFlag.LOCAL
    | SymbolFlag.DECLARATION
    | SymbolFlag.GENERATED
    | SymbolFlag.VENDORED
)


class Weights(NamedTuple):
    """The weights of one part. rows: by symbol, its share of all references. files: by file, its
    PageRank."""

    rows: F64
    files: F64


def weigh(tree: Tree, parts: Sequence[Part], focus: Sequence[Mask] | None = None) -> list[Weights]:
    """Returns the weights by part. focus: by part and file, whether the reader starts there."""
    bases = np.cumsum([0, *(part.index.n_files for part in parts)])
    definitions = _definitions(parts, bases)
    sources, names = _mentions(parts, bases)
    edges = _Edges(tree, parts, definitions, sources, names)
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


class _Definitions(NamedTuple):
    """Symbols that count as definitions, ordered by hash: part, row, file among all, the hash of
    the name, and whether nothing is around it."""

    part: I64
    row: I64
    file: I64
    hash: I64
    is_top: I64


def _definitions(parts: Sequence[Part], bases: I64) -> _Definitions:
    columns: list[tuple[I64, ...]] = []
    for number, part in enumerate(parts):
        index = part.index
        counts = np.array([_counts(traits) for traits in index.columns.traits_of], dtype=bool)[
            index.traits
        ]
        rows = np.flatnonzero(counts)
        files = index.file_of(rows)
        if part.live is not None:
            rows, files = rows[part.live[files]], files[part.live[files]]
        hashes = hashes_of_names(index)[index.name_of(rows)].astype(np.int64)
        is_top = index.all_containers()[rows] == 0
        columns.append((np.full(len(rows), number), rows, files + bases[number], hashes, is_top))
    joined = [np.concatenate(column) for column in zip(*columns, strict=True)]
    order = np.argsort(joined[3], kind="stable")
    return _Definitions(*(column[order] for column in joined))


def _counts(traits: int) -> bool:
    kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
    return not flags & _APART and kind not in (
        SymbolKind.CONSTRUCTOR,
        SymbolKind.SECTION,
        SymbolKind.ITEM,
    )


def _mentions(parts: Sequence[Part], bases: I64) -> tuple[I64, I64]:
    """Returns for each mention the file among all, and the stored hash of the name."""
    sources, names = [], []
    for number, part in enumerate(parts):
        words, files = part.index.mentions.all()
        if part.live is not None:
            words, files = words[part.live[files]], files[part.live[files]]
        sources.append(files + bases[number])
        names.append(part.index.mentions.hashes[words])
    return np.concatenate(sources).astype(np.int64), np.concatenate(names).astype(np.int64)


class _Edges:
    """Edges from files that mention names to the definitions of the names."""

    def __init__(
        self, tree: Tree, parts: Sequence[Part], definitions: _Definitions, sources: I64, names: I64
    ) -> None:
        n_files = sum(part.index.n_files for part in parts)
        hashes = mention_hash_of(definitions.hash)
        first, last = np.searchsorted(hashes, names), np.searchsorted(hashes, names, side="right")
        counts = last - first
        is_edge = (counts > 0) & (counts <= MOST_DEFINERS)
        sources, names = sources[is_edge], names[is_edge]
        first, counts = first[is_edge], counts[is_edge]
        mention = np.repeat(np.arange(len(sources)), counts)
        offset = np.arange(len(mention)) - np.repeat(np.cumsum(counts) - counts, counts)
        definition = np.repeat(first, counts) + offset
        several = counts > 1
        wanted = np.bincount(sources[several], minlength=n_files) > 0
        sight = sight_of(
            tree, parts, Wanted(wanted, np.unique(names[several]), hashes, definitions.file)
        )
        is_meant = ~several[mention]
        of_several = np.flatnonzero(several[mention])
        is_meant[of_several] = _are_meant(
            sight, definitions, definition[of_several], mention[of_several], sources
        )
        self._definition, mention = definition[is_meant], mention[is_meant]
        self._source = sources[mention]
        self._target = definitions.file[self._definition]
        # a name counts once, however many files it may lead to
        weight = 1.0 / np.bincount(mention, minlength=len(sources))[mention]
        outgoing = np.bincount(self._source, weight, n_files)
        self._weight = weight / outgoing[self._source]
        self._ends = outgoing == 0
        self._n_files, self._n_definitions = n_files, len(definitions.row)

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


def _are_meant(
    sight: Sight, definitions: _Definitions, definition: I64, mention: I64, sources: I64
) -> Mask:
    """Returns by edge whether its mention may mean its definition: those that the mention's file
    sees best are meant, and none of what it imports from a library.

    definition, mention: of the edges, which are in the order of mentions. sources: by mention.
    """
    if not len(mention):
        return np.zeros(0, dtype=bool)
    names = mention_hash_of(definitions.hash[definition])
    ranks = sight.ranks(
        sources[mention], names, definitions.file[definition], definitions.is_top[definition] > 0
    )
    starts = np.flatnonzero(np.diff(mention, prepend=-1))
    lengths = np.diff(np.append(starts, len(mention)))
    best = np.repeat(np.maximum.reduceat(ranks, starts), lengths)
    mask: Mask = (ranks == best) & (ranks != FOREIGN)
    return mask


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
        [bool(traits >> 8 & _APART & ~SymbolFlag.LOCAL) for traits in index.columns.traits_of],
        dtype=bool,
    )
    files = index.file_of(np.arange(index.n_symbols))
    aside = np.bincount(files, flags[index.traits], index.n_files)
    mask: Mask = (aside > 0) & (aside == np.bincount(files, minlength=index.n_files))
    return mask
