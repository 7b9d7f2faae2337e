"""Computes which of several good hits is likelier meant: by what it is, where it is, and how much
it is used.

A name alone cannot tell the type at the heart of a tree from a helper, a copy or an older version
of the same name. Uses can: a file that mentions a name mostly means the definition that is nearest
in the tree of folders; and among methods, the one whose class is mentioned most is usually the
interface rather than an implementation.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np

from symindex.extract.word_lists import is_distinctive, mention_hash
from symindex.index.columns.arrays import F32, F64, I64
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, KINDS, SymbolFlag, SymbolKind
from symindex.search.match.names import last_part
from symindex.search.names.centrality import ASIDE, ASIDE_FOLDERS, DEEPER, INNER, INNER_FOLDERS
from symindex.search.names.usage import usage
from symindex.text.folding import squashed

KIND_WEIGHTS: Final = (1.0, 0.85, 0.35, 0.85, 0.2)
"""Factors by KindRow.quality."""

INTERFACE: Final = 1.1
MEMBER_OF_INTERFACE: Final = 1.25
"""Factors of an interface or trait compared with its implementations, and of its members, whose
implementations have the same name."""

_INTERFACES: Final = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})

FLAG_WEIGHTS: Final = ((SymbolFlag.PRIVATE, 0.6), (SymbolFlag.DEPRECATED, 0.5))
NOT_EXPORTED: Final = 0.8
"""Factor of a symbol that is not marked as usable by others."""

ANYWAY: Final = 0.1
USED: Final = 1.0
OWNER_USED: Final = 0.4
USED_WITH_OWNER: Final = 0.4
DESCRIBED: Final = 0.2
MANY_WORDS: Final = 80
"""Addends: of every symbol; at most, if every file mentions its name, its container's name, or
both; at most, if its signature and doc have MANY_WORDS words."""

MEMBER: Final = 0.6
NESTED: Final = 0.9
"""Factor of a symbol inside another, unless it is a type or namespace; and factor of any symbol for
each symbol around it."""

_NAMESPACES: Final = frozenset({SymbolKind.MODULE, SymbolKind.NAMESPACE, SymbolKind.PACKAGE})

OF_THAT_NAME: Final = 1.5
OF_ABOUT_THAT_NAME: Final = 1.3
IN_FOLDER_OF_THAT_NAME: Final = 1.2
"""Factors of a symbol in a file of its name (`Ser.cs`); in a file whose name has more or is its
plural or singular (`Ser.Json.cs`, `args.go` for `Arg`); in a folder of its name."""

STANDS_IN: Final = 0.4
LEGACY: Final = 0.4
_STAND_INS: Final = re.compile(
    r"(?:^|[/_.-])(?:mock|mocks|fake|fakes|stub|stubs|shim|shims|dummy|testutils?|test[_-]?helpers?)(?:[/_.-]|$)",
    re.IGNORECASE,
)
_LEGACY: Final = re.compile(
    r"(?:^|[/_.-])(?:legacy|compat|obsolete|old|backports?)(?:[/_.-]|$)", re.IGNORECASE
)
SCRIPTS: Final = 0.4
"""Factor of a symbol in a folder of scripts, whose `main` is not the program's."""

_SCRIPTS: Final = frozenset({"ci", ".ci", ".github", "scripts", "script", "hack"})
_VERSION: Final = re.compile(r"(?:^|/)v(\d{1,3})(?=/)")

NEAREST: Final = 0.7
"""Share of a use that goes to the nearest definitions, if the using file's folder has none; all
definitions share the rest equally."""

_MOST_INTERFACES: Final = 1_000
"""Most interfaces of a file that are compared with the container of a hit in it."""

_MOST_ORDERS: Final = 500
"""Orders that are cached, of some kilobytes each."""

_LEAST: Final = 1e-6

_VISIBILITY: Final = (SymbolFlag.EXPORTED | SymbolFlag.PRIVATE).value

_MOST_FOLDERS: Final = 256
"""Most folders whose mentions of a name are counted, those with the most mentions first."""


