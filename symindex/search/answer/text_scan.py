"""Searches signatures and docs for a text, block by block.

They are searched as they are stored, with NAME_HERE in place of names. If the name might be part of
a match, the text is searched again with the name inserted.
"""

import re
from itertools import pairwise
from typing import Final

import numpy as np

from symindex.cancellation import check_wanted
from symindex.extract.records import NAME_HERE
from symindex.index.columns.arrays import I64, Mask
from symindex.index.columns.columns import Index
from symindex.index.columns.strings import fold_texts
from symindex.text.folding import fold

_NAME: Final = NAME_HERE.encode()
_KEPT: Final = "prose"
_IS_WORD: Final = re.compile(rb"[0-9a-z\x80-\xff]+")


def texts_containing(index: Index, pattern: re.Pattern[bytes], literal: bytes) -> Mask:
    """Returns for each place whether the signature, and whether the doc, contains a match when
    folded (`text/folding`); shape (2, symbols).

    pattern: must not match NUL bytes. literal: the text of every match; empty if matches differ.
    """
    key = (_KEPT, pattern.pattern.decode("utf-8", "surrogateescape"))
    cached = index.memo.get(key)
    if cached is None:
        # A copy: other threads search the same index.
        for old_key in [old_key for old_key in [*index.memo] if old_key[0] == _KEPT]:
            index.memo.pop(old_key, None)
        cached = index.memo[key] = _TextScan(index, pattern, literal).run()
    return cached


class _TextScan:
    """One pass over all texts.

    _name_has_literal: for each place, whether the symbol's name contains the literal; `None`
    without a literal. _is_in_literal: for each byte, whether it occurs in the literal, so that a
    match may continue into a name.
    """

    def __init__(self, index: Index, pattern: re.Pattern[bytes], literal: bytes) -> None:
        self._index = index
        self._pattern = pattern
        # Only a literal of word characters: others may overlap themselves, and begin a word only at
        # the second occurrence.
        self._literal = re.compile(re.escape(literal)) if _IS_WORD.fullmatch(literal) else None
        self._name_has_literal: Mask | None = None
        self._is_in_literal = np.zeros(256, dtype=bool)
        if literal:
            self._is_in_literal[np.frombuffer(literal, dtype=np.uint8)] = True
            names = np.flatnonzero(index.names.holding(re.compile(re.escape(literal))))
            self._name_has_literal = np.zeros(index.n_symbols, dtype=bool)
            self._name_has_literal[index.place[index.rows_of_names(names)]] = True

    def run(self) -> Mask:
        matches = np.zeros((2, self._index.n_symbols), dtype=bool)
        edges = self._index.file_first[self._index.block_first].tolist()
        for number, (low, high) in enumerate(pairwise(edges)):
            check_wanted()
            matches[:, low:high] = self._block(number, low, high).reshape(2, -1)
        return matches

    def _block(self, number: int, low: int, high: int) -> Mask:
        """Returns for each text of a block, signatures first and then docs, whether it contains a
        match."""
        from symindex.index.columns.details import (
            PackedBlock,
        )  # imported here, because most searches read no details

        # not cached by the index, because all blocks are read
        block = PackedBlock(self._index.packed_block(number), high - low)
        folded = fold_texts(block.signatures.data + block.docs.data)
        matches, ends = self._holding(folded)
        names = np.flatnonzero(np.frombuffer(folded, dtype=np.uint8) == _NAME[0])
        of_names = np.searchsorted(ends, names)
        if self._name_has_literal is not None:
            around = np.frombuffer(b"\0" + folded + b"\0", dtype=np.uint8)
            may_continue = (
                self._is_in_literal[around[names]] | self._is_in_literal[around[names + 2]]
            )
            of_names = of_names[
                may_continue | np.tile(self._name_has_literal[low:high], 2)[of_names]
            ]
        if len(of_names):
            close = np.flatnonzero(np.bincount(of_names, minlength=len(ends)))
            starts = np.concatenate(([0], ends + 1))
            texts = [
                folded[start:end]
                for start, end in zip(starts[close].tolist(), ends[close].tolist(), strict=True)
            ]
            matches[close] = self._with_names(texts, low + close % (high - low))
        return matches

    def _with_names(self, texts: list[bytes], places: I64) -> Mask:
        """Returns for each folded text whether it contains a match once the name of its symbol is
        inserted. places: the symbols of the texts."""
        names = self._index.names.take(
            self._index.name_of(self._index.row_at[places].astype(np.int64))
        )
        pairs = zip(texts, names, strict=True)
        return self._holding(
            b"".join([text.replace(_NAME, fold(name).encode()) + b"\0" for text, name in pairs])
        )[0]

    def _holding(self, folded: bytes) -> tuple[Mask, I64]:
        """Returns for each text in `folded` whether it contains a match, and the position of the
        NUL byte after it."""
        if self._literal is None:
            starts = [match.start() for match in self._pattern.finditer(folded)]
        else:  # searching for a plain text first is several times faster
            literals = (match.start() for match in self._literal.finditer(folded))
            starts = [start for start in literals if self._pattern.match(folded, start)]
        ends = np.flatnonzero(np.frombuffer(folded, dtype=np.uint8) == 0)
        matches = np.zeros(len(ends), dtype=bool)
        owners = np.searchsorted(ends, np.asarray(starts, dtype=np.int64))
        matches[owners[owners < len(ends)]] = True
        return matches, ends
