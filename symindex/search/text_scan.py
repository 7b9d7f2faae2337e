"""Scans of signatures and docs, block by block.

They are scanned as they are stored, with NAME_HERE in the place of names. Where a name might change something, the text is
scanned with it, too.
"""

import re
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.extract.records import NAME_HERE
from symindex.index.arrays import I64, Mask
from symindex.index.columns import Index
from symindex.index.strings import fold_texts
from symindex.text.folding import fold
from symindex.workers.cancellation import check_wanted

_NAME: Final = NAME_HERE.encode()
_KEPT: Final = "prose"
_IS_WORD: Final = re.compile(rb"[0-9a-z\x80-\xff]+")


def texts_holding(index: Index, pattern: re.Pattern[bytes], literal: bytes) -> Mask:
    """By place, shape (2, symbols): whether the signature, and whether the doc, folded (`text/folding`), holds a match.

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
        # Others may be found twice in the same letters, and only the second time at the beginning of a word.
        self._literal = re.compile(re.escape(literal)) if _IS_WORD.fullmatch(literal) else None
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
            check_wanted()
            found[:, low:high] = self._block(number, low, high).reshape(2, -1)
        return found

    def _block(self, number: int, low: int, high: int) -> Mask:
        """By text of a block, the signatures and then the docs: whether it holds a match."""
        from symindex.index.details import PackedBlock  # here, because most searches read no details

        plain = PackedBlock(self._index.packed_block(number), high - low).texts  # not kept: all of them are looked through
        folded = fold_texts(plain)
        data = np.frombuffer(folded, dtype=np.uint8)
        ends = np.flatnonzero(data == 0)
        found = np.zeros(len(ends), dtype=bool)
        found[_owners(ends, self._matches(folded))] = True
        names = np.flatnonzero(data == _NAME[0])
        of_names = np.searchsorted(ends, names)
        if self._named is not None:
            around = np.frombuffer(b"\0" + folded + b"\0", dtype=np.uint8)
            beside = self._beside[around[names]] | self._beside[around[names + 2]]
            of_names = of_names[beside | np.tile(self._named[low:high], 2)[of_names]]
        if len(of_names):
            close = np.flatnonzero(np.bincount(of_names, minlength=len(ends)))
            starts = np.concatenate(([0], ends + 1))
            texts = [folded[start:end] for start, end in zip(starts[close].tolist(), ends[close].tolist(), strict=True)]
            found[close] = self._look(texts, low + close % (high - low))
        return found

    def _look(self, texts: list[bytes], places: I64) -> Mask:
        """Which of some folded texts, of the symbols at these places, hold a match with the name in them."""
        names = self._index.names.take(self._index.name_of(self._index.row_at[places].astype(np.int64)))
        pairs = zip(texts, names, strict=True)
        whole = b"".join([text.replace(_NAME, fold(name).encode()) + b"\0" for text, name in pairs])
        ends = np.flatnonzero(np.frombuffer(whole, dtype=np.uint8) == 0)
        found = np.zeros(len(texts), dtype=bool)
        found[_owners(ends, self._matches(whole))] = True
        return found

    def _matches(self, folded: bytes) -> list[int]:
        if self._literal is None:
            return [match.start() for match in self._pattern.finditer(folded)]
        # To find a plain text first is several times faster.
        starts = (match.start() for match in self._literal.finditer(folded))
        return [start for start in starts if self._pattern.match(folded, start)]


def _owners(ends: I64, places: list[int] | I64) -> I64:
    """The numbers of the texts that the places stand in, those of the NUL bytes behind them given."""
    owners: I64 = np.searchsorted(ends, np.asarray(places, dtype=np.int64))
    return owners[owners < len(ends)]