class PartCandidates(NamedTuple):
    """Hits of one part. number: the number of the part. places: those among all compared hits.
    rows: their rows in the part."""

    number: int
    places: I64
    rows: I64


class CountedValues(msgspec.Struct, frozen=True):
    """Values that were computed for a snapshot, by part; 0 for those that were not. values: by row.
    owners: by container, how much its name is used. orders: the new places of hits, by everything
    that their order depends on."""

    values: list[F32]
    owners: list[F32]
    orders: dict[Hashable, I64]

    @classmethod
    def of(cls, memo: dict[Any, Any], parts: Sequence[Part]) -> "CountedValues":
        """Returns the values of the snapshot with this memo."""
        cached: CountedValues | None = memo.get("likelihood of hits")
        if cached is None:
            values = [np.zeros(part.index.n_symbols, dtype=np.float32) for part in parts]
            cached = cls(
                values,
                [np.zeros(len(part.index.containers), dtype=np.float32) for part in parts],
                {},
            )
            memo["likelihood of hits"] = cached
        return cached

    def keep_order(self, key: Hashable, order: I64) -> I64:
        """Caches an order, and returns it."""
        if len(self.orders) >= _MOST_ORDERS:
            self.orders.clear()
        self.orders[key] = order
        return order


def likelihoods(
    counted: CountedValues, parts: Sequence[Part], candidates: Sequence[PartCandidates], count: int
) -> F64:
    """Returns, by hit, how likely it is meant, as a number that is only comparable with other hits.
    parts: all parts of the snapshot."""
    values = np.zeros(count)
    for number, places, rows in candidates:
        of_part = counted.values[number][rows]
        if not of_part.all():
            missing = rows[of_part == 0]
            counted.values[number][missing] = _values(counted, parts, number, missing)
            of_part = counted.values[number][rows]
        values[places] = of_part
    return values


def _values(
    counted: CountedValues,
    parts: Sequence[Part],
    number: int,
    rows: I64,
    of_names: F64 | None = None,
    name: str = "",
) -> F64:
    """Returns the values of rows of a part. of_names: how much the name of each row is used, if
    that is known better than for all rows of the name. name: the name of all rows, if `of_names` is
    given."""
    index, every = parts[number].index, parts
    names = index.name_of(rows)
    is_of_one_name = of_names is not None
    if of_names is None:
        distinct, name_of_row = np.unique(names, return_inverse=True)
        texts = index.names.take(distinct)
        numbers: list[dict[str, int]] = [{} for _ in every]
        numbers[number] = dict(zip(texts, distinct.tolist(), strict=True))
        of_names = usage(every, texts, numbers)[name_of_row]
    text = np.minimum(index.u8("text_lengths")[index.place[rows]] / MANY_WORDS, 1)
    containers = index.container_of(rows).astype(np.int64)
    folders = index.folder_of[index.file_of(rows)].astype(np.int64)
    owned: F64 | float = 0.0
    if is_of_one_name:
        owners = _of_owners(counted.owners[number], every, index, containers).astype(np.float64)
        owned = OWNER_USED * owners + USED_WITH_OWNER * (
            _with_owners(name, every, index, containers) if is_distinctive(name) else owners
        )
    values: F64 = _of_traits(index)[
        index.traits[rows], (containers > 0).astype(np.int8)
    ] * _of_folders(index, folders)
    return (
        values
        * _of_depth(index, containers)
        * (ANYWAY + USED * of_names + owned + DESCRIBED * text)
    )


def _of_traits(index: Index) -> F64:
    """Returns the factor of kind and flags, by number in `traits_of` and by whether the symbol is
    inside another."""
    cached = index.memo.get(("likelihood", "traits"))
    if cached is None:
        cached = np.ones((len(index.columns.traits_of), 2))
        for number, traits in enumerate(index.columns.traits_of):
            kind, flags = KIND_OF_CODE[traits & 255], traits >> 8
            cached[number] *= KIND_WEIGHTS[KINDS[kind].quality]
            cached[number] *= math.prod(factor for flag, factor in FLAG_WEIGHTS if flags & flag)
            if not flags & _VISIBILITY:
                cached[number] *= NOT_EXPORTED
            if KINDS[kind].quality and kind not in _NAMESPACES:
                cached[number, 1] *= MEMBER
        index.memo["likelihood", "traits"] = cached
    table: F64 = cached
    return table


