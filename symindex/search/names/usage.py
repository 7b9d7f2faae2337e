"""Measures how much names are used: the number of files that mention a name without defining it,
divided by the number of files that define it and are not tests."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from symindex.extract.word_lists import is_distinctive, mention_hash
from symindex.index.columns.arrays import F64, I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.snapshot import Part
from symindex.protocol.kinds import SymbolFlag


def usage(parts: Sequence[Part], names: Sequence[str], numbers: Sequence[Mapping[str, int]]) -> F64:
    """Returns, for each name, from 0 (nothing mentions it) to 1 (every file does), on a logarithmic
    scale.

    Names that are a single lower-case word have 0, because they may mean anything
    (`extract/word_lists`). numbers: by part, the known numbers of names; those of other names are
    looked up.
    """
    places = np.array(
        [number for number, name in enumerate(names) if is_distinctive(name)], dtype=np.int64
    )
    distinctive = [names[number] for number in places.tolist()]
    hashes = np.array([mention_hash(name) for name in distinctive], dtype=np.int64)
    mentions, definitions = np.zeros(len(places)), np.zeros(len(places))
    for part, of_part in zip(parts, numbers, strict=True):
        mentions += part.index.mentions.count(hashes, part.live)
        name_numbers = [
            of_part.get(name) if len(parts) == 1 or name in of_part else part.index.find_name(name)
            for name in distinctive
        ]
        definitions += _definitions(
            part,
            np.array([-1 if number is None else number for number in name_numbers], dtype=np.int64),
        )
    share = np.zeros(len(names))
    n_files = sum(part.n_files for part in parts)
    share[places] = np.minimum(
        np.log1p(mentions / np.maximum(definitions, 1)) / math.log(2 + n_files), 1
    )
    return share


def _definitions(part: Part, numbers: I64) -> I64:
    """Returns in how many live files each name is defined, except tests; 0 for the number -1. A
    class and its constructors, or overloads, are usually in one file. The result is cached by name,
    for names in no hidden file."""
    index = part.index
    cached = index.memo.get(_KNOWN)
    if cached is None:
        cached = index.memo[_KNOWN] = np.full(len(index.names), _UNKNOWN, dtype=np.int32)
    counts = np.zeros(len(numbers), dtype=np.int64)
    is_hidden = (
        np.isin(numbers, part.hidden.names[0])
        if part.live is not None
        else np.zeros(len(numbers), dtype=bool)
    )
    missing = np.unique(numbers[(numbers >= 0) & ~is_hidden])
    missing = missing[cached[missing] == _UNKNOWN]
    if len(missing):
        cached[missing] = _count_files(index, missing, None)
    is_known = (numbers >= 0) & ~is_hidden
    counts[is_known] = cached[numbers[is_known]]
    if is_hidden.any():
        counts[is_hidden] = _count_files(index, numbers[is_hidden], part.live)
    return counts


_KNOWN: Final = ("usage", "files of names")
_UNKNOWN: Final = -1


def _count_files(index: Index, numbers: I64, live: Mask | None) -> I64:
    """Returns in how many files each name is defined, except tests. live: by file, whether it
    counts."""
    rows = index.rows_of_names(numbers)
    first = index.name_first
    owners = np.repeat(
        np.arange(len(numbers)), (first[numbers + 1] - first[numbers]).astype(np.int64)
    )
    is_test = np.array(
        [bool(traits >> 8 & SymbolFlag.TEST) for traits in index.columns.traits_of], dtype=bool
    )
    files = index.file_of(rows)
    counts = (
        ~is_test[index.traits[rows]] if live is None else ~is_test[index.traits[rows]] & live[files]
    )
    pairs = np.unique(owners[counts] << 32 | files[counts])
    return np.bincount(pairs >> 32, minlength=len(numbers))
