"""Signatures of names: which letters, word initials and pairs of letters a name holds, as bits. A filter before any name is read.

A name that lacks a bit of the query's signature cannot match it; that it has them says nothing. The bits are stored in slices:
one bitset over all names for each bit, so that a query of ten letters combines ten short arrays instead of looking at every name.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from symindex.index.fold import SEPARATORS, fold, word_starts

LETTERS: Final = 32
"""Bits for letters: a-z, 3 that the digits share, 3 that all other characters share; separators have none."""

PAIRS: Final = 128
"""Bits for pairs of neighbouring characters, separators among them, by a hash."""

SLICES: Final = 2 * LETTERS + PAIRS
"""The slices: letters, then initials of words (in the same bits), then pairs."""

Bits = NDArray[np.uint64]
"""A bitset over names, 64 to a number, the lowest bit first."""

_NONE: Final = 255


def letter_bit(character: str) -> int:
    """The number of the bit of a folded character; `_NONE` for a separator."""
    if character in SEPARATORS:
        return _NONE
    code = ord(character)
    if 97 <= code <= 122:
        return code - 97
    if 48 <= code <= 57:
        return 26 + code % 3
    return 29 + code % 3


def pair_bit(first: str, second: str) -> int:
    """The number of the bit of two folded characters that stand side by side."""
    return _mix(ord(first), ord(second))


def _mix(first: int, second: int) -> int:
    return (first * 37 + second * 11) % PAIRS


_LETTER_OF_BYTE: Final = np.array([letter_bit(chr(code)) if code < 128 else 29 + code % 3 for code in range(256)], dtype=np.uint8)


def build_slices(blob: bytes, offsets: NDArray[np.uint32], odd: NDArray[np.int64], names: list[str]) -> Bits:
    """The slices of a table of names, shape (SLICES, numbers needed for all names).

    blob, offsets: the table, a NUL byte behind each name. odd: the numbers of the names that are not ASCII. names: all of them.
    """
    n = len(offsets) - 1
    slices = np.zeros((SLICES, -(-n // 64) * 8), dtype=np.uint8)
    if n == 0:
        return slices.view(np.uint64)
    step = 1 << 13  # names at a time, a multiple of 64: what is made in between stays small
    for start in range(0, n, step):
        end = min(start + step, n)
        matrix = _bits_of(blob, offsets[start : end + 1])
        for number in odd[np.searchsorted(odd, start) : np.searchsorted(odd, end)].tolist():
            matrix[:, number - start] = bits_of_name(names[number])
        packed = np.packbits(matrix, axis=1, bitorder="little")
        slices[:, start // 8 : start // 8 + packed.shape[1]] = packed
    return slices.view(np.uint64)


def _bits_of(blob: bytes, offsets: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """The bits of some ASCII names, shape (SLICES, names)."""
    n = len(offsets) - 1
    plain = np.frombuffer(blob, dtype=np.uint8)[offsets[0] : offsets[-1]]
    lower = np.frombuffer(plain.tobytes().lower(), dtype=np.uint8)
    owner = np.repeat(np.arange(n), np.diff(offsets).astype(np.int64))
    matrix = np.zeros((SLICES, n), dtype=bool)
    letter = _LETTER_OF_BYTE[lower]
    real = (lower != 0) & (letter != _NONE)
    matrix[letter[real], owner[real]] = True
    every = np.arange(len(plain))
    starts = every[begins_word(plain, every)]
    matrix[LETTERS + letter[starts].astype(np.int64), owner[starts]] = True
    pairs = np.flatnonzero((lower[:-1] != 0) & (lower[1:] != 0))
    mixed = (lower[:-1].astype(np.int64) * 37 + lower[1:].astype(np.int64) * 11) % PAIRS
    matrix[2 * LETTERS + mixed[pairs], owner[pairs]] = True
    return matrix


def begins_word(plain: NDArray[np.uint8], places: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the words of ASCII names (`index/fold.word_starts`) begin at the places; something stands behind the last one."""
    at, after = plain[places], plain[np.minimum(places + 1, len(plain) - 1)]
    before = np.where(places > 0, plain[places - 1], 0)
    upper, lower, digit = (at >= 65) & (at <= 90), (at >= 97) & (at <= 122), (at >= 48) & (at <= 57)
    upper_before, lower_before = (before >= 65) & (before <= 90), (before >= 97) & (before <= 122)
    digit_before, lower_after = (before >= 48) & (before <= 57), (after >= 97) & (after <= 122)
    begins: NDArray[np.bool_] = (
        (upper & (~upper_before | lower_after)) | (lower & ~lower_before & ~upper_before) | (digit & ~digit_before)
    )
    return begins