def _of_owners(owners: F32, every: Sequence[Part], index: Index, containers: I64) -> F32:
    """Returns, by container, how much its name is used; 1 for no container. owners: what was
    computed before."""
    missing = np.unique(containers[owners[containers] == 0])
    if len(missing):
        names = [text.rpartition(".")[2] for text in index.containers.take(missing)]
        hashes = np.array([mention_hash(name) for name in names], dtype=np.int64)
        mentions = sum(
            (part.index.mentions.count(hashes, part.live) for part in every), np.zeros(len(names))
        )
        used = np.log1p(mentions) / math.log(2 + sum(part.n_files for part in every))
        newly_counted = np.clip(used, _LEAST, 1) * [
            is_distinctive(name) if name else 1.0 for name in names
        ]
        owners[missing] = np.where(
            [not name for name in names], 1, np.maximum(newly_counted, _LEAST)
        )
    return owners[containers]


def _with_owners(name: str, every: Sequence[Part], index: Index, containers: I64) -> F64:
    """Returns, by container, how many files mention both a name and the container's name, on a
    logarithmic scale from 0 to 1; 1 for no container."""
    distinct, container_number = np.unique(containers, return_inverse=True)
    owners = [text.rpartition(".")[2] for text in index.containers.take(distinct)]
    counts = np.zeros(len(owners))
    hashes = np.array([mention_hash(owner) for owner in owners], dtype=np.int64)
    for part in every if any(owners) else ():
        mention = np.zeros(part.index.n_files, dtype=bool)
        mention[part.index.mentions.files(mention_hash(name))] = True
        counts += part.index.mentions.count(
            hashes, mention if part.live is None else mention & part.live
        )
    used = np.minimum(np.log1p(counts) / math.log(2 + sum(part.n_files for part in every)), 1)
    return np.where([not owner for owner in owners], 1.0, used)[container_number]


def _of_folders(index: Index, folders: I64) -> F64:
    """Returns the factor of symbols in each folder."""
    cached = index.memo.get(("likelihood", "folders"))
    if cached is None:
        cached = index.memo["likelihood", "folders"] = np.zeros(len(index.folders))
    missing = np.unique(folders[cached[folders] == 0])
    if len(missing):
        cached[missing] = [_of_folder(folder) for folder in index.folders.take(missing)]
    weights: F64 = cached[folders]
    return weights


def _of_folder(folder: str) -> float:
    parts = folder.lower().split("/") if folder else []
    weight = DEEPER ** len(parts)
    weight *= ASIDE if not ASIDE_FOLDERS.isdisjoint(parts) else 1.0
    weight *= INNER if not INNER_FOLDERS.isdisjoint(parts) else 1.0
    weight *= STANDS_IN if _STAND_INS.search(folder) else 1.0
    weight *= SCRIPTS if not _SCRIPTS.isdisjoint(parts) else 1.0
    return weight * (LEGACY if _LEGACY.search(folder) else 1.0)


def _of_depth(index: Index, containers: I64) -> F64:
    """Returns, by container, the factor for the number of symbols around."""
    cached = index.memo.get(("likelihood", "depth"))
    if cached is None:
        blob = np.frombuffer(index.containers.blob, dtype=np.uint8)
        dots = np.add.reduceat(blob == ord("."), index.containers.offset[:-1], dtype=np.int64)
        cached = index.memo["likelihood", "depth"] = NESTED ** (
            dots + (index.containers.lengths > 0)
        )
    weights: F64 = cached[containers]
    return weights


