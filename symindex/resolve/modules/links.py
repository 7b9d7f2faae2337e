"""Which definitions the names that files mention may mean, for a whole tree or for a few names.

A mention leads to every definition of its name; if several files have one, to those that its file
sees best by its imports, includes or package (`resolve/modules/sight`).
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np

from symindex.extract.word_lists import mention_hash
from symindex.index.columns.arrays import F64, I32, I64, Mask
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, SymbolFlag, SymbolKind
from symindex.resolve.modules.imported_files import Wanted, sight_of
from symindex.resolve.modules.sight import FOREIGN, Sight
from symindex.resolve.tree import Tree
from symindex.search.names.centrality import Uses, hashes_of_names, mention_hash_of

MOST_DEFINERS: Final = 12
"""Most files that define a name: with more, a mention does not tell which is meant."""

MOST_SYMBOLS: Final = 300
"""Symbols of a tree whose uses are counted: those that would be the first ones if all symbols of a
name were used alike."""

MOST_FILES: Final = 200
MOST_FILES_OF_MANY: Final = 50
"""About as many files with a name are read, if one name is asked for or many are."""

APART: Final = (
    SymbolFlag.TEST
    | SymbolFlag.LOCAL
    | SymbolFlag.DECLARATION
    | SymbolFlag.GENERATED
    | SymbolFlag.VENDORED
)
"""Flags of symbols that do not count as definitions."""


class Definitions(NamedTuple):
    """Symbols that count as definitions, ordered by hash: part, row, file among all, the hash of
    the name, and whether nothing is around it."""

    part: I64
    row: I64
    file: I64
    hash: I64
    is_top: I64


def _definitions(parts: Sequence[Part], bases: I64) -> Definitions:
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
    return Definitions(*(column[order] for column in joined))


def _counts(traits: int) -> bool:
    kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
    return not flags & APART and kind not in (
        SymbolKind.CONSTRUCTOR,
        SymbolKind.SECTION,
        SymbolKind.ITEM,
    )


class _Mentions(NamedTuple):
    """By mention: the file among all, the stored hash of the name, and for how many files it
    counts."""

    source: I64
    name: I64
    n_files: F64


def _all_mentions(parts: Sequence[Part], bases: I64) -> _Mentions:
    sources, names = [], []
    for number, part in enumerate(parts):
        words, files = part.index.mentions.all()
        if part.live is not None:
            words, files = words[part.live[files]], files[part.live[files]]
        sources.append(files + bases[number])
        names.append(part.index.mentions.hashes[words])
    source = np.concatenate(sources).astype(np.int64)
    return _Mentions(source, np.concatenate(names).astype(np.int64), np.ones(len(source)))


def _sampled_mentions(
    parts: Sequence[Part], bases: I64, names: Iterable[str], most_files: int
) -> _Mentions:
    """Returns mentions of a few names. Which files are read depends on their paths alone, so that
    edits lead to the same sample as a new index."""
    empty = np.zeros(0, dtype=np.int64)
    columns = [_Mentions(empty, empty, empty.astype(np.float64))]  # if there is no name
    for name in sorted(set(map(mention_hash, names))):
        of_parts = [
            (part, files if part.live is None else files[part.live[files]])
            for part in parts
            for files in [part.index.mentions.files(name)]
        ]
        step = max(1, -(-sum(len(files) for _, files in of_parts) // most_files))
        sampled = [
            files[_paths_hashed(part, files) % step == 0] + bases[number]
            for number, (part, files) in enumerate(of_parts)
        ]
        source = np.concatenate(sampled).astype(np.int64)
        counts = np.full(len(source), step, dtype=np.float64)
        columns.append(_Mentions(source, np.full(len(source), name), counts))
    source, hashes, counts = (np.concatenate(column) for column in zip(*columns, strict=True))
    return _Mentions(source, hashes, counts)


def _paths_hashed(part: Part, files: I64) -> I64:
    paths = part.index.paths.take(files)
    return np.array([crc32((part.prefix + path).encode()) for path in paths], dtype=np.int64)


class Links(NamedTuple):
    """Links from files to definitions. Files are numbered over all parts.

    definitions: all that count. source: by link, the file that mentions the name. definition: by
    link, the number of the definition. weight: by link, how many files it counts for; a file
    counts once, however many definitions it may mean. several: the definitions whose names have
    others, but no more than MOST_DEFINERS.
    """

    definitions: Definitions
    source: I64
    definition: I64
    weight: F64
    several: I64


def links_of(
    tree: Tree,
    parts: Sequence[Part],
    names: Collection[str] | None = None,
    most_files: int = MOST_FILES,
) -> Links:
    """Returns the links of the files of some parts. names: those that count, of each in up to about
    `most_files` files; default: all names in all files."""
    bases = np.cumsum([0, *(part.index.n_files for part in parts)])
    definitions = _definitions(parts, bases)
    sources, mentioned, n_files = (
        _all_mentions(parts, bases)
        if names is None
        else _sampled_mentions(parts, bases, names, most_files)
    )
    hashes = mention_hash_of(definitions.hash)
    first = np.searchsorted(hashes, mentioned)
    counts = np.searchsorted(hashes, mentioned, side="right") - first
    is_link = (counts > 0) & (counts <= MOST_DEFINERS)
    sources, mentioned, n_files = sources[is_link], mentioned[is_link], n_files[is_link]
    first, counts = first[is_link], counts[is_link]
    mention = np.repeat(np.arange(len(sources)), counts)
    offset = np.arange(len(mention)) - np.repeat(np.cumsum(counts) - counts, counts)
    definition = np.repeat(first, counts) + offset
    several = counts > 1
    is_wanted = np.bincount(sources[several], minlength=int(bases[-1])) > 0
    wanted = Wanted(is_wanted, np.unique(mentioned[several]), hashes, definitions.file)
    is_meant = ~several[mention]
    of_several = np.flatnonzero(several[mention])
    is_meant[of_several] = _are_meant(
        sight_of(tree, parts, wanted),
        definitions,
        definition[of_several],
        mention[of_several],
        sources,
    )
    chosen, mention = definition[is_meant], mention[is_meant]
    weight = (n_files / np.maximum(np.bincount(mention, minlength=len(sources)), 1))[mention]
    return Links(definitions, sources[mention], chosen, weight, np.unique(definition[of_several]))


def count_uses(tree: Tree, parts: Sequence[Part], points: Sequence[I32]) -> list[Uses]:
    """Returns by part the uses of symbols that share their names, as far as their names are among
    those with the most points. points: by part and row."""
    live = [
        of_part if part.live is None else np.where(part.hidden.live, of_part, 0)
        for part, of_part in zip(parts, points, strict=True)
    ]
    every = np.concatenate(live)
    least = np.partition(every, -MOST_SYMBOLS)[-MOST_SYMBOLS] if len(every) > MOST_SYMBOLS else 0
    names: set[str] = set()
    for part, of_part in zip(parts, live, strict=True):
        rows = np.flatnonzero(of_part >= max(least, 1))
        names.update(part.index.names.take(np.unique(part.index.name_of(rows))))
    return uses_of(links_of(tree, parts, names, MOST_FILES_OF_MANY), parts)


def uses_of(links: Links, parts: Sequence[Part]) -> list[Uses]:
    """Returns by part the symbols that share their names with others, and how many files mention
    each, as far as these tell which they mean."""
    counts = np.bincount(links.definition, links.weight, len(links.definitions.row))
    uses = []
    for number in range(len(parts)):
        own = links.several[links.definitions.part[links.several] == number]
        uses.append(Uses(links.definitions.row[own], counts[own]))
    return uses


def _are_meant(
    sight: Sight, definitions: Definitions, definition: I64, mention: I64, sources: I64
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
