"""How much a name is used: by how many files that do not define it, for each of its definitions."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from symindex.extract.word_lists import is_distinctive, mention_hash
from symindex.index.arrays import F64, I64
from symindex.index.snapshot import Part


def usage(parts: Sequence[Part], names: Sequence[str], numbers: Sequence[Mapping[str, int]]) -> F64:
    """For each name: 0 for one that nothing mentions to 1 for one that every file does, by the logarithm.

    Names that are a single small word are 0: they may be anything (`extract/word_lists`). numbers: by part, the numbers of names
    that are known there; others are looked up.
    """
    wanted = np.array([number for number, name in enumerate(names) if is_distinctive(name)], dtype=np.int64)
    some = [names[number] for number in wanted.tolist()]
    hashes = np.array([mention_hash(name) for name in some], dtype=np.int64)
    mentions, definitions = np.zeros(len(wanted)), np.zeros(len(wanted))
    for part, known in zip(parts, numbers, strict=True):
        mentions += part.index.mentions.count(hashes, part.live)
        found = [known.get(name) if len(parts) == 1 or name in known else part.index.find_name(name) for name in some]
        definitions += _definitions(part, np.array([-1 if number is None else number for number in found], dtype=np.int64))
    share = np.zeros(len(names))
    n_files = sum(part.n_files for part in parts)
    share[wanted] = np.minimum(np.log1p(mentions / np.maximum(definitions, 1)) / math.log(2 + n_files), 1)
    return share


def _definitions(part: Part, numbers: I64) -> I64:
    """How many symbols that count have each name; 0 for the number -1."""
    first = part.index.name_first.astype(np.int64)
    counts = np.where(numbers < 0, 0, first[numbers + 1] - first[numbers])
    if part.live is not None:
        hidden, many = part.hidden.names
        at = np.searchsorted(hidden, numbers)
        known = np.flatnonzero((at < len(hidden)) & (numbers >= 0))
        known = known[hidden[at[known]] == numbers[known]]
        counts[known] -= many[at[known]]
    return counts