def bits_of_name(name: str) -> NDArray[np.bool_]:
    """The bits of any name, one by one."""
    folded = fold(name)
    bits = np.zeros(SLICES, dtype=bool)
    bits[[bit for bit in map(letter_bit, folded) if bit != _NONE]] = True
    bits[[LETTERS + letter_bit(folded[at]) for at in word_starts(name) if at < len(folded)]] = True
    bits[[2 * LETTERS + pair_bit(a, b) for a, b in pairwise(folded)]] = True
    return bits


@dataclass(frozen=True)
class Slices:
    """Bitsets over all names, by what they hold."""

    bits: Bits
    n_names: int

    def letter(self, character: str) -> Bits | None:
        """The names that hold the (folded) character; `None` for a separator, of which nothing is known."""
        bit = letter_bit(character)
        return None if bit == _NONE else self.bits[bit]

    def initial(self, character: str) -> Bits | None:
        """The names one of whose words begins with the character."""
        bit = letter_bit(character)
        return None if bit == _NONE else self.bits[LETTERS + bit]

    def pair(self, first: str, second: str) -> Bits:
        """The names that hold the two characters side by side."""
        bits: Bits = self.bits[2 * LETTERS + pair_bit(first, second)]
        return bits

    def all_names(self) -> "Chosen":
        """A choice of all names, to be narrowed."""
        return Chosen(self)


class Chosen:
    """A choice of names that is narrowed step by step; once it is sparse, only what is left of it is looked at."""

    def __init__(self, slices: Slices) -> None:
        self.slices = slices
        self._bits = np.full(slices.bits.shape[1], ~np.uint64(0), dtype=np.uint64)
        self._at: NDArray[np.int64] | None = None

    def keep(self, *alternatives: Bits | None) -> "Chosen":
        """Only the names that are in one of the bitsets; `None` holds all."""
        known = [bits for bits in alternatives if bits is not None]
        if len(known) < len(alternatives):
            return self
        parts = known if self._at is None else [bits[self._at] for bits in known]
        self._bits &= np.bitwise_or.reduce(parts) if len(parts) > 1 else parts[0]
        filled = np.flatnonzero(self._bits)
        if len(filled) * 2 <= len(self._bits):
            self._bits = self._bits[filled]
            self._at = filled if self._at is None else self._at[filled]
        return self

    def keep_letters(self, text: str) -> "Chosen":
        """Only the names that hold every character of the text."""
        for character in sorted(set(text)):
            self.keep(self.slices.letter(character))
        return self

    def keep_pairs(self, text: str) -> "Chosen":
        """Only the names that hold every pair of neighbours of the text: all those that hold the text, and some more."""
        for first, second in sorted(set(pairwise(text))):
            self.keep(self.slices.pair(first, second))
        return self.keep_letters(text) if len(text) == 1 else self

    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the names, in order."""
        spread = np.flatnonzero(np.unpackbits(self._bits.view(np.uint8), bitorder="little"))
        if self._at is not None:
            spread = self._at[spread >> 6] * 64 + (spread & 63)
        names: NDArray[np.int64] = spread[: np.searchsorted(spread, self.slices.n_names)]
        return names
