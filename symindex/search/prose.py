"""Scans of signatures and docs, block by block."""

import re
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import Index
from symindex.index.fold import fold_texts
from symindex.source.records import NAME_HERE

Mask = NDArray[np.bool_]


def texts_holding(index: Index, pattern: re.Pattern[bytes]) -> tuple[Mask, Mask]:
    """By place: whether the signature, and whether the doc, folded (`index/fold`), holds a match of the pattern, which must not
    match NUL bytes."""
    from symindex.index.details import unpack_texts  # here, because most searches read no details

    found = np.zeros((2, index.n_symbols), dtype=bool)
    names = bytes(index.names.blob).split(b"\0")
    by_place = index.name_of(index.row_at.astype(np.int64)).tolist()
    edges = index.file_first[index.block_first].tolist()
    for number, (low, high) in enumerate(pairwise(edges)):
        texts = fold_texts(
            _with_names(unpack_texts(index.packed_block(number), high - low), [names[at] for at in by_place[low:high]])
        )
        hits = [match.start() for match in pattern.finditer(texts)]
        if hits:
            ends = np.flatnonzero(np.frombuffer(texts, dtype=np.uint8) == 0)
            of_text = np.searchsorted(ends, hits)
            of_text = of_text[of_text < 2 * (high - low)]
            found[of_text // (high - low), low + of_text % (high - low)] = True
    return found[0], found[1]


_NAME_HERE: Final = NAME_HERE.encode()


def _with_names(texts: bytes, names: list[bytes]) -> bytes:
    """The signatures and docs of a block with the names of their symbols."""
    divided = texts.split(b"\0")
    return b"\0".join([*(text.replace(_NAME_HERE, name) for text, name in zip(divided, names + names, strict=False)), b""])
