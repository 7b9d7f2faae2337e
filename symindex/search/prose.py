"""Scans of signatures and docs, block by block."""

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import Index
from symindex.index.fold import fold_texts

Mask = NDArray[np.bool_]


def texts_holding(index: Index, pattern: re.Pattern[bytes]) -> tuple[Mask, Mask]:
    """By place: whether the signature, and whether the doc, folded (`index/fold`), holds a match of the pattern, which must not
    match NUL bytes."""
    from symindex.index.details import unpack_texts  # here, because most searches read no details

    found = np.zeros((2, index.n_symbols), dtype=bool)
    edges = index.file_first[index.block_first].tolist()
    for number, (low, high) in enumerate(pairwise(edges)):
        texts = fold_texts(unpack_texts(index.packed_block(number), high - low))
        hits = [match.start() for match in pattern.finditer(texts)]
        if hits:
            ends = np.flatnonzero(np.frombuffer(texts, dtype=np.uint8) == 0)
            of_text = np.searchsorted(ends, hits)
            of_text = of_text[of_text < 2 * (high - low)]
            found[of_text // (high - low), low + of_text % (high - low)] = True
    return found[0], found[1]
