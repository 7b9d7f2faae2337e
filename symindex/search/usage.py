"""How much a name is used: by how many files that do not define it, for each of its definitions."""

import math
from collections.abc import Sequence

import numpy as np

from symindex.extract.word_lists import is_distinctive, mention_hash
from symindex.index.arrays import F64, I64
from symindex.index.snapshot import Part


def usage(parts: Sequence[Part], names: Sequence[str]) -> F64:
    """For each name: 0 for one that nothing mentions to 1 for one that every file does, by the logarithm.

    Names that are a single small word are 0: they may be anything (`extract/word_lists`).
    """
    wanted = np.array([number for number, name in enumerate(names) if is_distinctive(name)], dtype=np.int64)
    hashes = np.array([mention_hash(names[number]) for number in wanted.tolist()], dtype=np.int64)
    mentions, definitions = np.zeros(len(wanted)), np.zeros(len(wanted))
    for part in parts:
        mentions += part.index.mentions.count(hashes, part.live)
        definitions += _definitions(part, [names[number] for number in wanted.tolist()])
    share = np.zeros(len(names))
    n_files = sum(part.n_files for part in parts)
    share[wanted] = np.minimum(np.log1p(mentions / np.maximum(definitions, 1)) / math.log(2 + n_files), 1)
    return share


def _definitions(part: Part, names: Sequence[str]) -> I64:
    """How many symbols that count have each name."""
    index = part.index
    numbers = np.array([-1 if (number := index.find_name(name)) is None else number for name in names], dtype=np.int64)
    counts = np.where(numbers < 0, 0, index.name_first[numbers + 1].astype(np.int64) - index.name_first[numbers])
    if part.live is not None:
        hidden, many = part.hidden.names
        at = np.searchsorted(hidden, numbers)
        known = np.flatnonzero((at < len(hidden)) & (numbers >= 0))
        known = known[hidden[at[known]] == numbers[known]]
        counts[known] -= many[at[known]]
    return counts
