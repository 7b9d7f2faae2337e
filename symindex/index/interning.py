"""Distinct texts in the making: numbered as they come, and in the end put in order as a table of strings."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from symindex.index.arrays import U32
from symindex.index.strings import pack_texts
from symindex.text.folding import fold, squash

Order = Callable[[list[str]], list[int]]
"""Of distinct texts: their numbers in some order."""


class Numbering:
    """Numbers for distinct texts. texts: the distinct ones in order, once `sort` was called."""

    def __init__(self) -> None:
        self._table: defaultdict[str, int] = defaultdict()
        self._table.default_factory = self._table.__len__
        self.texts: list[str] = []

    def number(self, texts: Sequence[str]) -> U32:
        """The number of each."""
        return np.fromiter(map(self._table.__getitem__, texts), dtype=np.uint32, count=len(texts))

    def number_blob(self, blob: bytes) -> U32:
        """The same for UTF-8 texts with a NUL byte behind each."""
        return self.number(blob.decode().split("\0")[:-1])

    def sort(self, order: Order) -> U32:
        """Puts the texts in order; returns, by the number of each until now, its place there. No more can be numbered then."""
        texts = list(self._table)
        self._table.clear()
        numbers = order(texts)
        places = np.empty(len(texts), dtype=np.uint32)
        places[numbers] = np.arange(len(texts), dtype=np.uint32)
        self.texts = [texts[number] for number in numbers]
        return places


def plain_order(texts: list[str]) -> list[int]:
    """As they are."""
    return sorted(range(len(texts)), key=texts.__getitem__)


def folded_order(texts: list[str]) -> list[int]:
    """By their folded form without separators, then with them, then as they are."""
    folded = "\0".join([text if text.isascii() else "" for text in texts]).lower()
    squashed = squash(folded).split("\0")
    for number in [number for number, text in enumerate(texts) if not text.isascii()]:
        squashed[number] = squash(fold(texts[number]))
    order = sorted(range(len(texts)), key=squashed.__getitem__)
    # Few texts differ only in the rest.
    like_the_next = [at for at, (one, other) in enumerate(pairwise(order)) if squashed[one] == squashed[other]]
    end = 0
    for at in like_the_next:
        if at < end - 1:
            continue
        end = at + 2
        while end < len(order) and squashed[order[end]] == squashed[order[at]]:
            end += 1
        order[at:end] = sorted(order[at:end], key=lambda number: (fold(texts[number]), texts[number]))
    return order


def table_columns(table: str, texts: Sequence[str]) -> dict[str, Any]:
    """The two columns of a table of strings (`index/layout`)."""
    blob, sizes = pack_texts(texts)
    return {f"{table}_blob": blob, f"{table}_sizes": sizes}
