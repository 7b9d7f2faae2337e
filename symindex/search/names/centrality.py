"""Ranks symbols by how central they are to their tree, whatever the query: what a maintainer would
name first.

Centrality is counted: how many other files mention the name (if several symbols have it, which of
them these files see by their imports: `resolve/modules/links`), how many members the symbol has,
how long its signature and doc are, of what kind it is, and where it is. An empty query lists
symbols in this order, and so does a query of facts alone (`kind:class`). Names are counted over all
parts of a snapshot, so any edits lead to the same order as a new index.

Passes: number the distinct names of all parts by their hashes; count mentions, definitions and
members by name; compute the value of each row; lower all but the best symbol of each name; lower
declarations below their definitions.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple
from zlib import crc32

import msgspec
import numpy as np

from symindex.background import give_way
from symindex.extract.word_lists import MENTION_MASK
from symindex.index.columns.arrays import F32, F64, I32, I64, U8, U32, Mask, Numbers
from symindex.index.columns.columns import Index
from symindex.index.columns.strings import StringTable
from symindex.index.snapshot import Part
from symindex.index.words.postings import first_of_each
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.search.match.names import POINTS

USED: Final = 1.0
MEMBERS: Final = 0.5
DESCRIBED: Final = 0.2
"""Most that each count adds: every file mentions the name; it has many members; its signature and
doc are long."""

ANYWAY: Final = 0.05
"""Value of every symbol, so that kind and place decide if nothing else is known."""

MANY_MEMBERS: Final = 64
SOME_MEMBERS: Final = 0.3
"""Number of members with which MEMBERS counts in full, and the share of MEMBERS from which a
variable is an object."""

MANY_WORDS: Final = 80

ONE_WORD: Final = 0.75
"""Factor of mentions for a name that is a single word: some of them mean something else, in prose
or in another library."""

KIND_WEIGHTS: Final = (1.0, 0.85, 0.35, 0.4, 0.2)
"""Factors by KindRow.quality. Functions have no members to count, so they reach less."""

OBJECT: Final = 2.0
"""Factor of a variable or constant with members: in some languages it is what a class is in
others."""

FLAG_WEIGHTS: Final = (
    (SymbolFlag.LOCAL, 0.1),
    (SymbolFlag.DECLARATION, 0.5),
    (SymbolFlag.PRIVATE, 0.5),
    (SymbolFlag.TEST, 0.15),
    (SymbolFlag.DEPRECATED, 0.5),
    (SymbolFlag.GENERATED | SymbolFlag.VENDORED, 0.2),
)

NESTED: Final = 0.6
"""Factor of members, compared with symbols at the top of a file."""

AGAIN: Final = 0.5
"""Factor of all symbols of a name except the best."""

ASIDE: Final = 0.3
ASIDE_FOLDERS: Final = frozenset(
    {
        "example",
        "examples",
        "_examples",
        "sample",
        "samples",
        "demo",
        "demos",
        "doc",
        "docs",
        "doc_src",
        "docs_src",
        "tutorial",
        "tutorials",
        "bench",
        "benches",
        "benchmark",
        "benchmarks",
        "benchsuite",
        "perf",
        "fuzz",
        "script",
        "scripts",
        "contrib",
        "playground",
        "playgrounds",
    }
)
INNER: Final = 0.7
INNER_FOLDERS: Final = frozenset(
    {"internal", "_internal", "impl", "detail", "details", "compat", "_compat"}
)
"""Factors of symbols in folders whose names say that they use or measure the project, or are not
meant for others."""

DEEPER: Final = 0.94
"""Factor for each folder around a symbol."""

_OBJECTS: Final = (SymbolKind.VARIABLE, SymbolKind.CONSTANT)


class _Counts(msgspec.Struct, frozen=True):
    """Counts by number of a name: files that mention it, symbols that count as its definitions, and
    their members."""

    mentions: F64
    definitions: F64
    members: F64


class Uses(NamedTuple):
    """How many files use each of some symbols. rows: in one part. counts: a file counts as a share
    where it may mean several of them."""

    rows: I64
    counts: F64


CountUses = Callable[[Sequence[Part], Sequence[I32]], Sequence[Uses]]
"""Returns the uses in parts, by part. Its second argument: the points by names alone."""


def central_points(parts: Sequence[Part], uses: Sequence[Uses] = ()) -> list[I32]:
    """Returns the points by part and row, from 1 to below POINTS.

    parts: all parts of a snapshot that contain files. uses: by part, of symbols that share their
    names; all others of a name share equally in the files that mention it.
    """
    distinct, numbers = _number_names([part.index for part in parts])
    counts = _count(parts, distinct, numbers)
    give_way()
    n_files = sum(part.n_files for part in parts)
    values = [
        _values(part.index, counts, of_name, n_files, uses[number] if uses else None)
        for number, (part, of_name) in enumerate(zip(parts, numbers, strict=True))
    ]
    give_way()
    best: F32 = np.zeros(len(distinct), dtype=np.float32)
    for part, of_name, value in zip(parts, numbers, values, strict=True):
        if len(value):
            counting = (
                value if part.live is None else np.where(part.hidden.live, value, np.float32(0))
            )
            np.maximum.at(best, of_name, np.maximum.reduceat(counting, _first(part.index)))
            give_way()
    for part, of_name, value in zip(parts, numbers, values, strict=True):
        value[value < part.index.spread_names(best[of_name])] *= np.float32(AGAIN)
    give_way()
    _yield_to_definitions(parts, numbers, values, _in_both(parts, numbers, len(distinct)))
    return [
        (1 + value * np.float32((POINTS - 2) / (ANYWAY + USED + MEMBERS + DESCRIBED))).astype(
            np.int32
        )
        for value in values
    ]


def _number_names(indexes: Sequence[Index]) -> tuple[U32, list[I64]]:
    """Returns the distinct hashes of all names, and for each index the number of the hash by name.
    Of a million names, about a hundred share a hash."""
    of_index = [
        (_memo(index, "hashes", _distinct_hashes), index.memo["centrality", "numbers"])
        for index in indexes
    ]
    if len(of_index) == 1:
        return of_index[0][0], [of_index[0][1]]
    every = np.sort(
        np.concatenate([hashes for hashes, _ in of_index]), kind="stable"
    )  # stable sorting is faster for arrays that are already in order
    distinct = every[first_of_each(every)]
    return distinct, [np.searchsorted(distinct, hashes)[numbers] for hashes, numbers in of_index]


def _count(parts: Sequence[Part], distinct: U32, numbers: Sequence[I64]) -> _Counts:
    """Returns the counts over all parts, by number of a hash."""
    definitions, members = np.zeros(len(distinct)), np.zeros(len(distinct))
    for part, of_name in zip(parts, numbers, strict=True):
        index = part.index
        if not index.n_symbols:
            continue
        counting = _by_traits(index, _counts)[index.traits]
        if part.live is not None:
            counting &= part.hidden.live
        give_way()
        definitions += np.bincount(
            of_name, np.add.reduceat(counting, _first(index), dtype=np.int64), len(distinct)
        )
        give_way()
        n_members = np.bincount(index.all_containers()[counting], minlength=len(index.containers))
        places = _places(distinct, _memo(index, "containers", _container_hashes))
        members += np.bincount(places[places >= 0], n_members[places >= 0], len(distinct))
    give_way()
    mentions = np.zeros(len(distinct))
    mention_hashes = distinct >> np.uint32(_BITS_BEHIND)
    for part in parts:
        places = _places(part.index.mentions.hashes, mention_hashes)
        counts = np.append(
            part.index.mentions.counts(part.live), 0
        )  # the last is for names without mentions
        mentions += counts[places]
        give_way()
    return _Counts(mentions, definitions, members)


def _places(table: Numbers, searched: Numbers) -> I64:
    """Returns the places of numbers in a sorted table; -1 for numbers that are not in it."""
    places = np.searchsorted(table, searched)
    places[places == len(table)] = 0
    return (
        np.where(table[places] == searched, places, -1)
        if len(table)
        else np.full(len(searched), -1)
    )


def _values(index: Index, counts: _Counts, numbers: I64, n_files: int, uses: Uses | None) -> F32:
    """Returns the value of each row as if it were the best of its name. numbers: the number of the
    hash, by name."""
    if not index.n_symbols:
        return np.zeros(0, dtype=np.float32)
    n_definitions = np.maximum(counts.definitions[numbers], 1)
    of_words = np.where(index.words.counts <= 1, ONE_WORD, 1) * USED
    used = _of_uses(counts.mentions[numbers] / n_definitions, n_files) * of_words
    give_way()
    members = (
        np.minimum(np.log1p(counts.members[numbers] / n_definitions) / math.log1p(MANY_MEMBERS), 1)
        * MEMBERS
    )
    traits, place = index.traits, index.place[:]
    is_object = _by_traits(index, _is_object)[traits] & index.spread_names(
        members > MEMBERS * SOME_MEMBERS
    )
    give_way()
    value: F32 = index.spread_names(members.astype(np.float32))
    value *= _by_traits(index, _has_members)[traits]
    give_way()
    value += index.spread_names((used + ANYWAY).astype(np.float32))
    if uses is not None:
        names = index.name_of(uses.rows)
        own = _of_uses(uses.counts, n_files) * of_words[names]
        value[uses.rows] += (own - used[names]).astype(np.float32)
    give_way()
    value += np.minimum(np.arange(256, dtype=np.float32) / MANY_WORDS, 1)[
        index.u8("text_lengths")[place]
    ] * np.float32(DESCRIBED)
    value *= _weights(index)[traits]
    value[is_object] *= np.float32(OBJECT)
    give_way()
    weight = np.repeat(_memo(index, "files", _file_weights), np.diff(index.file_first))
    weight[index.container_runs.all() > 0] *= np.float32(NESTED)
    value *= weight[place]
    return value


def _of_uses(counts: F64, n_files: int) -> F64:
    """Returns how much symbols are used, from 0 to 1, on a logarithmic scale."""
    of_uses: F64 = np.minimum(np.log1p(counts) / math.log(2 + n_files), 1)
    return of_uses


def _yield_to_definitions(
    parts: Sequence[Part], numbers: Sequence[I64], values: Sequence[F32], in_both: Mask
) -> None:
    """Lowers declarations to the value of the least definition of their qualified name. numbers:
    the number of the hash by part and name."""
    # by part: the rows of these names, which of them are declarations, and their qualified names
    columns = []
    for part, of_rows in zip(parts, numbers, strict=True):
        index = part.index
        may_yield = index.spread_names(in_both[of_rows])
        rows = np.flatnonzero(may_yield if part.live is None else may_yield & part.hidden.live)
        qualified = (
            of_rows[index.name_of(rows)] << 32
            | _memo(index, "qualifiers", _qualifier_hashes)[index.container_of(rows)]
        )
        columns.append((rows, _by_traits(index, _declares)[index.traits[rows]], qualified))
        give_way()
    distinct, number_of = np.unique(
        np.concatenate([qualified for *_, qualified in columns]), return_inverse=True
    )
    of_part = np.split(number_of, np.cumsum([len(rows) for rows, *_ in columns])[:-1])
    least = np.full(len(distinct), np.inf, dtype=np.float32)
    for value, (rows, declares, _), of_rows in zip(values, columns, of_part, strict=True):
        np.minimum.at(least, of_rows[~declares], value[rows[~declares]])
    for value, (rows, declares, _), of_rows in zip(values, columns, of_part, strict=True):
        value[rows[declares]] = np.minimum(value[rows[declares]], least[of_rows[declares]])


def _in_both(parts: Sequence[Part], numbers: Sequence[I64], n_hashes: int) -> Mask:
    """Returns, by number of a hash, whether its names have both declarations and definitions."""
    declared, defined = np.zeros(n_hashes, dtype=bool), np.zeros(n_hashes, dtype=bool)
    for part, of_name in zip(parts, numbers, strict=True):
        index = part.index
        counts = np.bincount(
            index.name_of(np.flatnonzero(_by_traits(index, _declares)[index.traits])),
            minlength=len(of_name),
        )
        declared[of_name[counts > 0]] = True
        defined[of_name[np.diff(index.name_first) > counts]] = True
    return declared & defined


def _first(index: Index) -> I64:
    """Returns the first row of each name."""
    return index.name_first[:-1].astype(np.int64)


def _memo(index: Index, key_name: str, make: Callable[[Index], Numbers]) -> Numbers:
    key = ("centrality", key_name)
    cached = index.memo.get(key)
    if cached is None:
        give_way()
        cached = index.memo[key] = make(index)
    return cached


def _hashes(table: StringTable, part_of: Callable[[bytes], bytes] | None = None) -> U32:
    """Returns the CRC-32 of each text, or of a part of it. The bits by which files record mentions
    come first, so that both are in the same order."""
    checksums = np.empty(len(table), dtype=np.uint32)
    for first in range(0, len(table), _TEXTS_AT_ONCE):
        give_way()
        last = min(first + _TEXTS_AT_ONCE, len(table))
        texts = bytes(table.blob[int(table.offset[first]) : int(table.offset[last])]).split(b"\0")[
            :-1
        ]
        checksums[first:last] = np.fromiter(
            map(crc32, texts if part_of is None else map(part_of, texts)), np.uint32, last - first
        )
    return (checksums & np.uint32(MENTION_MASK)) << np.uint32(
        _BITS_BEHIND
    ) | checksums >> np.uint32(32 - _BITS_BEHIND)


_TEXTS_AT_ONCE: Final = 1 << 14
"""Texts that are hashed between two checks for waiting answers: some milliseconds."""

_BITS_BEHIND: Final = 32 - MENTION_MASK.bit_length()


def hashes_of_names(index: Index) -> U32:
    """Returns the hash of each name, by its number."""
    hashes: U32 = _memo(index, "hashes", _distinct_hashes)[index.memo["centrality", "numbers"]]
    return hashes


def mention_hash_of(hashes: I64) -> I64:
    """Returns the part of hashes of names that mentions record, in the same order."""
    return hashes >> _BITS_BEHIND


def _distinct_hashes(index: Index) -> U32:
    hashes, numbers = np.unique(_hashes(index.names), return_inverse=True)
    index.memo["centrality", "numbers"] = numbers
    return hashes


def _container_hashes(index: Index) -> U32:
    """Returns the hash of each container's last name; 0 for no container, which is hardly ever the
    hash of a name."""
    return _hashes(index.containers, lambda text: text.rpartition(b".")[2])


def _qualifier_hashes(index: Index) -> I64:
    """Returns the hash of each container's qualified name."""
    return _hashes(index.containers).astype(np.int64)


