"""Counts all hits of a search by language, kind, repository, folder and fact.

Each value is the text of a term that narrows the search to exactly the counted hits, if it follows
a bar (`search/language/narrowing`): `parse | lang:go`. So a value counts what its term selects: a
language includes its dialects, and a kind includes symindex's additions to it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from symindex.extract.languages.registry import Languages
from symindex.index.columns.arrays import I64
from symindex.index.snapshot import Part
from symindex.protocol.kinds import KIND_OF_CODE, expand_kinds
from symindex.protocol.search import MOST_FACET_VALUES, Facet
from symindex.search.language.fields import FLAGS
from symindex.search.language.repositories import exact_values
from symindex.search.names.hits import PartHits

_NOT_IN_GLOB: Final = re.compile(r'[\s()"*?\[\]{}!\\]|^:')
"""A character that cannot be in a glob of a query, or has a meaning there."""


class _Counts(NamedTuple):
    """The hits in a part: how many by file, and how many by number in `traits_of`."""

    part: Part
    of_files: I64
    of_traits: I64


def facets_of(hits: Sequence[PartHits], languages: Languages) -> dict[str, Facet]:
    """Returns the facets of all hits. hits: by part of a snapshot."""
    counts = [_count(of_part) for of_part in hits if of_part.total]
    kinds, facts = _of_traits(counts)
    folders = _of_folders(counts)
    repositories = _of_repositories(counts)
    return {
        "language": _facet("lang", _of_languages(counts, languages)),
        "kind": _facet("kind", kinds),
        "repository": repositories,
        "folder": _facet("path", folders),
        "fact": _facet("is", facts),
    }


def _facet(field: str, counts: Counter[str]) -> Facet:
    values = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = values[:MOST_FACET_VALUES]
    return Facet(field=field, values=shown, left_out=len(values) - len(shown))


def _count(hits: PartHits) -> _Counts:
    index = hits.chosen.index
    first = index.file_first
    if hits.total == index.n_symbols:
        of_files, traits = np.diff(first), index.traits
    elif hits.total * _FEW < index.n_symbols:
        rows = hits.rows
        of_files = np.bincount(index.file_of(rows), minlength=index.n_files)
        traits = index.traits[rows]
    else:
        mask = hits.mask
        up_to = np.cumsum(mask[index.row_at], dtype=np.int32)  # by place
        of_files = np.diff(np.append(np.int32(0), up_to)[first])
        traits = index.traits[mask]
    of_traits = np.bincount(traits, minlength=len(index.columns.traits_of))
    return _Counts(hits.chosen.part, of_files, of_traits)


_FEW: Final = 16
"""If fewer than one row in this many is a hit, the hits are counted one by one."""


def _of_languages(counts: Sequence[_Counts], languages: Languages) -> Counter[str]:
    own: Counter[str] = Counter()
    for part, of_files, _ in counts:
        ids = part.index.columns.language_ids
        numbers = np.bincount(part.index.u8("file_language"), of_files, len(ids))
        own.update(dict(zip(ids, numbers.astype(int).tolist(), strict=True)))
    counted = Counter({word: count for word, count in own.items() if word in languages.by_id})
    for language in languages.by_id.values():
        if counted[language.rules.dialect_of]:
            counted[language.rules.dialect_of] += own[language.id]
    return +counted


def _of_traits(counts: Sequence[_Counts]) -> tuple[Counter[str], Counter[str]]:
    """Counts the hits by kind and by fact."""
    codes: Counter[int] = Counter()
    facts: Counter[str] = Counter()
    for part, _, of_traits in counts:
        traits = np.array(part.index.columns.traits_of, dtype=np.int64)
        of_codes = np.bincount(traits & 255, of_traits).astype(int)
        codes.update(dict(enumerate(of_codes.tolist())))
        for word, bit in FLAGS.items():
            facts[word] += int(of_traits[traits >> 8 & bit != 0].sum())
    kinds = [str(KIND_OF_CODE[code]) for code in +codes]
    counted = {kind: sum(codes[code] for code in expand_kinds([kind])) for kind in kinds}
    return Counter(counted), +facts


def _of_repositories(counts: Sequence[_Counts]) -> Facet:
    """Counts the hits by repository; without a table of repositories, by tree."""
    trees: Counter[str] = Counter()
    repositories: Counter[str] = Counter()
    names: set[str] = set()
    for part, of_files, _ in counts:
        if part.repositories is not None:
            names.update(repository.name for repository in part.repositories)
            up_to = np.append(0, np.cumsum(of_files))
            for repository, start, end in part.repositories.ranges(part.index, part.prefix):
                repositories[repository.name] += int(up_to[end] - up_to[start])
        elif part.prefix:
            trees[_below(part.prefix)] += int(of_files.sum())
    if not names:
        return _facet("path", trees)
    values = exact_values(names)
    return _facet("repo", Counter({values[name]: n for name, n in (+repositories).items()}))


def _of_folders(counts: Sequence[_Counts]) -> Counter[str]:
    """Counts the hits by folder: the first below the root of the repository. Hits in files at the
    root are in no folder."""
    folders: Counter[str] = Counter()
    for part, of_files, _ in counts:
        for folder, count in _by_folder(part, of_files):
            folders[_below(folder)] += count
    return folders


def _by_folder(part: Part, of_files: I64) -> Iterator[tuple[str, int]]:
    """Yields the folders at the roots with hits below them, as paths in answers, and how many."""
    index = part.index
    if part.repositories is not None:
        of_folders, tops = part.repositories.top_folders(index, part.prefix)
        counted = np.bincount(of_folders[index.folder_of], of_files, len(tops))
        for number in (np.flatnonzero(counted[1:]) + 1).tolist():
            yield tops[number], int(counted[number])
        return
    cached = index.memo.get(("folders at the root",))
    if cached is None:
        first: dict[str, int] = {}
        tops = [path.partition("/")[0] for path in index.folders.all]
        cached = np.array([first.setdefault(top, number) for number, top in enumerate(tops)])
        index.memo["folders at the root",] = cached
    counts = np.bincount(cached[index.folder_of], of_files)
    for number in np.flatnonzero(counts).tolist():
        if top := index.folders[number].partition("/")[0]:
            yield f"{part.prefix}{top}/", int(counts[number])


def _below(folder: str) -> str:
    """Returns a glob for all files below a folder, whose path ends with a slash. It has a `?` for
    each character that cannot be in a query, and so may also match a folder that differs there."""
    return _NOT_IN_GLOB.sub("?", folder) + "**"
