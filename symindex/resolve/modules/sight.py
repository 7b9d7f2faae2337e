"""How files of a tree see each other by imports and packages: for each pair of a file that mentions
a name and one that defines it, how likely the one means the other.

It chooses among files, not symbols, which is enough for a graph of a whole tree.
"""

from typing import Final, NamedTuple

import numpy as np

from symindex.extract.word_lists import MENTION_MASK
from symindex.index.columns.arrays import I64, U8, Mask

FOREIGN: Final = 0
UNSEEN: Final = 1
SEEN: Final = 2
NAMED: Final = 3
"""How a file sees another for a name that the other defines: it imports the name from a library;
not at all; it imports something from it, or is in its package; it imports the name from it."""

HASH_BITS: Final = MENTION_MASK.bit_length()
"""Bits of the hash of a name, as mentions have it."""


class Sight(NamedTuple):
    """What files see. Files and packages are numbers.

    files: pairs `file * n_files + seen`. package: by file, -1 for none. packages: pairs
    `file * n_packages + seen`. named: pairs `file << 24 | hash of the name`, and beside each the
    file that has the name; -1 for a library.
    """

    n_files: int
    files: I64
    package: I64
    packages: I64
    named: I64
    named_in: I64

    def ranks(self, source: I64, names: I64, target: I64, is_top: Mask) -> U8:
        """Returns how the source of each edge sees its target. names: their hashes as mentions
        have them. is_top: whether the target defines the name at its top."""
        ranks = np.full(len(source), UNSEEN, dtype=np.uint8)
        ranks[_are_in(source * self.n_files + target, self.files)] = SEEN
        package = self.package[target]
        is_own = (package >= 0) & (package == self.package[source])
        n_packages = int(self.package.max(initial=-1)) + 1
        is_seen = (package >= 0) & _are_in(source * n_packages + package, self.packages)
        ranks[is_own | is_seen] = SEEN
        keys = source << HASH_BITS | names
        distinct = np.unique(self.named)
        places = np.searchsorted(distinct, keys)
        places[places == len(distinct)] = 0
        is_named = distinct[places] == keys if len(distinct) else np.zeros(len(keys), dtype=bool)
        pairs = np.searchsorted(distinct, self.named) * (self.n_files + 1) + self.named_in + 1
        pairs.sort()
        own = places * (self.n_files + 1)
        ranks[is_named & is_top & (ranks == UNSEEN) & _are_in(own, pairs)] = FOREIGN
        ranks[is_named & _are_in(own + target + 1, pairs)] = NAMED
        return ranks


def _are_in(values: I64, table: I64) -> Mask:
    """Returns which values are in a sorted table."""
    if not len(table):
        return np.zeros(len(values), dtype=bool)
    places = np.searchsorted(table, values)
    places[places == len(table)] = 0
    mask: Mask = table[places] == values
    return mask