def likelihoods_of_one_name(
    counted: CountedValues, parts: Sequence[Part], candidates: Sequence[PartCandidates], count: int
) -> F64:
    """Does the same as `likelihoods` for hits of one name, for which it computes where each
    definition is used. Of several spellings, the first hit's counts.

    Passes: find the folder and file of each hit; share the uses of the name among the nearest
    definitions; weigh files by name and by version; weigh interfaces; give overloads the best value
    among them.
    """
    places = [FilePlace("", "")] * count
    name = ""
    files: list[I64] = []
    for number, indexes, rows in candidates:
        index, prefix = parts[number].index, parts[number].prefix
        if not indexes[0]:
            name = last_part(index.name_at(int(rows[0])))
        files.append(index.file_of(rows))
        distinct, file_numbers = np.unique(files[-1], return_inverse=True)
        distinct_in_part = [
            FilePlace(*(prefix + path).rpartition("/")[::2]) for path in index.paths.take(distinct)
        ]
        for place, file in zip(indexes.tolist(), file_numbers.tolist(), strict=True):
            places[place] = distinct_in_part[file]
    uses = _near_uses(parts, name, Counter(place.folder for place in places))
    distinct_places = set(places)
    newest, squashed_name = max(map(_version, distinct_places)), squashed(name)
    weights = {
        place: _of_file(squashed_name, place) * (LEGACY if _version(place) < newest else 1.0)
        for place in distinct_places
    }
    of_uses, of_places = (
        np.array([uses[place.folder] for place in places]),
        np.array([weights[place] for place in places]),
    )
    values = np.zeros(count)
    for (number, indexes, rows), of_rows in zip(candidates, files, strict=True):
        index = parts[number].index
        of_names = (
            _values(counted, parts, number, rows, of_uses[indexes], name)
            * _of_interfaces(index, rows, of_rows)
            * of_places[indexes]
        )
        values[indexes] = _best_overloads(
            of_names, of_rows << 32 | index.container_of(rows).astype(np.int64)
        )
    return values


def _best_overloads(values: F64, keys: I64) -> F64:
    """Returns, by row, the highest value among rows with an equal key, so that overloads stay
    together."""
    _, key_of = np.unique(keys, return_inverse=True)
    best = np.zeros(len(values))
    np.maximum.at(best, key_of, values)
    return best[key_of]


def _of_interfaces(index: Index, rows: I64, files: I64) -> F64:
    """Returns the factor of each row that is an interface or a member of one. A member is as
    visible as its interface. files: the files of the rows."""
    weights = np.ones(len(rows))
    interfaces, of_interfaces = _interfaces(index)
    weights[np.isin(rows, interfaces)] = INTERFACE
    containers = index.container_of(rows).astype(np.int64)
    inside = (
        np.flatnonzero((containers > 0) & np.isin(files, of_interfaces))
        if len(interfaces)
        else interfaces
    )
    if not len(inside):
        return weights
    in_files = np.flatnonzero(np.isin(of_interfaces, files[inside]))
    in_files = in_files[np.argsort(of_interfaces[in_files], kind="stable")]
    by_file = of_interfaces[in_files]
    in_files = in_files[
        np.arange(len(by_file)) - np.searchsorted(by_file, by_file) < _MOST_INTERFACES
    ]
    names = set(
        zip(
            of_interfaces[in_files].tolist(),
            index.names.take(index.name_of(interfaces[in_files])),
            strict=True,
        )
    )
    owners = [text.rpartition(".")[2] for text in index.containers.take(containers[inside])]
    are_members = [
        file_and_owner in names
        for file_and_owner in zip(files[inside].tolist(), owners, strict=True)
    ]
    for row_place in inside[np.array(are_members, dtype=bool)].tolist():
        is_hidden = (
            not index.columns.traits_of[int(index.traits[rows[row_place]])] >> 8 & _VISIBILITY
        )
        weights[row_place] = MEMBER_OF_INTERFACE / (NOT_EXPORTED if is_hidden else 1.0)
    return weights