def _file_weights(index: Index) -> F32:
    """Returns the factor of each file, by its folders."""
    folders = [text.lower().split("/") for text in index.folders.all]
    aside = [ASIDE if _is_aside(folder) else 1.0 for folder in index.folders.all]
    inner = [1.0 if INNER_FOLDERS.isdisjoint(parts) else INNER for parts in folders]
    depths = [len(parts) - 1 for parts in folders]
    weights: F32 = (np.array(aside) * np.array(inner) * DEEPER ** np.array(depths)).astype(
        np.float32
    )
    return weights[index.folder_of]


def are_aside(index: Index) -> U8:
    """Returns 1 for each file whose folders say that it uses or measures the project, else 0."""
    cached = _memo(
        index, "aside", lambda index: np.array([*map(_is_aside, index.folders.all)], dtype=np.uint8)
    )
    return cached[index.folder_of]


def _is_aside(folder: str) -> bool:
    return not ASIDE_FOLDERS.isdisjoint(folder.lower().split("/"))


def _by_traits(index: Index, judge: Callable[[SymbolKind, int], bool]) -> Mask:
    """Returns, by number in `traits_of`, what `judge` returns for kind and flags."""
    return np.array(
        [judge(KIND_OF_CODE[traits & 255], traits >> 8) for traits in index.columns.traits_of],
        dtype=bool,
    )


def _weights(index: Index) -> F32:
    """Returns the factor of kind and flags, by number in `traits_of`."""
    weights = [
        _weight(KIND_OF_CODE[traits & 255], traits >> 8) for traits in index.columns.traits_of
    ]
    return np.array(weights, dtype=np.float32)


def _counts(kind: SymbolKind, flags: int) -> bool:
    """Whether a symbol counts as a definition of its name, and as a member of its container."""
    apart = SymbolFlag.DECLARATION | SymbolFlag.TEST | SymbolFlag.LOCAL
    return kind is not SymbolKind.CONSTRUCTOR and not flags & apart


def _declares(_: SymbolKind, flags: int) -> bool:
    return bool(flags & SymbolFlag.DECLARATION)


def _is_object(kind: SymbolKind, _: int) -> bool:
    return kind in _OBJECTS


def _has_members(kind: SymbolKind, _: int) -> bool:
    return KINDS[kind].quality == 0 or kind in _OBJECTS


def _weight(kind: SymbolKind, flags: int) -> float:
    return KIND_WEIGHTS[KINDS[kind].quality] * math.prod(
        weight for flag, weight in FLAG_WEIGHTS if flags & flag
    )
