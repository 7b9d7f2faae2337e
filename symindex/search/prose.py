"""Scans of signatures and docs, block by block.

They are scanned as they are stored: in small letters, with NAME_HERE in the place of names. What folding or the name might change
there is looked at closely, text by text.
"""

import re
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.columns import I64, Index
from symindex.index.fold import fold_texts
from symindex.source.records import NAME_HERE

Mask = NDArray[np.bool_]

_NAME: Final = NAME_HERE.encode()
_KEPT: Final = "prose"


def texts_holding(index: Index, pattern: re.Pattern[bytes], literal: bytes) -> Mask:
    """By place, shape (2, symbols): whether the signature, and whether the doc, folded (`index/fold`), holds a match.

    pattern: must not match NUL bytes. literal: what a match consists of; empty where that is not always the same.
    """
    key = (_KEPT, pattern.pattern.decode("utf-8", "surrogateescape"))
    found = index.memo.get(key)
    if found is None:
        for known in [known for known in index.memo if known[0] == _KEPT]:
            del index.memo[known]
        found = index.memo[key] = _Scan(index, pattern, literal).run()
    return found


class _Scan:
    """One pass over all texts.

    _named: by place, whether the symbol's name might be what is looked for; `None`: any might. _beside: by byte, whether a name
    next to it might be a part of that, or of the word before it.
    """

    def __init__(self, index: Index, pattern: re.Pattern[bytes], literal: bytes) -> None:
        self._index = index
        self._pattern = pattern
        self._literal = re.compile(re.escape(literal)) if literal else None
        self._named: Mask | None = None
        self._beside = np.zeros(256, dtype=bool)
        if literal:
            self._beside[np.frombuffer(literal, dtype=np.uint8)] = True
            names = np.flatnonzero(index.names.holding(re.compile(re.escape(literal))))
            self._named = np.zeros(index.n_symbols, dtype=bool)
            self._named[index.place[index.rows_of_names(names)]] = True

    def run(self) -> Mask:
        """By place: whether signature and doc hold a match."""
        found = np.zeros((2, self._index.n_symbols), dtype=bool)
        edges = self._index.file_first[self._index.block_first].tolist()
        for number, (low, high) in enumerate(pairwise(edges)):
            found[:, low:high] = self._block(number, low, high).reshape(2, -1)
        return found

    def _block(self, number: int, low: int, high: int) -> Mask:
        """By text of a block, the signatures and then the docs: whether it holds a match."""
        from symindex.index.details import unpack_texts  # here, because most searches read no details

        plain = unpack_texts(self._index.packed_block(number), high - low)
        lower = plain.lower()
        data = np.frombuffer(plain, dtype=np.uint8)
        ends = np.flatnonzero(data == 0)
        found = np.zeros(len(ends), dtype=bool)
        found[_owners(ends, self._matches(lower))] = True
        close = np.zeros(len(ends), dtype=bool)
        close[_owners(ends, np.flatnonzero(data >= 128))] = True
        names = np.flatnonzero(data == _NAME[0])
        of_names = np.searchsorted(ends, names)
        if self._named is not None:
            small = np.frombuffer(b"\0" + lower + b"\0", dtype=np.uint8)
            beside = self._beside[small[names]] | self._beside[small[names + 2]]
            of_names = of_names[beside | np.tile(self._named[low:high], 2)[of_names]]
        close[of_names] = True
        for text in np.flatnonzero(close).tolist():
            start = int(ends[text - 1]) + 1 if text else 0
            found[text] = self._look(plain[start : int(ends[text])], low + text % (high - low))
        return found

    def _matches(self, lower: bytes) -> list[int]:
        if self._literal is None:
            return [match.start() for match in self._pattern.finditer(lower)]
        # To find a plain text first is several times faster.
        starts = (match.start() for match in self._literal.finditer(lower))
        return [start for start in starts if self._pattern.match(lower, start)]

    def _look(self, text: bytes, place: int) -> bool:
        index = self._index
        if _NAME in text:
            text = text.replace(_NAME, index.name_at(int(index.row_at[place])).encode())
        return self._pattern.search(fold_texts(text + b"\0")) is not None


def _owners(ends: I64, places: list[int] | I64) -> I64:
    """The numbers of the texts that the places stand in, those of the NUL bytes behind them given."""
    owners: I64 = np.searchsorted(ends, np.asarray(places, dtype=np.int64))
    return owners[owners < len(ends)]