def _interfaces(index: Index) -> tuple[I64, I64]:
    """Returns the rows of all interfaces, and their files."""
    rows = index.memo.get(("likelihood", "interfaces"))
    if rows is None:
        are = [KIND_OF_CODE[traits & 255] in _INTERFACES for traits in index.columns.traits_of]
        rows = (
            np.flatnonzero(np.array(are, dtype=bool)[index.traits])
            if any(are)
            else np.empty(0, dtype=np.int64)
        )
        index.memo["likelihood", "interfaces"] = rows
        index.memo["likelihood", "files of interfaces"] = index.file_of(rows)
    return rows, index.memo["likelihood", "files of interfaces"]


def _near_uses(every: Sequence[Part], name: str, folders: Mapping[str, int]) -> dict[str, float]:
    """Returns, for each folder with definitions of a name, how many files mention the name and are
    nearest to it, on a logarithmic scale from 0 to 1. folders: the number of definitions in each
    folder."""
    uses = dict.fromkeys(folders, 0.0)
    if not is_distinctive(name):
        return uses
    nearest: dict[
        str, tuple[int, list[str]]
    ] = {}  # by folder: the depth of the definitions in or below it, and their folders
    for folder in folders:
        depth, around = folder.count("/") + bool(folder), folder
        while True:
            nearest_here = nearest.get(around)
            if nearest_here is None or depth < nearest_here[0]:
                nearest[around] = (depth, [folder])
            elif depth == nearest_here[0]:
                nearest_here[1].append(folder)
            if not around:
                break
            around = around.rpartition("/")[0]
    anywhere = 0.0
    for folder, count in _mentioning(every, name):
        while folder not in nearest:
            folder = folder.rpartition("/")[0]
        owners, is_inside = nearest[folder][1], folder in folders
        share = count * (1.0 if is_inside else NEAREST) / sum(folders[owner] for owner in owners)
        for owner in owners:
            uses[owner] += share
        if not is_inside:
            anywhere += (1 - NEAREST) * count
    anywhere /= sum(folders.values())
    scale = math.log(2 + sum(part.n_files for part in every))
    return {
        folder: min(math.log1p(count + anywhere) / scale, 1.0) for folder, count in uses.items()
    }


def _mentioning(every: Sequence[Part], name: str) -> list[tuple[str, int]]:
    """Returns the folders with files that mention a name, and the number of these files."""
    counts_by_folder: Counter[str] = Counter()
    for part in every:
        files = part.index.mentions.files(mention_hash(name))
        if part.live is not None:
            files = files[part.live[files]]
        numbers, counts = np.unique(part.index.folder_of[files], return_counts=True)
        largest = np.argsort(-counts, kind="stable")[:_MOST_FOLDERS]
        for folder, count in zip(
            part.index.folders.take(numbers[largest].astype(np.int64)),
            counts[largest].tolist(),
            strict=True,
        ):
            counts_by_folder[(part.prefix + folder).rstrip("/")] += count
    # Equals by name, so that it does not matter which part has which folder.
    return sorted(counts_by_folder.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_FOLDERS]


class FilePlace(NamedTuple):
    """The file of a hit. folder: includes the prefix of the part. base: the file's name."""

    folder: str
    base: str


def _version(place: FilePlace) -> int:
    """Returns the version in the folder's name; 1,000 for none."""
    versions = _VERSION.findall(f"{place.folder}/")
    return int(versions[-1]) if versions else 1_000


def _of_file(name: str, place: FilePlace) -> float:
    """Returns the factor for the names of file and folder. name: folded, without separators."""
    base, folder = place.base, squashed(place.folder.rpartition("/")[2])
    stem, first, plural = (
        squashed(base.rpartition(".")[0] or base),
        squashed(base.partition(".")[0]),
        f"{name}s",
    )
    weight = (
        OF_THAT_NAME
        if stem == name
        else OF_ABOUT_THAT_NAME
        if first == name or stem == plural or f"{stem}s" == name
        else 1.0
    )
    weight *= STANDS_IN if _STAND_INS.search(base) else 1.0
    return weight * (IN_FOLDER_OF_THAT_NAME if folder in (name, plural) else 1.0)
